// Kept details of runs against details that are read anew, on the real store and engine.
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEngine } from '../../../../runtime/engine.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { EscalationRecord } from '../../../../runtime/state/escalation.ts';
import { createScriptedModel } from '../../../../runtime/testing/scripted-model.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import type { Db } from '../../../ports/db.ts';
import { runCollections } from '../../../stores/runs/collections.ts';
import { createRunStore } from '../../../stores/runs/run-store.ts';
import { detailCounts } from '../../../wiring/detail-counts.ts';
import { type ChatSessionDoc, chatSpecs } from '../../chat/documents.ts';
import { newSession } from '../../chat/sessions.ts';
import { createFeedback, feedbackSpec } from '../feedback/feedback.ts';
import { createNotes, noteSpec } from '../notes/notes.ts';
import { createAgentWorld } from '../testing/world.ts';
import { detailText, readDetail } from './detail.ts';
import { createDetailParts } from './detail-parts.ts';
import { createDetailTexts } from './detail-texts.ts';

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

async function setUp() {
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
  const fresh = (run: RunRecord) => readDetail(run, { engine, store, detail, gather: db.gather });
  const textOf = createDetailTexts({
    viewVersion: engine.viewVersion,
    counts: detailCounts(world.db),
    read: async (run) => {
      reads++;
      return fresh(run);
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
    read,
    root,
    child,
    kept,
    fresh: async (id: number) => detailText(await fresh(await runOf(id))),
    reads: () => reads,
  };
}
type World = Awaited<ReturnType<typeof setUp>>;

/** What may happen to what a detail shows; each to one of the two runs. */
const writes: Record<string, (world: World, runId: number, salt: number) => Promise<unknown>> = {
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

it('a kept detail is always the one that is read anew, whatever is written and whoever reads meanwhile', async () => {
  const world = await setUp();
  const both = [world.root.id, world.child.id];
  const step = fc.record({
    write: fc.constantFrom(...Object.keys(writes)),
    run: fc.constantFrom(...both),
    salt: fc.nat(50),
    early: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { write, run, salt, early } of steps) {
        const writing = writes[write]!(world, run, salt);
        // What is read while a write is under way is kept, too.
        if (early) await Promise.all(both.map((id) => world.kept(id)));
        await writing;
        for (const id of both) expect(await world.kept(id)).toBe(await world.fresh(id));
      }
    }),
    { numRuns: 25 },
  );
});

it('a detail is read once while nothing changes, and anew after each write that shows', async () => {
  const world = await setUp();
  const { root } = world;
  // One that is asked for once is not kept.
  await world.kept(root.id);
  for (const write of Object.keys(writes)) {
    const before = await world.kept(root.id);
    const reads = world.reads();
    expect(await world.kept(root.id)).toBe(before);
    expect(world.reads()).toBe(reads);
    await writes[write]!(world, root.id, 60);
    expect([write, await world.kept(root.id)]).not.toEqual([write, before]);
    expect(world.reads()).toBe(reads + 1);
  }
});

it('a detail reads no collection whose writes are not counted', async () => {
  const world = await setUp();
  for (const write of Object.keys(writes)) await writes[write]!(world, world.root.id, 1);
  const counted = new Set<string>();
  detailCounts({
    changes: ({ name }) => {
      counted.add(name);
      return () => 0;
    },
  });
  world.read.clear();
  await world.fresh(world.root.id);
  // The run and its tree are known by their versions, and mailboxes by an inbox of its own store.
  const known = new Set([...counted, 'agent_trees', 'agent_tree_members', 'agent_run_items']);
  expect([...world.read].filter((name) => !known.has(name))).toEqual([]);
  expect(world.read.size).toBeGreaterThan(5);
});

it('what belongs to a run is read by one statement, and its children by another', async () => {
  const world = await setUp();
  for (const write of ['note', 'rate', 'escalate', 'checkpoint', 'talk'])
    await writes[write]!(world, world.child.id, 1);
  const { file } = world.world.db;
  const spies = [vi.spyOn(file, 'get'), vi.spyOn(file, 'all')];
  const statements = () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  const detail = JSON.parse(await world.fresh(world.child.id));
  expect(detail).toMatchObject({ notes: [{}], feedback: [{}], escalations: [{}], childRuns: [] });
  expect(statements()).toBe(1);
  await world.store.runs.update(world.child.id, (now) => ({
    set: { status: 'Completed', publishedSeq: now.eventCount },
  }));
  expect(await world.store.runs.packEvents(world.child.id)).toBe(detail.recentEvents.length);
  for (const spy of spies) spy.mockClear();
  // Where its events are packed, too.
  expect(JSON.parse(await world.fresh(world.child.id)).recentEvents).toEqual(detail.recentEvents);
  expect(statements()).toBe(1);
  const { childRuns } = JSON.parse(await world.fresh(world.root.id));
  expect(statements()).toBe(3);
  const child = (await world.store.runs.get(world.child.id)) as RunRecord;
  expect(childRuns).toEqual(await world.engine.views([child]));
});
