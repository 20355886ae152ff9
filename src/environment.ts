// The settings of the environment: their names, how each is read, and what it is where nobody gives it.
import { z } from 'zod';
import { blockOf } from './kernel/client-address.ts';
import { shortestSecret } from './kernel/kept-secret.ts';
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
/** Other programs take one without a protocol, too. */
const proxy = z
  .string()
  .transform((text) => (text.includes('://') ? text : `http://${text}`))
  .pipe(http)
  .transform((text) => new URL(text));

/** Providers that the environment can configure: others are of a tenant, and chosen by its routes. */
const ofEnvironment = ['anthropic', 'google', 'ollama', 'openai', 'scripted'];
const isModel = (text: string) =>
  ofEnvironment.some((name) => text.startsWith(`${name}:`) && text.length > name.length + 1);

const secretText = z.string().min(shortestSecret, `must have ${shortestSecret} characters or more`);
const days = z.coerce.number().positive().max(36_500);

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
      (blocks) => blocks.every((text) => blockOf(text) !== null),
      'must be addresses or blocks by commas, e.g. 127.0.0.1,10.0.0.0/8',
    )
    .default([]),
  RIVULET_TRAINER: z.string().trim().min(1).optional(),
  RIVULET_TRAINER_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and the base64 of 24 bytes or more')
    .optional(),
  RIVULET_PAYMENT_WEBHOOK_SECRET: z
    .string()
    .min(16, 'must have 16 characters or more, as the payment service gave it')
    .optional(),
  RIVULET_SITE_BUILDER: z.enum(['server', 'elsewhere']).default('server'),
  RIVULET_SIGN_IN_PROVIDERS: z.string().min(1).optional(),
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
  HTTP_PROXY: proxy.optional(),
  HTTPS_PROXY: proxy.optional(),
  NO_PROXY: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .default([]),
});
/** Of these, programs of Unix read the lower case, and that first. */
const eitherCase = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']);

export type SettingKey = keyof typeof Environment.shape;
export const settingKeys = Object.keys(Environment.shape) as SettingKey[];
/** Settings as text, by their names. */
export type Given = Partial<Record<SettingKey, string>>;

export type Settings = z.output<typeof Environment>;

/** Thrown when a setting is wrong; the message names each one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What a setting is where nobody gives it; null for none. */
export function defaultOf(key: SettingKey): string | null {
  const value = Environment.shape[key].safeParse(undefined).data;
  return value === undefined ? null : Array.isArray(value) ? value.join() : String(value);
}

/** The settings in an environment, beside all else that stands there. */
export function givenIn(environment: Record<string, string | undefined>): Given {
  const given = settingKeys.flatMap((key) => {
    const value = (eitherCase.has(key) && environment[key.toLowerCase()]) || environment[key];
    return value ? [[key, value]] : [];
  });
  return Object.fromEntries(given) as Given;
}

/** @throws ConfigError that names every wrong setting */
export function parseEnvironment(environment: Record<string, string | undefined>): Settings {
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
