// Settings from the environment, parsed once; the only place that reads process.env.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isAddressBlock } from './kernel/client-address.ts';

const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  });
const list = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
const http = url('http:', 'https:');

const dayMs = 24 * 60 * 60_000;
const days = z.coerce.number().positive().max(36_500);
const daysMs = (count: number | undefined) => (count === undefined ? null : count * dayMs);

const Environment = z.object({
  RIVULET_HOST: z.string().min(1).default('127.0.0.1'),
  RIVULET_PORT: z.coerce.number().int().min(0).max(65_535).default(7717),
  RIVULET_DATA: z.string().min(1).default('./data'),
  RIVULET_ADMIN_KEY: z
    .string()
    .regex(/^rvt_[A-Za-z0-9_-]{28,}$/, 'must start with rvt_ and have 32 characters or more: letters, digits, _ and -')
    .optional(),
  RIVULET_SECRET: z.string().min(32, 'must have 32 characters or more').optional(),
  RIVULET_LOG: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  RIVULET_TRANSPORT: z.enum(['auto', 'uws', 'node']).default('auto'),
  RIVULET_SANDBOX: z.enum(['auto', 'docker', 'bwrap', 'off']).default('auto'),
  RIVULET_SANDBOX_SETTINGS: z.string().min(1).optional(),
  RIVULET_FILES_KEPT_DAYS: days.default(30),
  RIVULET_RUNS_KEPT_DAYS: days.optional(),
  RIVULET_CHATS_KEPT_DAYS: days.optional(),
  RIVULET_MESSAGES_KEPT_DAYS: days.optional(),
  RIVULET_CALLS_KEPT_DAYS: days.default(400),
  RIVULET_ACTIVITY_KEPT_DAYS: days.default(400),
  RIVULET_MODEL: z
    .string()
    .regex(/^[a-z0-9-]+:.+$/, 'must look like provider:model, e.g. openai:gpt-5-mini')
    .optional(),
  RIVULET_SCENARIOS: z.string().min(1).optional(),
  RIVULET_KEY_CONNECTIONS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  RIVULET_KEY_SUBSCRIPTIONS: z.coerce.number().int().min(1).max(10_000_000).default(50_000),
  RIVULET_KEY_TOPICS: z.coerce.number().int().min(1).max(10_000_000).default(10_000),
  RIVULET_STREAM_MEGABYTES: z.coerce.number().min(1).max(1_000_000).optional(),
  RIVULET_WAITING_MEGABYTES: z.coerce.number().min(1).max(1_000_000).default(64),
  RIVULET_KEY_REQUESTS: z.coerce.number().int().min(1).max(1_000_000).default(1000),
  RIVULET_PRIVATE_PROVIDERS: z.enum(['operator', 'all', 'none']).default('operator'),
  RIVULET_CORS_ORIGINS: z.string().optional(),
  RIVULET_TRUSTED_PROXIES: z
    .string()
    .transform(list)
    .refine(
      (blocks) => blocks.every(isAddressBlock),
      'must be addresses or blocks by commas, e.g. 127.0.0.1,10.0.0.0/8',
    )
    .default([]),
  RIVULET_SITE_BUILDER: z.enum(['server', 'elsewhere']).default('server'),
  RIVULET_PUBLIC_URL: http.optional(),
  RIVULET_SMTP_URL: url('smtp:', 'smtps:').optional(),
  RIVULET_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/, 'must be an address, e.g. "Rivulet <rivulet@example.com>"')
    .default('Rivulet <rivulet@localhost>'),
  RIVULET_CHECK_RESPONSES: z.enum(['0', '1']).default('0'),
  MONGODB_URI: url('mongodb:', 'mongodb+srv:').optional(),
  QDRANT_URL: http.optional(),
  QDRANT_API_KEY: z.string().optional(),
  QDRANT_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -')
    .default('rivulet'),
  RIVULET_EMBEDDING_MODEL: z
    .string()
    .regex(/^[a-z0-9-]+:.+$/, 'must look like provider:model, e.g. openai:text-embedding-3-small')
    .optional(),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: http.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: http.optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_BASE_URL: http.optional(),
  OLLAMA_BASE_URL: http.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: http.optional(),
});

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  adminKey: string | null;
  /** At least 32 characters; from the environment, else kept in the data folder. */
  secret: string;
  logLevel: string;
  transport: 'auto' | 'uws' | 'node';
  sandbox: 'auto' | 'docker' | 'bwrap' | 'off';
  /** YAML file with the limits, hosts and image of sandboxes. */
  sandboxSettings: string | null;
  /** How long the files and the output of ended runs are kept. */
  filesKeptMs: number;
  /** How long ended runs, untouched chats, messages, the ledger of model calls and the activity of projects are kept; null: for ever. */
  kept: Record<'runsMs' | 'chatsMs' | 'messagesMs' | 'callsMs' | 'activityMs', number | null>;
  model: string | null;
  scenariosDir: string | null;
  /** Sockets and event streams that one key or user may have open, on all nodes together. */
  connectionsPerKey: number;
  /** Subscriptions of one key or user on this node, and the different topics they follow. */
  subscriptionsPerKey: number;
  topicsPerKey: number;
  /** Bytes that streams may take; null leaves it to the size of the heap. */
  streamBytes: number | null;
  /** Bytes that may wait for all clients together to take them. */
  waitingBytes: number;
  /** Requests a second of one key or user, on all nodes together. */
  requestsPerKey: number;
  /** Whose model providers may stand on private networks. */
  privateProviders: 'operator' | 'all' | 'none';
  corsOrigins: string[];
  /** Addresses and blocks whose `X-Forwarded-*` are believed. */
  trustedProxies: string[];
  /** Where people reach the server, for links in mails; null: where it listens. */
  publicUrl: string | null;
  /** Who builds the public sites of projects: this server, or builders that claim the builds. */
  siteBuilder: 'server' | 'elsewhere';
  /** The SMTP server that mails go to; null: files in the data folder. */
  smtpUrl: string | null;
  mailFrom: string;
  /** Check every answer against its schema; for tests. */
  checkResponses: boolean;
  mongoUri: string | null;
  /** Vectors are kept there instead of in the embedded store. */
  qdrant: { url: string; apiKey: string | null; prefix: string } | null;
  /** Null: the bundled one. */
  embeddingModel: string | null;
  redisUrl: string | null;
  providers: {
    openai: { apiKey: string | null; baseUrl: string | null };
    anthropic: { apiKey: string | null; baseUrl: string | null };
    google: { apiKey: string | null; baseUrl: string | null };
    ollama: { baseUrl: string | null };
  };
  otlpEndpoint: string | null;
}

/** Thrown when a setting is wrong; the message names each one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings and makes the data folder and the secret where they are missing.
 *
 * @throws ConfigError that names every wrong setting
 */
export function loadConfig(environment: Record<string, string | undefined> = process.env): Config {
  const env = parseEnvironment(environment);
  const dataDir = resolve(env.RIVULET_DATA);
  return {
    host: env.RIVULET_HOST,
    port: env.RIVULET_PORT,
    dataDir,
    adminKey: env.RIVULET_ADMIN_KEY ?? null,
    secret: env.RIVULET_SECRET ?? keptSecret(dataDir),
    logLevel: env.RIVULET_LOG,
    transport: env.RIVULET_TRANSPORT,
    sandbox: env.RIVULET_SANDBOX,
    sandboxSettings: env.RIVULET_SANDBOX_SETTINGS ? resolve(env.RIVULET_SANDBOX_SETTINGS) : null,
    filesKeptMs: env.RIVULET_FILES_KEPT_DAYS * dayMs,
    kept: {
      runsMs: daysMs(env.RIVULET_RUNS_KEPT_DAYS),
      chatsMs: daysMs(env.RIVULET_CHATS_KEPT_DAYS),
      messagesMs: daysMs(env.RIVULET_MESSAGES_KEPT_DAYS),
      callsMs: daysMs(env.RIVULET_CALLS_KEPT_DAYS),
      activityMs: daysMs(env.RIVULET_ACTIVITY_KEPT_DAYS),
    },
    model: env.RIVULET_MODEL ?? null,
    scenariosDir: env.RIVULET_SCENARIOS ? resolve(env.RIVULET_SCENARIOS) : null,
    connectionsPerKey: env.RIVULET_KEY_CONNECTIONS,
    subscriptionsPerKey: env.RIVULET_KEY_SUBSCRIPTIONS,
    topicsPerKey: env.RIVULET_KEY_TOPICS,
    waitingBytes: env.RIVULET_WAITING_MEGABYTES * 1_000_000,
    streamBytes: env.RIVULET_STREAM_MEGABYTES === undefined ? null : env.RIVULET_STREAM_MEGABYTES * 1_000_000,
    requestsPerKey: env.RIVULET_KEY_REQUESTS,
    privateProviders: env.RIVULET_PRIVATE_PROVIDERS,
    corsOrigins: list(env.RIVULET_CORS_ORIGINS ?? ''),
    trustedProxies: env.RIVULET_TRUSTED_PROXIES,
    publicUrl: env.RIVULET_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    siteBuilder: env.RIVULET_SITE_BUILDER,
    smtpUrl: env.RIVULET_SMTP_URL ?? null,
    mailFrom: env.RIVULET_MAIL_FROM,
    checkResponses: env.RIVULET_CHECK_RESPONSES === '1',
    mongoUri: env.MONGODB_URI ?? null,
    qdrant: env.QDRANT_URL
      ? { url: env.QDRANT_URL, apiKey: env.QDRANT_API_KEY ?? null, prefix: env.QDRANT_PREFIX }
      : null,
    embeddingModel: env.RIVULET_EMBEDDING_MODEL ?? null,
    redisUrl: env.REDIS_URL ?? null,
    providers: {
      openai: { apiKey: env.OPENAI_API_KEY ?? null, baseUrl: env.OPENAI_BASE_URL ?? null },
      anthropic: { apiKey: env.ANTHROPIC_API_KEY ?? null, baseUrl: env.ANTHROPIC_BASE_URL ?? null },
      google: { apiKey: env.GOOGLE_GENERATIVE_AI_API_KEY ?? null, baseUrl: env.GOOGLE_GENERATIVE_AI_BASE_URL ?? null },
      ollama: { baseUrl: env.OLLAMA_BASE_URL ?? null },
    },
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  };
}

function keptSecret(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = join(dataDir, 'secret');
    if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`RIVULET_DATA: cannot use ${dataDir}: ${(error as Error).message}`);
  }
}

function parseEnvironment(environment: Record<string, string | undefined>) {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings are wrong:\n${lines.join('\n')}`);
  }
  return parsed.data;
}

/** What commands on a data folder take from the environment. Nothing is made. @throws ConfigError */
export function loadDataSettings(environment: Record<string, string | undefined> = process.env) {
  const { RIVULET_DATA, MONGODB_URI, RIVULET_SECRET } = parseEnvironment(environment);
  return {
    dataDir: resolve(RIVULET_DATA),
    mongoUri: MONGODB_URI ?? null,
    secretElsewhere: RIVULET_SECRET !== undefined,
  };
}

/** What the terminal demo takes from the environment; the rest is passed on to a server that it starts. */
export function loadDemoSettings(environment: Record<string, string | undefined> = process.env) {
  return { key: environment.RIVULET_ADMIN_KEY ?? null, color: !environment.NO_COLOR, environment };
}
