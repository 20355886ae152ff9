// Runs whose details are read while everything that they show is written, on the real store and engine.
import { onTestFinished } from 'vitest';
import { createEngine } from '../../../../runtime/engine.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { EscalationRecord } from '../../../../runtime/state/escalation.ts';
import { createScriptedModel } from '../../../../runtime/testing/scripted-model.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import type { Db } from '../../../ports/db.ts';
import { runCollections } from '../../../stores/runs/collections.ts';
import { createRunStore } from '../../../stores/runs/run-store.ts';
import { detailCounts } from '../../../wiring/run-details.ts';
import { type ChatSessionDoc, chatSpecs } from '../../chat/documents.ts';
import { newSession } from '../../chat/sessions.ts';
import { createFeedback, feedbackSpec } from '../feedback/feedback.ts';
import { createNotes, noteSpec } from '../notes/notes.ts';
import { detailText, readDetail } from '../runs/detail.ts';
import { createDetailParts } from '../runs/detail-parts.ts';
import { createDetailTexts } from '../runs/detail-texts.ts';
import { createAgentWorld } from './world.ts';

const collections = [noteSpec, feedbackSpec, ...chatSpecs, ...runCollections];

/** A Db that notes which collections are read. */
function watched(db: Db, read: Set<string>): Db {
  return {
    ...db,
    collection(source) {
      const inner = db.collection(source as never);
      const noted = (name: 'find' | 'findOne' | 'countDocuments' | 'aggregate') => ({
        [name]: (...asked: never[]) => {
          read.add(inner.collectionName);
          return (inner[name] as (...asked: never[]) => unknown)(...asked);
        },
      });
      return { ...inner, ...noted('find'), ...noted('findOne'), ...noted('countDocuments'), ...noted('aggregate') };
    },
  } as Db;
}

/** A run and its child, and all by which their details are read. */
export async function createDetailWorld() {
  const world = await createAgentWorld(collections);
  const { ids, clock, tenantId, caller, inbox } = world;
  const read = new Set<string>();
  const db = watched(world.db, read);
  const store = createRunStore({ db, ids, logger: silentLogger, clock, alone: true });
  const notes = createNotes({ ...world, db });
  const feedback = createFeedback({ ...world, db, runs: runCollections[0] as never });
  const sessions = world.db.collection(chatSpecs[0]);
  const newest = async (run: RunRecord) => {
    const found = await db
      .collection(chatSpecs[0])
      .findOne({ tenantId: run.tenantId, aboutRunId: run.id }, { sort: { _id: -1 } });
    return found?._id ?? null;
  };
  const engine = createEngine(
    {
      store,
      sink: { publish: () => undefined },
      model: createScriptedModel(clock, () => ({ text: 'Done.' })),
      clock,
      log: silentLogger,
      ids: { next: (kind) => ids.next(kind) },
    },
    { soleOwner: true },
  );
  onTestFinished(async () => {
    await engine.shutdown(0);
    await store.drain();
    await world.close();
  });
  const { escalations } = store;
  const detail = createDetailParts({ chats: { newest }, notes, feedback, inbox, escalations });
  let reads = 0;
  const anew = (run: RunRecord) => readDetail(run, { engine, store, detail, gather: db.gather });
  const textOf = createDetailTexts({
    viewVersion: engine.viewVersion,
    counts: detailCounts(world.db),
    read: async (run) => {
      reads++;
      return anew(run);
    },
  });
  const root = await engine.create({
    tenantId,
    identityId: world.administrator._id,
    role: 'worker',
    goal: 'Count the stars',
  });
  const child = await engine.spawn(root.id, { goal: 'Count half of them' });
  const runOf = async (id: number) => (await store.runs.get(id)) as RunRecord;
  const kept = async (id: number) => textOf(await runOf(id), 'whole', (one) => one);
  return {
    world,
    engine,
    store,
    notes,
    feedback,
    sessions,
    inbox,
    caller,
    tenantId,
    ids,
    clock,
    /** Names of the collections that were read. */
    read,
    root,
    child,
    kept,
    /** The parts of a detail, from the store. */
    detail: anew,
    fresh: async (id: number) => detailText(await anew(await runOf(id))),
    reads: () => reads,
  };
}
export type DetailWorld = Awaited<ReturnType<typeof createDetailWorld>>;

/** What may happen to what a detail shows; each to one of the two runs. */
export const detailWrites: Record<string, (world: DetailWorld, runId: number, salt: number) => Promise<unknown>> = {
  note: ({ notes, tenantId }, runId, salt) =>
    notes.add({ tenantId, runId, taskId: null, type: 'Finding', content: `Found ${salt}`, key: null }),
  removeNotes: ({ world, tenantId }, runId) => world.db.collection(noteSpec).deleteMany({ tenantId, runId }),
  rate: ({ feedback, caller }, runId, salt) =>
    feedback.insert(
      caller,
      feedback.draft({
        runId,
        rating: salt % 2 ? 'Good' : 'Poor',
        notes: `${salt}`,
        ratedBy: null,
        ratedByUserId: null,
      }),
    ),
  escalate: async ({ store, ids, tenantId }, runId, salt) =>
    store.escalations.insert({
      id: await ids.next('escalation'),
      version: 1,
      runId,
      tenantId,
      situation: `May I do ${salt}?`,
      status: 'Open',
      timeoutAt: null,
      resolvedAt: null,
      createdAt: salt,
    } as EscalationRecord),
  resolve: async ({ store }, runId) => {
    const open = (await store.escalations.ofRun(runId)).find((one) => one.status === 'Open');
    if (open) await store.escalations.update(open.id, () => ({ status: 'Resolved', resolvedAt: 1 }));
  },
  message: ({ inbox, world, tenantId }, runId, salt) => {
    const me = world.administrator._id;
    return inbox.send({ tenantId, senderId: me, recipientIds: [me], content: `Hello ${salt}`, runId, anyway: true });
  },
  readAll: ({ inbox, world, tenantId }) => inbox.markRead({ tenantId, identityId: world.administrator._id }),
  unread: async ({ inbox, world, tenantId }, runId) => {
    const identityId = world.administrator._id;
    const found = await inbox.messages(tenantId).find({ runId }).toArray();
    await inbox.markUnread({ tenantId, identityId, messageIds: found.map((one) => one._id) });
  },
  event: ({ engine }, runId, salt) =>
    engine.addEvents(runId, [{ type: 'NoteAdded', title: `${salt}`, message: null } as never]),
  checkpoint: ({ store, tenantId }, runId, salt) =>
    store.checkpoints.save({
      id: `${runId}-${salt}`,
      runId,
      tenantId,
      iteration: salt,
      status: 'Pending',
      tokensUsed: 0,
      costUsd: 0,
      summary: `${salt}`,
      commitSha: null,
      sizeBytes: 0,
      messageCount: salt,
      createdAt: salt,
    } as never),
  patch: ({ engine }, runId, salt) => engine.patch(runId, { goal: `Count ${salt} stars` }),
  pool: ({ engine }, runId, salt) => engine.changePool(runId, { addTokens: 1 + salt } as never),
  spawn: ({ engine }, runId, salt) => engine.spawn(runId, { goal: `A part, ${salt}` }),
  talk: async ({ sessions, caller, ids, clock }, runId) => {
    const { id, ...session } = newSession(caller, await ids.next('chat_sessions'), clock.now());
    await sessions.insertOne({ ...session, _id: id, aboutRunId: runId, deletedAt: null } as ChatSessionDoc);
  },
  endTalk: ({ sessions }, runId) => sessions.deleteOne({ aboutRunId: runId }),
};
