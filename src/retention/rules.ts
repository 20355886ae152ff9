// What is kept for how long, by kind, and what goes with it: runs, chats, messages, the ledger of model calls.
import type { Engine } from '../../runtime/engine.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import type { Config } from '../config.ts';
import { feedbackSpec } from '../groups/agent/feedback/feedback.ts';
import { noteSpec } from '../groups/agent/notes/notes.ts';
import { taskSpec } from '../groups/agent/tasks/tasks.ts';
import { chatMessageSpec, chatSessionSpec } from '../groups/chat/documents.ts';
import { entrySpec, messageSpec, threadSpec } from '../groups/messages/documents.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Signer } from '../kernel/signer.ts';
import { callSpec } from '../ports/ai-router.ts';
import type { Collection, CollectionSpec, Db, Entity, Filter } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import * as runSpecs from '../stores/runs/collections.ts';
import { streamEvents, streamTopics } from '../stream/log/db-event-store.ts';
import { topicKey } from '../stream/log/topics.ts';
import { deleteInBatches } from './batches.ts';
import { createRetention, type RetentionRule } from './retention.ts';
import { rulesOfTenants } from './tenants.ts';

interface Deps {
  db: Db;
  engine: Pick<Engine, 'remove'>;
  config: Pick<Config, 'kept'>;
  clock: Clock;
  log: Logger;
  nodeId: string;
  policies: Pick<Policies, 'of'>;
  ids: Ids;
  signer: Signer;
}

/** Documents that one step looks at. */
const step = 50;

export function openRetention({ db, ids, signer, policies, engine, config: { kept }, clock, log, nodeId }: Deps) {
  const rules: RetentionRule[] = [
    { name: 'runs', keptMs: kept.runsMs, prune: (before) => pruneRuns(db, engine, before) },
    { name: 'chats', keptMs: kept.chatsMs, prune: (before) => pruneChats(db, before) },
    { name: 'messages', keptMs: kept.messagesMs, prune: (before) => pruneMessages(db, before) },
    { name: 'model calls', keptMs: kept.callsMs, prune: (before) => pruneByDate(db, callSpec, before) },
    ...rulesOfTenants({ db, ids, clock, signer, policies }, (before, tenantId) => pruneChats(db, before, tenantId)),
  ];
  return createRetention({ db, clock, log, nodeId, rules });
}

/** All documents in order of their ids, some at a time; ids grow with time, nearly. */
async function* pagesOf<T extends Entity>(
  collection: Collection<T>,
  filter: Filter<T>,
): AsyncGenerator<T[], void, void> {
  for (let after: T['_id'] | null = null; ; ) {
    const range = after === null ? {} : { _id: { $gt: after } };
    const page: T[] = await collection
      .find({ ...filter, ...range } as Filter<T>, { sort: { _id: 1 } as never, limit: step })
      .toArray();
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last._id;
  }
}

/** A tree goes as a whole, when all of its runs ended that long ago. What waits or is paused stays. */
async function* pruneRuns(db: Db, engine: Deps['engine'], before: number): AsyncGenerator<number> {
  const runs = db.collection(runSpecs.runs);
  const isOld = (run: Pick<runSpecs.RunDocument, 'status' | 'updatedAt'>) =>
    hasEnded(run.status) && run.updatedAt < before;
  for await (const roots of pagesOf(runs, { parentRunId: null })) {
    const ids = roots.filter(isOld).map(({ _id }) => _id);
    const projection = { rootRunId: 1, status: 1, updatedAt: 1, spawnDepth: 1, tenantId: 1 } as const;
    const members = await runs.find({ rootRunId: { $in: ids } }, { projection }).toArray();
    const young = new Set(members.filter((run) => !isOld(run)).map(({ rootRunId }) => rootRunId));
    const old = members.filter(({ rootRunId }) => !young.has(rootRunId));
    // The deepest first, so that a crash leaves a tree and never runs without their root.
    old.sort((a, b) => b.spawnDepth - a.spawnDepth);
    for (let from = 0; from < old.length; from += step) {
      const some = old.slice(from, from + step);
      await removeRuns(db, engine, some);
      yield some.length;
    }
    const gone = ids.filter((id) => !young.has(id));
    await deleteInBatches(db.collection(runSpecs.treeMembers), { treeId: { $in: gone } });
    await db.collection(runSpecs.trees).deleteMany({ _id: { $in: gone } });
    yield 0;
    // Younger roots follow: ids of several nodes overlap by less than a page.
    if (roots.every((root) => root.createdAt >= before)) return;
  }
}

type Hanging = CollectionSpec<Entity & { runId: number; tenantId?: number }>;
const withTenant = [noteSpec, taskSpec, feedbackSpec] as unknown as Hanging[];
const withoutTenant = [
  runSpecs.events,
  runSpecs.messages,
  runSpecs.toolCalls,
  runSpecs.checkpoints,
  runSpecs.escalations,
  runSpecs.councils,
] as unknown as Hanging[];

/** Deletes the documents that belong to runs, but not their streams. */
export async function removeParts(db: Db, runs: readonly { _id: number; tenantId: number }[]): Promise<void> {
  const ids = runs.map(({ _id }) => _id);
  for (const tenantId of new Set(runs.map((run) => run.tenantId)))
    for (const spec of withTenant)
      await deleteInBatches(db.collection(spec), { tenantId, runId: { $in: ids } } as never);
  for (const spec of withoutTenant) await deleteInBatches(db.collection(spec), { runId: { $in: ids } } as never);
}

/** Runs with all that hangs on them; the runs themselves last, so that what a crash leaves is found again. */
async function removeRuns(
  db: Db,
  engine: Deps['engine'],
  runs: readonly { _id: number; tenantId: number }[],
): Promise<void> {
  const ids = runs.map(({ _id }) => _id);
  await removeParts(db, runs);
  await removeTopics(
    db,
    runs.flatMap(({ _id, tenantId }) => [`run:${_id}`, `run-tree:${_id}`].map((topic) => topicKey(tenantId, topic))),
  );
  // Concurrent writes share one commit.
  await Promise.all(ids.map((id) => engine.remove(id)));
}

async function removeTopics(db: Db, keys: readonly string[]): Promise<void> {
  const events = db.collection(streamEvents);
  await Promise.all(keys.map((key) => deleteInBatches(events, { _id: { $gt: `${key}|`, $lt: `${key}|~` } })));
  await deleteInBatches(db.collection(streamTopics), { _id: { $in: keys } });
}

/** Chats that nobody touched for that long; what is pinned stays. */
async function* pruneChats(db: Db, before: number, tenantId?: number): AsyncGenerator<number> {
  const sessions = db.collection(chatSessionSpec);
  const messages = db.collection(chatMessageSpec);
  const own = tenantId === undefined ? {} : { tenantId };
  const old = { ...own, updatedAt: { $lt: before }, generation: null, isPinned: false };
  for (let removed = 1; removed > 0; ) {
    const page = await sessions.find(old, { sort: { updatedAt: 1 }, limit: step }).toArray();
    removed = 0;
    for (const tenantId of new Set(page.map((session) => session.tenantId))) {
      const ids = page.filter((session) => session.tenantId === tenantId).map(({ _id }) => _id);
      await deleteInBatches(messages, { tenantId, sessionId: { $in: ids } });
      await deleteInBatches(db.collection(runSpecs.councils), { chatSessionId: { $in: ids } });
      const keys = ids.map((id) => topicKey(tenantId, `chat:${id}`));
      await removeTopics(db, keys);
      removed += await deleteInBatches(sessions, { _id: { $in: ids }, updatedAt: { $lt: before } });
    }
    yield removed;
  }
}

/** Messages by their age, with what lies of them in mailboxes; a thread goes with its last message. */
async function* pruneMessages(db: Db, before: number): AsyncGenerator<number> {
  const messages = db.collection(messageSpec);
  const threads = db.collection(threadSpec);
  for await (const page of pagesOf(messages, {})) {
    const old = page.filter((message) => message.createdAt.getTime() < before);
    for (const tenantId of new Set(old.map((message) => message.tenantId))) {
      const ids = old.filter((message) => message.tenantId === tenantId).map(({ _id }) => _id);
      await deleteInBatches(db.collection(entrySpec), { tenantId, messageId: { $in: ids } });
    }
    await messages.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    yield old.length;
    if (old.length === 0) break;
  }
  for await (const page of pagesOf(threads, { lastMessageAt: { $lt: new Date(before) } })) {
    for (const { _id, tenantId } of page) {
      const isEmpty = !(await messages.findOne({ tenantId, threadId: _id }));
      if (isEmpty) await threads.deleteOne({ _id, lastMessageAt: { $lt: new Date(before) } });
    }
    yield 0;
  }
}

/** Documents of their own, by the Date of their creation, which their ids follow. */
async function* pruneByDate<T extends Entity & { createdAt: Date }>(
  db: Db,
  spec: CollectionSpec<T>,
  before: number,
): AsyncGenerator<number> {
  const collection = db.collection(spec);
  for await (const page of pagesOf(collection, {} as Filter<T>)) {
    const old = page.filter((one) => one.createdAt.getTime() < before);
    await collection.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } } as unknown as Filter<T>);
    yield old.length;
    if (old.length === 0) return;
  }
}
