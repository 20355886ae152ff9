// Fills a store with runs and all that belongs to them, as a server that has lived for a while has them.
import { isLogAtRest } from '../../runtime/state/run.ts';
import { authCollections } from '../../src/auth/collections.ts';
import { feedbackSpec } from '../../src/groups/agent/feedback/feedback.ts';
import { noteSpec } from '../../src/groups/agent/notes/notes.ts';
import { chatMessageSpec, chatSessionSpec } from '../../src/groups/chat/documents.ts';
import { callSpec } from '../../src/ports/ai-router.ts';
import type { CollectionSpec, Db, Entity } from '../../src/ports/db.ts';
import { countersCollection } from '../../src/stores/ids.ts';
import * as spec from '../../src/stores/runs/collections.ts';
import { packsOf } from '../../src/stores/runs/event-packs.ts';
import { createDbEventStore } from '../../src/stream/log/db-event-store.ts';
import * as documents from './documents.ts';
import * as around from './documents-around.ts';
import { type Owner, ratedEvery } from './places.ts';

export interface Filling {
  db: Db;
  runs: number;
  /** When the newest run was created, ms since 1970; the others lie evenly in the days before. */
  until: number;
  days?: number;
  /** Events of each run that its stream holds too. */
  streamed?: number;
  /** Called from time to time with the number of runs written. */
  tell?: (written: number) => void;
}

/** Every fourth run is the root of a tree with three children. */
const treeSize = 4;
const batch = 200;
const dayMs = 86_400_000;

/**
 * Adds runs of the first tenant, which must be there, and returns their ids. Ids that the server gives later are larger.
 */
export async function fillStore({ db, runs, until, days = 30, streamed = 27, tell }: Filling): Promise<number[]> {
  const owner = await ownerOf(db);
  const first = await reserve(db, 'agent_runs', runs);
  const eventIds = await reserve(db, 'agent_events', 27 * runs);
  const callIds = await reserve(db, 'ai_calls', 3 * runs);
  const others = await reserve(db, 'agent_notes', runs);
  const feedbackIds = await reserve(db, 'agent_feedback', runs);
  const escalationIds = await reserve(db, 'agent_escalations', runs);
  const chatIds = await reserve(db, 'chat_sessions', runs);
  const chatMessageIds = await reserve(db, 'chat_messages', 4 * runs);
  const add = async <T extends Entity>(collection: CollectionSpec<T>, made: T[]) => {
    if (made.length > 0) await db.collection(collection).insertMany(made);
  };
  const stream = createDbEventStore(db);
  const step = (days * dayMs) / runs;
  for (let from = 0; from < runs; from += batch) {
    const places = Array.from({ length: Math.min(batch, runs - from) }, (_, offset) => {
      const at = from + offset;
      const root = at - (at % treeSize);
      const below = Array.from({ length: Math.min(treeSize, runs - root) - 1 }, (_, child) => first + root + 1 + child);
      const time = Math.floor(until - (runs - 1 - at) * step);
      return { ...owner, id: first + at, rootRunId: first + root, children: at === root ? below : [], at: time };
    });
    const made = places.map(documents.runDocument);
    const events = await eventsOf(made, ({ _id }) => eventIds + 27 * (_id - first));
    const some = (every: number) => made.filter((run) => run._id % every === 0);
    const numbered = <T>(list: spec.RunDocument[], base: number, make: (run: spec.RunDocument, id: number) => T) =>
      list.map((run) => make(run, base + run._id - first));
    const chats = places
      .filter(({ id }) => id % 10 === 0)
      .map(({ id, at }) => around.chatDocuments(owner, at, chatIds + id - first, chatMessageIds + 4 * (id - first)));
    const streams = made.map((run) => documents.streamEvents(run, streamed)).filter((events) => events.length > 0);
    await Promise.all([
      add(spec.runs, made),
      add(spec.trees, places.filter((one) => one.rootRunId === one.id).map(documents.treeDocument)),
      add(spec.events, events.rows),
      add(spec.eventPacks, events.packs),
      add(spec.messages, made.flatMap(documents.messageDocuments)),
      add(spec.toolCalls, made.flatMap(documents.toolCallDocuments)),
      add(spec.checkpoints, made.filter((run) => run.iterationsUsed > 0).map(documents.checkpointDocument)),
      add(
        callSpec,
        made.flatMap((run) => around.callDocuments(run, callIds + 3 * (run._id - first))),
      ),
      add(noteSpec, numbered(some(2), others, around.noteDocument)),
      add(feedbackSpec, numbered(some(ratedEvery), feedbackIds, around.feedbackDocument)),
      add(spec.escalations, numbered(some(50), escalationIds, around.escalationDocument)),
      add(
        chatSessionSpec,
        chats.map(({ session }) => session),
      ),
      add(
        chatMessageSpec,
        chats.flatMap(({ messages }) => messages),
      ),
      stream.append(
        streams.flat(),
        streams.map((events) => ({ key: events[0]!.key, gen: 1, head: events.length, dirty: false })),
      ),
    ]);
    tell?.(from + places.length);
  }
  return Array.from({ length: runs }, (_, at) => first + at);
}

/** Events of runs: in rows, or packed as those of runs that have ended. */
async function eventsOf(runs: readonly spec.RunDocument[], firstIdOf: (run: spec.RunDocument) => number) {
  const [rows, packs]: [spec.EventDocument[], spec.EventPackDocument[]] = [[], []];
  for (const run of runs) {
    const made = documents.eventDocuments(run, firstIdOf(run));
    if (isLogAtRest(run)) packs.push(...(await packsOf(made)));
    else rows.push(...made);
  }
  return { rows, packs };
}

/** The tenant and the person that a server makes at its first start. */
async function ownerOf(db: Db): Promise<Owner> {
  const [identity] = await authCollections(db)
    .identities.find({}, { sort: { _id: 1 }, limit: 1 })
    .toArray();
  if (!identity?.userId) throw new Error('No server has set this store up yet');
  return { tenantId: identity.tenantId, identityId: identity._id, userId: identity.userId };
}

/** The first of `count` numbers that nobody else gets. */
async function reserve(db: Db, series: string, count: number): Promise<number> {
  const counters = db.collection(countersCollection);
  await counters.updateOne({ _id: series }, { $setOnInsert: { next: 1 } }, { upsert: true });
  const after = await counters.findOneAndUpdate(
    { _id: series },
    { $inc: { next: count } },
    { returnDocument: 'after' },
  );
  return after!.next - count;
}
