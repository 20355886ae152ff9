// Settings from the environment, parsed once; the only place that reads process.env.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isAddressBlock } from './kernel/client-address.ts';
import { decoded } from './kernel/decoded.ts';
import { Fault } from './kernel/fault.ts';
import { makeDataFolder, readSecret, shortestSecret } from './kernel/kept-secret.ts';
import { isOrigin } from './kernel/origins.ts';

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

/** Providers that the environment can configure: others are of a tenant, and chosen by its routes. */
const ofEnvironment = ['anthropic', 'google', 'ollama', 'openai', 'scripted'];
const isModel = (text: string) =>
  ofEnvironment.some((name) => text.startsWith(`${name}:`) && text.length > name.length + 1);

const secretText = z.string().min(shortestSecret, `must have ${shortestSecret} characters or more`);
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
  RIVULET_SECRET: secretText.optional(),
  RIVULET_PREVIOUS_SECRET: secretText.optional(),
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
  RIVULET_LEDGERS_KEPT_DAYS: days.default(400),
  RIVULET_LOG_KEPT_DAYS: days.default(30),
  RIVULET_LOG_KEPT_LINES: z.coerce.number().int().min(1000).max(1_000_000_000).default(1_000_000),
  RIVULET_LOG_KEPT_MEGABYTES: z.coerce.number().min(1).max(1_000_000).default(64),
  RIVULET_BACKUPS: z.string().min(1).optional(),
  RIVULET_BACKUPS_KEPT: z.coerce.number().int().min(1).max(1000).default(7),
  RIVULET_BACKUP_SCHEDULE: z.string().min(1).max(200).optional(),
  RIVULET_MODEL: z
    .string()
    .refine(isModel, `must be provider:model, e.g. openai:gpt-5-mini; providers are ${ofEnvironment.join(', ')}`)
    .optional(),
  RIVULET_SCENARIOS: z.string().min(1).optional(),
  RIVULET_KEY_CONNECTIONS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  RIVULET_KEY_SUBSCRIPTIONS: z.coerce.number().int().min(1).max(10_000_000).default(50_000),
  RIVULET_KEY_TOPICS: z.coerce.number().int().min(1).max(10_000_000).default(10_000),
  RIVULET_STREAM_MEGABYTES: z.coerce.number().min(1).max(1_000_000).optional(),
  RIVULET_WAITING_MEGABYTES: z.coerce.number().min(1).max(1_000_000).default(64),
  RIVULET_KEY_REQUESTS: z.coerce.number().int().min(1).max(1_000_000).default(1000),
  RIVULET_PRIVATE_PROVIDERS: z.enum(['operator', 'all', 'none']).default('operator'),
  RIVULET_PRIVATE_CONNECTORS: z.enum(['operator', 'all', 'none']).default('none'),
  RIVULET_CONNECTOR_FOLDERS: z.string().transform(list).default([]),
  RIVULET_CORS_ORIGINS: z
    .string()
    .transform(list)
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins by commas, each as browsers send it, without a path: https://app.example',
    )
    .default([]),
  RIVULET_TRUSTED_PROXIES: z
    .string()
    .transform(list)
    .refine(
      (blocks) => blocks.every(isAddressBlock),
      'must be addresses or blocks by commas, e.g. 127.0.0.1,10.0.0.0/8',
    )
    .default([]),
  RIVULET_TRAINER: z.string().trim().min(1).optional(),
  RIVULET_TRAINER_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and the base64 of 24 bytes or more')
    .optional(),
  RIVULET_SITE_BUILDER: z.enum(['server', 'elsewhere']).default('server'),
  RIVULET_PUBLIC_URL: http.transform((text) => text.replace(/\/+$/, '')).optional(),
  RIVULET_SMTP_URL: url('smtp:', 'smtps:').optional(),
  RIVULET_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/, 'must be an address, e.g. "Rivulet <rivulet@example.com>"')
    .default('Rivulet <rivulet@localhost>'),
  RIVULET_SUPPORT_MAIL: z.email('must be an address, e.g. help@example.com').optional(),
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

export type SettingKey = keyof typeof Environment.shape;
export const settingKeys = Object.keys(Environment.shape) as SettingKey[];
/** Settings as text, by their names. */
export type Given = Partial<Record<SettingKey, string>>;

export interface Config {
  /** The settings that somebody gave, as they were given. */
  given: Given;
  host: string;
  port: number;
  dataDir: string;
  adminKey: string | null;
  /** At least 32 characters; from the environment, else kept in the data folder. */
  secret: string;
  /** What an earlier secret sealed opens with it, until it has been sealed anew. */
  previousSecrets: string[];
  logLevel: string;
  transport: 'auto' | 'uws' | 'node';
  sandbox: 'auto' | 'docker' | 'bwrap' | 'off';
  /** YAML file with the limits, hosts and image of sandboxes. */
  sandboxSettings: string | null;
  /** How long the files and the output of ended runs are kept. */
  filesKeptMs: number;
  /** How long ended runs, untouched chats, messages, the ledger of model calls, the activity of projects, the ledgers of routines and the log are kept; null: for ever. */
  kept: Record<'runsMs' | 'chatsMs' | 'messagesMs' | 'callsMs' | 'activityMs' | 'ledgersMs' | 'logMs', number | null>;
  /** Lines of the log that a tenant has at most, and bytes of them as they are stored. */
  logLines: number;
  logBytes: number;
  /** Where backups that the server takes go, each in a folder of its own, and how many of them stay. */
  backups: { folder: string; kept: number; schedule: string | null };
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
  /** Whose connectors may reach private networks and this machine. */
  privateConnectors: 'operator' | 'all' | 'none';
  /** Folders below which connectors of the operator's tenant may read and write files. */
  connectorFolders: string[];
  corsOrigins: string[];
  /** Addresses and blocks whose `X-Forwarded-*` are believed. */
  trustedProxies: string[];
  /** Where people reach the server, for links in mails; null: where it listens. */
  publicUrl: string | null;
  /** Who builds the public sites of projects: this server, or builders that claim the builds. */
  siteBuilder: 'server' | 'elsewhere';
  /** What trains models on datasets: a command in the sandbox, or a program elsewhere; null: nobody. */
  trainer: { kind: 'command'; command: string } | { kind: 'webhook'; url: string; secret: string } | null;
  /** The SMTP server that mails go to; null: files in the data folder. */
  smtpUrl: string | null;
  mailFrom: string;
  /** Who gets support requests by mail; null: the tenant's administrators, in their inboxes. */
  supportMail: string | null;
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

/** A URL is a program elsewhere, everything else a command. @throws ConfigError for a URL without a secret */
function trainerOf({ RIVULET_TRAINER: named, RIVULET_TRAINER_SECRET: secret }: z.output<typeof Environment>) {
  if (named === undefined) return null;
  if (!/^https?:\/\//i.test(named)) return { kind: 'command' as const, command: named };
  if (!URL.canParse(named)) throw new ConfigError('RIVULET_TRAINER: it is no URL and no command');
  if (secret === undefined) throw new ConfigError('RIVULET_TRAINER_SECRET: a trainer elsewhere needs it to verify us');
  return { kind: 'webhook' as const, url: named, secret };
}

/**
 * Reads settings and makes the data folder and the secret where they are missing.
 *
 * @throws ConfigError that names every wrong setting
 */
export function loadConfig(environment: Record<string, string | undefined> = process.env): Config {
  const given = givenIn(environment);
  const env = parseEnvironment(given);
  inData(() => makeDataFolder(resolve(env.RIVULET_DATA), usesOf(env)));
  const config = configOf(given);
  if (config.scenariosDir !== null && !statSync(config.scenariosDir, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`RIVULET_SCENARIOS: ${config.scenariosDir} is no folder`);
  return config;
}

const usesOf = (env: ReturnType<typeof parseEnvironment>) => ({
  secretElsewhere: env.RIVULET_SECRET !== undefined,
  documentsElsewhere: env.MONGODB_URI !== undefined,
  expected: [env.RIVULET_BACKUPS, env.RIVULET_SCENARIOS, env.RIVULET_SANDBOX_SETTINGS, ...env.RIVULET_CONNECTOR_FOLDERS]
    .filter((path) => path !== undefined)
    .map((path) => resolve(path)),
});

const sandboxOf = (env: ReturnType<typeof parseEnvironment>) => ({
  sandbox: env.RIVULET_SANDBOX,
  sandboxSettings: env.RIVULET_SANDBOX_SETTINGS ? resolve(env.RIVULET_SANDBOX_SETTINGS) : null,
});

/** The same with other values for some settings. @throws ConfigError that names every wrong one */
export const configWith = (config: Config, values: Given): Config => ({
  ...configOf({ ...config.given, ...values }),
  given: config.given,
});

/** What a setting is where nobody gives it; null for none. */
export function defaultOf(key: SettingKey): string | null {
  const value = Environment.shape[key].safeParse(undefined).data;
  return value === undefined ? null : Array.isArray(value) ? value.join() : String(value);
}

function givenIn(environment: Record<string, string | undefined>): Given {
  const given = settingKeys.flatMap((key) => (environment[key] ? [[key, environment[key]]] : []));
  return Object.fromEntries(given) as Given;
}

const keptOf = (env: ReturnType<typeof parseEnvironment>): Config['kept'] => ({
  runsMs: daysMs(env.RIVULET_RUNS_KEPT_DAYS),
  chatsMs: daysMs(env.RIVULET_CHATS_KEPT_DAYS),
  messagesMs: daysMs(env.RIVULET_MESSAGES_KEPT_DAYS),
  callsMs: daysMs(env.RIVULET_CALLS_KEPT_DAYS),
  activityMs: daysMs(env.RIVULET_ACTIVITY_KEPT_DAYS),
  ledgersMs: daysMs(env.RIVULET_LEDGERS_KEPT_DAYS),
  logMs: daysMs(env.RIVULET_LOG_KEPT_DAYS),
});

function configOf(given: Given): Config {
  const env = parseEnvironment(given);
  const dataDir = resolve(env.RIVULET_DATA);
  return {
    given,
    host: env.RIVULET_HOST,
    port: env.RIVULET_PORT,
    dataDir,
    adminKey: env.RIVULET_ADMIN_KEY ?? null,
    secret: env.RIVULET_SECRET ?? inData(() => readSecret(dataDir)),
    previousSecrets: env.RIVULET_PREVIOUS_SECRET ? [env.RIVULET_PREVIOUS_SECRET] : [],
    logLevel: env.RIVULET_LOG,
    transport: env.RIVULET_TRANSPORT,
    ...sandboxOf(env),
    filesKeptMs: env.RIVULET_FILES_KEPT_DAYS * dayMs,
    kept: keptOf(env),
    logLines: env.RIVULET_LOG_KEPT_LINES,
    logBytes: env.RIVULET_LOG_KEPT_MEGABYTES * 1_000_000,
    backups: {
      folder: env.RIVULET_BACKUPS ? resolve(env.RIVULET_BACKUPS) : `${dataDir}-backups`,
      kept: env.RIVULET_BACKUPS_KEPT,
      schedule: env.RIVULET_BACKUP_SCHEDULE ?? null,
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
    privateConnectors: env.RIVULET_PRIVATE_CONNECTORS,
    connectorFolders: env.RIVULET_CONNECTOR_FOLDERS.map((one) => resolve(one)),
    corsOrigins: env.RIVULET_CORS_ORIGINS,
    trustedProxies: env.RIVULET_TRUSTED_PROXIES,
    publicUrl: env.RIVULET_PUBLIC_URL ?? null,
    siteBuilder: env.RIVULET_SITE_BUILDER,
    trainer: trainerOf(env),
    smtpUrl: env.RIVULET_SMTP_URL ?? null,
    mailFrom: env.RIVULET_MAIL_FROM,
    supportMail: env.RIVULET_SUPPORT_MAIL ?? null,
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

/** The settings that are secrets, and those in them: they stand in no line of the log. */
export function secretsOf({ adminKey, secret, qdrant, providers, ...config }: Config): string[] {
  const { openai, anthropic, google } = providers;
  const passwords = [config.mongoUri, config.redisUrl, config.smtpUrl].flatMap((address) => {
    const found = /^[^:]+:\/\/[^/@]*?:([^/@]+)@/.exec(address ?? '')?.[1];
    return found === undefined ? [] : [found, decoded(found)];
  });
  const keys = [openai.apiKey, anthropic.apiKey, google.apiKey, qdrant?.apiKey ?? null];
  const signsForTrainer = config.trainer?.kind === 'webhook' ? config.trainer.secret : null;
  const all = [adminKey, secret, ...config.previousSecrets, signsForTrainer, ...keys, ...passwords];
  return all.filter((one) => one !== null);
}

/** Does something in the data folder. @throws ConfigError for a Fault of it */
function inData<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new ConfigError(`RIVULET_DATA: ${error.message}\n${error.hint}`);
  }
}

function parseEnvironment(environment: Record<string, string | undefined>) {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(present);
  if (!parsed.success) {
    // Each is given as text: what is of another type was to be read as a number.
    const lines = parsed.error.issues.map(
      ({ path, code, message }) => `  ${path.join('.')}: ${code === 'invalid_type' ? 'must be a number' : message}`,
    );
    throw new ConfigError(`These settings are wrong:\n${lines.join('\n')}`);
  }
  return parsed.data;
}

/** What commands on a data folder take from the environment. Nothing is made. @throws ConfigError */
export function loadDataSettings(environment: Record<string, string | undefined> = process.env) {
  const settings = parseEnvironment(environment);
  trainerOf(settings);
  const { RIVULET_DATA, MONGODB_URI, RIVULET_SECRET, RIVULET_HOST, RIVULET_PORT, RIVULET_PUBLIC_URL } = settings;
  const dataDir = resolve(RIVULET_DATA);
  return {
    ...{ dataDir, host: RIVULET_HOST, port: RIVULET_PORT, publicUrl: RIVULET_PUBLIC_URL ?? null },
    ...{ mongoUri: MONGODB_URI ?? null, backupSchedule: settings.RIVULET_BACKUP_SCHEDULE ?? null },
    ...{ ...usesOf(settings), ...sandboxOf(settings) },
    /** @throws ConfigError where no server has kept one */
    secret: () => RIVULET_SECRET ?? inData(() => readSecret(dataDir)),
  };
}

/** What the command line takes from the environment; nothing is made. @throws ConfigError */
export function loadCliSettings(environment: Record<string, string | undefined> = process.env) {
  const { XDG_CONFIG_HOME, RIVULET_URL, RIVULET_KEY, RIVULET_ADMIN_KEY, RIVULET_PORT, NO_COLOR } = environment;
  return {
    url: RIVULET_URL || undefined,
    key: RIVULET_KEY || RIVULET_ADMIN_KEY || undefined,
    /** The server of this machine, where its port is set. */
    localUrl: RIVULET_PORT && RIVULET_PORT !== '0' ? `http://127.0.0.1:${RIVULET_PORT}` : undefined,
    color: !NO_COLOR,
    dataDir: resolve(environment.RIVULET_DATA || './data'),
    /** The server's own, where the environment has it. */
    secret: environment.RIVULET_SECRET || undefined,
    /** Where `rivulet login` keeps keys. */
    keyFile: join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'rivulet', 'keys.json'),
    environment,
  };
}
export type CliSettings = ReturnType<typeof loadCliSettings>;
