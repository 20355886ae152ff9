// What the settings of the environment mean; the only place that reads process.env.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, type Given, givenIn, parseEnvironment, type Settings } from './environment.ts';
import { decoded } from './kernel/decoded.ts';
import { Fault } from './kernel/fault.ts';
import { makeDataFolder, readSecret } from './kernel/kept-secret.ts';
import { localUrl } from './kernel/local-url.ts';
import type { OutboundProxies } from './kernel/outbound-proxy.ts';

const dayMs = 24 * 60 * 60_000;
const daysMs = (count: number | undefined) => (count === undefined ? null : count * dayMs);

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
  /** YAML file of the providers that people may sign in with. */
  signInProviders: string | null;
  /** Where people reach the server, for links in mails; null: where it listens. */
  publicUrl: string | null;
  /** Who builds the public sites of projects: this server, or builders that claim the builds. */
  siteBuilder: 'server' | 'elsewhere';
  /** What trains models on datasets: a command in the sandbox, or a program elsewhere; null: nobody. */
  trainer: { kind: 'command'; command: string } | { kind: 'webhook'; url: string; secret: string } | null;
  /** Verifies events of the payment service; null: none are taken. */
  paymentWebhookSecret: string | null;
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
  /** Proxies that calls to other servers go through. */
  proxies: OutboundProxies;
}

/** A URL is a program elsewhere, everything else a command. @throws ConfigError for a URL without a secret */
function trainerOf({ RIVULET_TRAINER: named, RIVULET_TRAINER_SECRET: secret }: Settings) {
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

const usesOf = (env: Settings) => ({
  secretElsewhere: env.RIVULET_SECRET !== undefined,
  documentsElsewhere: env.MONGODB_URI !== undefined,
  expected: [env.RIVULET_BACKUPS, env.RIVULET_SCENARIOS, env.RIVULET_SANDBOX_SETTINGS, ...env.RIVULET_CONNECTOR_FOLDERS]
    .filter((path) => path !== undefined)
    .map((path) => resolve(path)),
});

const sandboxOf = (env: Settings) => ({
  sandbox: env.RIVULET_SANDBOX,
  sandboxSettings: env.RIVULET_SANDBOX_SETTINGS ? resolve(env.RIVULET_SANDBOX_SETTINGS) : null,
});

/** The same with other values for some settings. @throws ConfigError that names every wrong one */
export const configWith = (config: Config, values: Given): Config => ({
  ...configOf({ ...config.given, ...values }),
  given: config.given,
});

const proxiesOf = (env: Settings): OutboundProxies => ({
  http: env.HTTP_PROXY ?? null,
  https: env.HTTPS_PROXY ?? null,
  direct: env.NO_PROXY,
});

const keptOf = (env: Settings): Config['kept'] => ({
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
    signInProviders: env.RIVULET_SIGN_IN_PROVIDERS ? resolve(env.RIVULET_SIGN_IN_PROVIDERS) : null,
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
    paymentWebhookSecret: env.RIVULET_PAYMENT_WEBHOOK_SECRET ?? null,
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
    proxies: proxiesOf(env),
  };
}

/** The settings that are secrets, and those in them: they stand in no line of the log. */
export function secretsOf({ adminKey, secret, qdrant, providers, ...config }: Config): string[] {
  const { openai, anthropic, google } = providers;
  const { http, https } = config.proxies;
  const addresses = [config.mongoUri, config.redisUrl, config.smtpUrl, http?.href, https?.href];
  const passwords = addresses.flatMap((address) => {
    const found = /^[^:]+:\/\/[^/@]*?:([^/@]+)@/.exec(address ?? '')?.[1];
    return found === undefined ? [] : [found, decoded(found)];
  });
  const keys = [openai.apiKey, anthropic.apiKey, google.apiKey, qdrant?.apiKey ?? null];
  const signsForTrainer = config.trainer?.kind === 'webhook' ? config.trainer.secret : null;
  const signed = [signsForTrainer, config.paymentWebhookSecret];
  const all = [adminKey, secret, ...config.previousSecrets, ...signed, ...keys, ...passwords];
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

/** What commands on a data folder take from the environment. Nothing is made. @throws ConfigError */
export function loadDataSettings(environment: Record<string, string | undefined> = process.env) {
  const settings = parseEnvironment(givenIn(environment));
  trainerOf(settings);
  const { RIVULET_DATA, MONGODB_URI, RIVULET_SECRET, RIVULET_HOST, RIVULET_PORT, RIVULET_PUBLIC_URL } = settings;
  const dataDir = resolve(RIVULET_DATA);
  return {
    ...{ dataDir, host: RIVULET_HOST, port: RIVULET_PORT, publicUrl: RIVULET_PUBLIC_URL ?? null },
    ...{ mongoUri: MONGODB_URI ?? null, backupSchedule: settings.RIVULET_BACKUP_SCHEDULE ?? null },
    ...{ ...usesOf(settings), ...sandboxOf(settings), proxies: proxiesOf(settings) },
    /** @throws ConfigError where no server has kept one */
    secret: () => RIVULET_SECRET ?? inData(() => readSecret(dataDir)),
  };
}

/** A user whom the system does not know, as containers and services have them, has no home unless `HOME` names one. */
function home(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** What the command line takes from the environment; nothing is made. @throws ConfigError */
export function loadCliSettings(environment: Record<string, string | undefined> = process.env) {
  const { XDG_CONFIG_HOME, RIVULET_URL, RIVULET_KEY, RIVULET_ADMIN_KEY, NO_COLOR, npm_lifecycle_event } = environment;
  return {
    url: RIVULET_URL || undefined,
    key: RIVULET_KEY || RIVULET_ADMIN_KEY || undefined,
    /** The server of this machine, where its host or its port is set. */
    localUrl: localUrlOf(environment),
    color: !NO_COLOR,
    dataDir: resolve(environment.RIVULET_DATA || './data'),
    /** The server's own, where the environment has it. */
    secret: environment.RIVULET_SECRET || undefined,
    /** Where `rivulet login` keeps keys. */
    keyFile: join(XDG_CONFIG_HOME || join(home(), '.config'), 'rivulet', 'keys.json'),
    /** Whether a package manager runs this process: `npm start`, `npx rivulet`. */
    isOfNpm: Boolean(npm_lifecycle_event),
    environment,
  };
}

function localUrlOf({ RIVULET_HOST, RIVULET_PORT }: Record<string, string | undefined>): string | undefined {
  if (RIVULET_PORT === '0' || !(RIVULET_HOST || RIVULET_PORT)) return undefined;
  return localUrl(RIVULET_HOST || '127.0.0.1', Number(RIVULET_PORT || 7717));
}

export type CliSettings = ReturnType<typeof loadCliSettings>;
