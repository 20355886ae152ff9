// What each setting is about, and whether operators may override it while the server works.
import type { SettingKey } from '../environment.ts';

interface Known {
  about: string;
  secret?: true;
  /** When an override acts: now, at the next start, or never, since it is read before overrides are. */
  changes: 'now' | 'restart' | 'never';
}

const now = (about: string): Known => ({ about, changes: 'now' });
const later = (about: string): Known => ({ about, changes: 'restart' });
const fixed = (about: string): Known => ({ about, changes: 'never' });
const secret = (about: string): Known => ({ about, changes: 'never', secret: true });

export const knownSettings: Record<SettingKey, Known> = {
  RIVULET_HOST: fixed('Address that the server listens on.'),
  RIVULET_PORT: fixed('Port that it listens on.'),
  RIVULET_DATA: fixed('Folder of the data.'),
  RIVULET_ADMIN_KEY: secret('Key of the first administrator.'),
  RIVULET_SECRET: secret('Signs tokens and opens sealed values.'),
  RIVULET_PREVIOUS_SECRET: secret('The secret before: opens what it sealed until EncryptSecrets has sealed it anew.'),
  RIVULET_LOG: now('The lowest level that is logged.'),
  RIVULET_TRANSPORT: fixed('The HTTP server: uws, node, or the better one that is there.'),
  RIVULET_SANDBOX: later('What holds the commands of runs.'),
  RIVULET_SANDBOX_SETTINGS: fixed('File with the limits, hosts and image of sandboxes.'),
  RIVULET_FILES_KEPT_DAYS: now('Days that files and output of ended runs stay.'),
  RIVULET_RUNS_KEPT_DAYS: now('Days that ended runs stay; none: for ever.'),
  RIVULET_CHATS_KEPT_DAYS: now('Days that untouched chats stay; none: for ever.'),
  RIVULET_MESSAGES_KEPT_DAYS: now('Days that messages stay; none: for ever.'),
  RIVULET_CALLS_KEPT_DAYS: now('Days that the ledger of model calls stays.'),
  RIVULET_ACTIVITY_KEPT_DAYS: now('Days that the activity of projects and the history of relationships stay.'),
  RIVULET_LEDGERS_KEPT_DAYS: now('Days that rows of the ledgers of routines stay.'),
  RIVULET_LOG_KEPT_DAYS: later('Days that lines of the log stay.'),
  RIVULET_LOG_KEPT_LINES: later('Lines that the log of a tenant has at most.'),
  RIVULET_LOG_KEPT_MEGABYTES: later('Megabytes that the log of a tenant has at most, as they are stored.'),
  RIVULET_SUPPORT_MAIL: later('Where support requests are mailed to; none: they stay here.'),
  RIVULET_BACKUPS: now('Folder that backups go to; none: beside the data folder.'),
  RIVULET_BACKUPS_KEPT: now('Backups that stay; the oldest go first.'),
  RIVULET_BACKUP_SCHEDULE: now('Cron expression (UTC) at which a backup is taken; none: never by itself.'),
  RIVULET_MODEL: later('The model of runs and chats that name none.'),
  RIVULET_SCENARIOS: fixed('Folder of scripted scenarios.'),
  RIVULET_KEY_CONNECTIONS: later('Sockets and streams of a key or user.'),
  RIVULET_KEY_SUBSCRIPTIONS: later('Subscriptions of a key or user on a node.'),
  RIVULET_KEY_TOPICS: later('Topics that a key or user follows on a node.'),
  RIVULET_STREAM_MEGABYTES: later('Memory that streams may take; none: by the size of the heap.'),
  RIVULET_WAITING_MEGABYTES: later('Bytes that may wait for clients to take them.'),
  RIVULET_KEY_REQUESTS: now('Requests a second of a key or user.'),
  RIVULET_PRIVATE_PROVIDERS: later('Whose model providers, webhooks and channels may stand on private networks.'),
  RIVULET_PRIVATE_CONNECTORS: fixed('Whose connectors may reach private networks and this machine.'),
  RIVULET_CONNECTOR_FOLDERS: fixed('Folders below which connectors of the operator may read and write files.'),
  RIVULET_CORS_ORIGINS: later('Origins of pages that may call the API.'),
  RIVULET_TRUSTED_PROXIES: fixed('Proxies whose X-Forwarded headers are believed.'),
  RIVULET_SITE_BUILDER: later('Who builds the public sites of projects.'),
  RIVULET_SIGN_IN_PROVIDERS: fixed('File of the providers that people may sign in with.'),
  RIVULET_PUBLIC_URL: now('Where people reach the server, for links.'),
  RIVULET_SMTP_URL: secret('SMTP server that mails go to.'),
  RIVULET_MAIL_FROM: later('Sender of mails.'),
  RIVULET_CHECK_RESPONSES: fixed('Check every answer against its schema; for tests.'),
  MONGODB_URI: secret('The MongoDB that holds the documents.'),
  QDRANT_URL: fixed('The Qdrant that holds vectors.'),
  QDRANT_API_KEY: secret('Key of Qdrant.'),
  QDRANT_PREFIX: fixed('Beginning of the names of collections in Qdrant.'),
  RIVULET_EMBEDDING_MODEL: later('The model that finds by meaning; none: the bundled one.'),
  REDIS_URL: secret('The Redis that nodes share.'),
  OPENAI_API_KEY: secret('Key of OpenAI.'),
  OPENAI_BASE_URL: fixed('Address of OpenAI or a compatible server.'),
  ANTHROPIC_API_KEY: secret('Key of Anthropic.'),
  ANTHROPIC_BASE_URL: fixed('Address of Anthropic.'),
  GOOGLE_GENERATIVE_AI_API_KEY: secret('Key of Google.'),
  GOOGLE_GENERATIVE_AI_BASE_URL: fixed('Address of Google.'),
  OLLAMA_BASE_URL: fixed('Address of Ollama.'),
  RIVULET_TRAINER: fixed('What trains models: a command, or a URL.'),
  RIVULET_TRAINER_SECRET: secret('Signs what is sent to the trainer.'),
  RIVULET_PAYMENT_WEBHOOK_SECRET: secret('Verifies the events of the payment service.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: fixed('Where traces and metrics are sent.'),
  HTTP_PROXY: secret('Proxy that calls to other servers by http go through.'),
  HTTPS_PROXY: secret('Proxy that calls to other servers by https go through.'),
  NO_PROXY: fixed('Whom calls reach without a proxy.'),
};
