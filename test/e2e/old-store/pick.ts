// Picks one document of each kind, with those that it names, from the folder of a stopped server of an earlier version:
// `npx tsx test/e2e/old-store/pick.ts <folder> <file.json.gz>`. Servers of that version are filled by its own samples
// (test/support/pathless-samples.ts), or by hand. Works on a copy of the folder.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import type { Entity } from '../../../src/ports/db.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { packDocument } from './packed.ts';

type Fields = Entity & Record<string, unknown>;

/** Kept whole: what a store of that version is known by. */
const whole = new Set(['migrations', 'counters', 'tenants']);
/** Logs, streams, and what would be at work at the start. */
const isLeftOut = (name: string) =>
  /^(stream|log|support|idempotency|agenda|migration_)|_deliveries$|^agent_nodes$|^server_state$/.test(name);
const isAtWork = ({ status, state }: Fields) => /Running|Queued|Pending|Waiting|Streaming/.test(`${status} ${state}`);

/** What would act by itself. */
const acting = new Set(['agent_routines', 'webhooks', 'channels', 'log_subscriptions']);
const switchedOff = (one: Fields): Fields => {
  const off = ['enabled', 'isEnabled'].filter((field) => field in one).map((field) => [field, false]);
  return { ...one, ...Object.fromEntries(off) };
};

/** Collections that a field's name speaks of. */
const named: Readonly<Record<string, string>> = {
  ...{ identityId: 'identities', otherIdentityId: 'identities', userId: 'users', projectId: 'projects' },
  ...{ runId: 'agent_runs', rootRunId: 'agent_trees', docId: 'docs', threadId: 'message_threads' },
  ...{ sessionId: 'chat_sessions', chatSessionId: 'chat_sessions', connectorId: 'connectors' },
  ...{ providerId: 'ai_providers', datasetId: 'training_datasets', importId: 'imports', messageId: 'messages' },
  ...{ routineId: 'agent_routines', workspaceId: 'workspaces', experimentId: 'experiments' },
};

const [source = '', target = ''] = process.argv.slice(2);
const copy = mkdtempSync(join(tmpdir(), 'rivulet-pick-'));
cpSync(source, copy, { recursive: true });
const db = openEmbeddedDb({ folder: copy, clock: systemClock, logger: silentLogger });
const picked = new Map<string, Map<unknown, Fields>>();

function add(name: string, document: Fields): Fields[] {
  const some = picked.get(name) ?? new Map<unknown, Fields>();
  picked.set(name, some);
  if (some.has(document._id)) return [];
  some.set(document._id, acting.has(name) ? switchedOff(document) : document);
  return [document];
}

async function mentioned(document: Fields): Promise<Fields[]> {
  const found: Fields[] = [];
  for (const [field, name] of Object.entries(named)) {
    const id = document[field];
    const one = typeof id === 'number' ? await db.collection<Fields>(name).findOne({ _id: id }) : null;
    if (one && !isAtWork(one)) found.push(...add(name, one));
  }
  return found;
}

for (const { name } of (await db.figures()).collections) {
  if (isLeftOut(name)) continue;
  const all = (await db.collection<Fields>(name).find({}).toArray()).filter((one) => !isAtWork(one));
  const size = (one: Fields) => Object.values(one).filter((value) => value !== null).length;
  const fullest = all.toSorted((one, other) => size(other) - size(one))[0];
  let fresh = whole.has(name) ? all.flatMap((one) => add(name, one)) : fullest ? add(name, fullest) : [];
  while (fresh.length > 0) fresh = (await Promise.all(fresh.map(mentioned))).flat();
}
await db.close();
const documents = Object.fromEntries([...picked].map(([name, some]) => [name, [...some.values()].map(packDocument)]));
const secret = readFileSync(join(source, 'secret'), 'utf8').trim();
rmSync(copy, { recursive: true });
const text = JSON.stringify({ secret, documents }).replaceAll(source, '/var/lib/rivulet');
writeFileSync(target, gzipSync(text, { level: 9 }));
console.log(`${Object.values(documents).flat().length} documents of ${picked.size} collections`);
