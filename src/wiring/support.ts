// What support requests tell of this server: settings without secrets, counts, migrations, nodes and metrics.
import { hostname } from 'node:os';
import { type Config, secretsOf } from '../config.ts';
import { findPeopleFor } from '../groups/agent/desk/people.ts';
import { addressOf } from '../groups/base-url.ts';
import { supportRequestRecord } from '../groups/support/record.ts';
import type { SupportDeps } from '../groups/support/service.ts';
import { readReadiness } from '../groups/system/readiness.ts';
import type { SystemDeps } from '../groups/system/service.ts';
import type { Clock } from '../kernel/clock.ts';
import { createHider } from '../kernel/hidden.ts';
import type { Logger } from '../kernel/logger.ts';
import { processMemory } from '../kernel/process-memory.ts';
import { logChunks } from '../logs/chunk.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Mailer } from '../ports/mail.ts';
import { redact } from '../scrub/scrub.ts';
import { countersCollection } from '../stores/ids.ts';
import { appliedCollection } from '../stores/migrations.ts';
import type { OpenLogs } from './logs.ts';
import type { OpenModels } from './models.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';

interface Deps {
  config: Config;
  storage: Storage;
  runtime: OpenRuntime;
  models: OpenModels;
  logs: OpenLogs;
  system: SystemDeps;
  mailer: Mailer;
  tenantId: number;
  nodeId: string;
  clock: Clock;
  log: Logger;
}

const hourMs = 3_600_000;

export function supportOf(deps: Deps): SupportDeps {
  const { config, storage, runtime, logs, system, mailer, tenantId, clock, log } = deps;
  const { db, ids, runs } = storage;
  const people = findPeopleFor(runtime);
  return {
    ...logs,
    ...{ db, clock, log, mailer, inbox: runtime.inbox, mailTo: config.supportMail, operatorTenantId: tenantId },
    requests: createKeeper(supportRequestRecord, { db, ids, clock }),
    findRun: runs.runs.get,
    hide: createHider(secretsOf(config), redact),
    administrators: (id) => people({ tenantId: id, identityId: null, startedByUserId: null }),
    publicUrl: () => addressOf(system),
    about: () => aboutProcess(deps),
    readiness: () => readReadiness(system),
    settings: () => settingsOf(config),
    counts: () => countsOf(deps),
    migrations: () =>
      db
        .collection(appliedCollection)
        .find({}, { sort: { _id: 1 } })
        .toArray(),
    nodes: () => nodesOf(deps),
    metrics: async () => (await system.metrics.text('Prometheus')).body,
  };
}

const aboutProcess = ({ system, storage, models }: Deps) => ({
  name: 'Rivulet',
  version: system.version,
  commit: system.commit,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  store: storage.kind,
  defaultModel: models.model.defaultModelId(),
  features: system.features(),
});

/** Settings as they are in effect; of what is a secret, whether there is one. */
function settingsOf({ adminKey, secret, providers, mongoUri, redisUrl, smtpUrl, qdrant, ...plain }: Config): object {
  const given = (value: unknown) => (value === null || value === undefined ? 'not set' : 'set');
  const { openai, anthropic, google, ollama } = providers;
  const provider = ({ apiKey, baseUrl }: { apiKey: string | null; baseUrl: string | null }) => ({
    keyOfProvider: given(apiKey),
    baseUrl,
  });
  return {
    ...plain,
    administratorsKey: given(adminKey),
    secretOfServer: given(secret),
    mongoDb: given(mongoUri),
    redis: given(redisUrl),
    smtp: given(smtpUrl),
    qdrant: qdrant && { url: qdrant.url, prefix: qdrant.prefix, keyOfQdrant: given(qdrant.apiKey) },
    providers: { openai: provider(openai), anthropic: provider(anthropic), google: provider(google), ollama },
  };
}

/** How many things of each kind were made so far, by the numbers that were given: counting what is there would read it all. */
async function countsOf({ storage: { db, auth } }: Deps): Promise<object> {
  const series = await db.collection(countersCollection).find({}).toArray();
  const [tenants, users, identities] = [auth.tenants, auth.users, auth.identities];
  return {
    tenants: await tenants.countDocuments(),
    users: await users.countDocuments(),
    identities: await identities.countDocuments(),
    numbersGiven: Object.fromEntries(series.map(({ _id, next }) => [_id, next - 1])),
  };
}

/** This node, and those that have written to the log within the hour. */
async function nodesOf({ storage, nodeId, clock }: Deps): Promise<object[]> {
  const lately = { last: { $gte: new Date(clock.now() - hourMs) } };
  const chunks = await storage.db
    .collection(logChunks)
    .find(lately, { projection: { nodeId: 1, host: 1, last: 1 }, sort: { last: -1 }, limit: 1000 })
    .toArray();
  const seen = new Map<string, object>();
  for (const one of chunks)
    if (!seen.has(one.nodeId)) seen.set(one.nodeId, { nodeId: one.nodeId, host: one.host, lastLineAtUtc: one.last });
  const memory = processMemory();
  const own = { host: hostname(), uptimeSeconds: Math.round(process.uptime()), memory };
  seen.set(nodeId, { ...seen.get(nodeId), nodeId, ...own, cpu: process.cpuUsage() });
  return [...seen.values()];
}
