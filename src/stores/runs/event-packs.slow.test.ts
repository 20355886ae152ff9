// A log that is packed answers as the same log in rows, whatever happens meanwhile.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { EventQuery } from '../../../runtime/ports.ts';
import { runRecord } from '../../../runtime/testing/samples.ts';
import { openTestDb, openWorldDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { judgePlans, recordStatements } from '../../../test/support/query-plans.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Collection, Db, Entity } from '../../ports/db.ts';
import type { EmbeddedDb } from '../embedded/db.ts';
import { createIds } from '../ids.ts';
import * as spec from './collections.ts';
import { eventsIn, packSpan, packsOf } from './event-packs.ts';
import { dictionaries } from './pack-dictionary.ts';
import { createRunStore } from './run-store.ts';

async function open() {
  const { db, close } = await openWorldDb(new SimulatedClock(), spec.runCollections);
  onTestFinished(close);
  return db;
}

const storeOn = (db: Db) => createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
const runsOf = (db: Db) => storeOn(db).runs;
/** As MongoDB does: a document a write, and each read at its own time. */
const apart = ({ together: _, gather: _g, ...db }: Db): Db => db;

const types = ['ToolCallStarted', 'ToolCallCompleted', 'NoteAdded', 'Log'] as const;
const levels = ['Debug', 'Information', 'Warning', 'Error'] as const;

function eventOf(runId: number, seq: number, more: Partial<spec.EventDocument> = {}): spec.EventDocument {
  const of = { tenantId: 1, runId, rootRunId: runId, parentRunId: null, seq, type: types[seq % 3]!, iteration: 1 };
  const costs = { promptTokens: null, completionTokens: null, costUsd: null, durationMs: null };
  return {
    ...{
      _id: 100_000 * runId + seq,
      guid: `guid ${seq}`,
      ...of,
      level: 'Information',
      title: `“${seq}”`,
      message: null,
    },
    ...{ toolName: null, toolCallId: null, modelId: null, ...costs, payloadJson: null, createdAt: 1000 + seq, ...more },
  };
}

const through = (count: number, runId = 1) => Array.from({ length: count }, (_, at) => eventOf(runId, at + 1));

/** A run that has ended, with these events in rows. */
async function addRun(db: Db, id: number, events: readonly spec.EventDocument[] = []): Promise<void> {
  const { id: _id, ...run } = runRecord({ id, status: 'Completed' });
  await db.collection(spec.runs).insertOne({ _id, ...run, outbox: null, dirty: false } as spec.RunDocument);
  await tell(db, id, events);
}

/** More events of a run, and that they are told. */
async function tell(db: Db, id: number, events: readonly spec.EventDocument[]): Promise<void> {
  if (events.length === 0) return;
  const eventCount = events.at(-1)!.seq;
  await db.collection(spec.events).insertMany(events);
  await db.collection(spec.runs).updateOne({ _id: id }, { $set: { eventCount, publishedSeq: eventCount } });
}

const rowsIn = (db: Db) => db.collection(spec.events).countDocuments({});
const packsIn = (db: Db) =>
  db
    .collection(spec.eventPacks)
    .find({}, { sort: { runId: 1, last: 1 } })
    .toArray();

/** The Db with one method of a collection in the place of its own. */
function replaced<T extends Entity>(db: Db, { name }: { name: string }, change: (inner: Collection<T>) => object): Db {
  const own = db.collection<T>(name);
  const other = { ...own, ...change(own) };
  return {
    ...db,
    collection: (source) =>
      (typeof source === 'string' ? source : source.name) === name ? other : db.collection(source as never),
  } as Db;
}

const someQuery: fc.Arbitrary<EventQuery> = fc
  .record({
    afterSeq: fc.option(fc.nat(300), { nil: undefined }),
    beforeSeq: fc.option(fc.nat(300), { nil: undefined }),
    types: fc.option(fc.uniqueArray(fc.constantFrom(...types, 'RunFailed' as const), { maxLength: 3 }), {
      nil: undefined,
    }),
    minLevel: fc.option(fc.constantFrom(...levels, 'Critical' as const), { nil: undefined }),
    descending: fc.boolean(),
    limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 400 })),
  })
  .map((query) => JSON.parse(JSON.stringify(query)));

const someEvent = fc.record({
  type: fc.constantFrom(...types),
  level: fc.constantFrom(...levels, 'Information', 'Information'),
  title: fc.string({ unit: 'grapheme', maxLength: 5 }),
  message: fc.constantFrom(null, '', '\u0001d5', 'long '.repeat(5000)),
  movedTo: fc.constantFrom(undefined, undefined, 'Running'),
});

const someLog = fc.array(
  fc.record({
    /** Numbers that no event has. */
    gap: fc.constantFrom(0, 0, 0, 1, 100),
    events: fc.oneof(
      fc.array(someEvent, { maxLength: 4 }),
      fc.array(someEvent, { minLength: 50, maxLength: 90, size: 'max' }),
    ),
    packed: fc.boolean(),
    apart: fc.boolean(),
    /** Every so many of the rows are there again, as a crash or a stale writer leaves them. */
    again: fc.constantFrom(0, 0, 1, 3),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Turns of the event loop that others have while some work is done. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await work();
  isOver = true;
  return turns;
}

it('a packed log answers every query as the same log in rows, also when more follows', async () => {
  const [plain, db] = [await open(), await open()];
  let runId = 0;
  await fc.assert(
    fc.asyncProperty(someLog, fc.array(someQuery, { minLength: 4, maxLength: 8 }), async (log, queries) => {
      const id = ++runId;
      for (const each of [plain, db]) await addRun(each, id);
      let seq = 0;
      for (const part of log) {
        seq += part.gap;
        const events = part.events.map((event) => eventOf(id, ++seq, JSON.parse(JSON.stringify(event))));
        for (const each of [plain, db]) await tell(each, id, events);
        if (part.packed) await runsOf(part.apart ? apart(db) : db).packEvents(id);
        const back = part.packed && part.again > 0 ? events.filter((event) => event.seq % part.again === 0) : [];
        if (back.length > 0) await db.collection(spec.events).insertMany(back);
      }
      for (const query of [...queries, { limit: 1000 }])
        for (const on of [db, apart(db)]) {
          expect(await runsOf(on).events(id, query)).toEqual(await runsOf(plain).events(id, query));
          expect(await runsOf(on).eventTexts(id, query)).toBe(await runsOf(plain).eventTexts(id, query));
        }
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

it('packs hold so many numbers and so many characters at most, unless an event alone is longer', async () => {
  const long = 'x'.repeat(30_000);
  const events = [...through(130), ...[140, 141, 142].map((seq) => eventOf(1, seq, { message: long }))];
  const packs = await packsOf([...events, eventOf(1, 143, { message: long.repeat(5) }), eventOf(1, 300)]);
  expect(packs.map(({ _id, last }) => [_id - 100_000, last])).toEqual([
    [1, 64],
    [65, 128],
    [129, 141],
    [142, 142],
    [143, 143],
    [300, 300],
  ]);
  expect(packs.flatMap(eventsIn).slice(0, events.length)).toEqual(events);
  for (const pack of packs) {
    const numbers = eventsIn(pack).map(({ seq }) => seq);
    expect(numbers.at(-1)! - numbers[0]!).toBeLessThan(packSpan);
  }
});

it('dictionaries stay what they were: packs can be read with their own only', async () => {
  const sums = dictionaries.map((one) => createHash('sha256').update(one).digest('hex').slice(0, 16));
  expect(sums).toEqual(['4dec4887c52dcf37']);
  const [pack] = await packsOf(through(3));
  expect(() => eventsIn({ ...pack!, dictionary: 99 })).toThrow('packed by a newer version');
});

it('a log of many events is packed some hundreds at a time, and others have their turn between', async () => {
  const db = await open();
  await addRun(db, 1, through(2000));
  const writes: number[] = [];
  const counted: Db = {
    ...db,
    async together(work) {
      const before = await rowsIn(db);
      const result = await db.together!(work);
      writes.push(before - (await rowsIn(db)));
      return result;
    },
  };
  const turns = await turnsDuring(async () => expect(await runsOf(counted).packEvents(1)).toBe(2000));
  expect(Math.max(...writes)).toBeLessThanOrEqual(256);
  expect(writes.reduce((sum, count) => sum + count)).toBe(2000);
  expect(turns).toBeGreaterThanOrEqual(writes.length);
  expect(await packsIn(db)).toHaveLength(32);
});

it('a page of a long log unpacks what it shows, and of types that are not there nothing', async () => {
  const db = await open();
  await addRun(db, 1);
  const log = through(100 * packSpan);
  const packs = await packsOf(log);
  const shown = new Set([0, 49, 50, 99]);
  const broken = packs.map((pack, at) => (shown.has(at) ? pack : { ...pack, body: 'broken' }));
  await db.collection(spec.eventPacks).insertMany(broken);
  const { events, eventTexts } = runsOf(db);
  const seqs = async (query: EventQuery) => (await events(1, query)).map(({ seq }) => seq);
  expect(await seqs({ limit: 3 })).toEqual([1, 2, 3]);
  expect(await seqs({ limit: 2, descending: true })).toEqual([6400, 6399]);
  expect(await seqs({ limit: 2, afterSeq: 3200 })).toEqual([3201, 3202]);
  expect(await seqs({ limit: 2, beforeSeq: 3202, descending: true })).toEqual([3201, 3200]);
  const turns = await turnsDuring(async () => {
    expect(await seqs({ limit: 1000, types: ['RunFailed'] })).toEqual([]);
    expect(await eventTexts(1, { limit: 1000, minLevel: 'Error', descending: true })).toBe('[]');
  });
  expect(turns).toBeGreaterThan(10);
  await expect(seqs({ limit: 1000 })).rejects.toThrow();
});

it('what a crash between packs and rows leaves is read once, and is packed to the end', async () => {
  const db = await open();
  await addRun(db, 1, through(300));
  const before = await runsOf(db).eventTexts(1, { limit: 1000 });
  const dying = replaced(apart(db), spec.events, () => ({
    deleteMany: async () => {
      throw new Error('killed');
    },
  }));
  await expect(runsOf(dying).packEvents(1)).rejects.toThrow('killed');
  const packs = await packsIn(db);
  expect([await rowsIn(db), packs.length]).toEqual([300, 4]);
  for (const on of [db, apart(db)]) expect(await runsOf(on).eventTexts(1, { limit: 1000 })).toBe(before);
  for (const packed of [44, 0]) {
    expect(await runsOf(apart(db)).packEvents(1)).toBe(packed);
    expect(await rowsIn(db)).toBe(0);
    expect((await packsIn(db)).slice(0, 4)).toEqual(packs);
    expect(await runsOf(db).eventTexts(1, { limit: 1000 })).toBe(before);
  }
});

it('rows that another process packs first are left to it', async () => {
  const db = await open();
  await addRun(db, 1, through(100));
  const slow = replaced<spec.EventPackDocument>(apart(db), spec.eventPacks, (inner) => ({
    insertMany: async (made: spec.EventPackDocument[]) => {
      // The other one knows of more, which these packs do not hold.
      await tell(db, 1, [eventOf(1, 101)]);
      expect(await runsOf(apart(db)).packEvents(1)).toBe(101);
      return inner.insertMany(made);
    },
  }));
  expect(await runsOf(slow).packEvents(1)).toBe(0);
  expect((await runsOf(db).events(1, { limit: 1000 })).map(({ seq }) => seq)).toEqual(
    through(101).map(({ seq }) => seq),
  );
  expect((await packsIn(db)).flatMap(eventsIn)).toHaveLength(101);
});

it('an event that is packed while its run is read is in the answer', async () => {
  const db = await open();
  await addRun(db, 1, through(100));
  for (const when of ['before the rows', 'after the rows', 'after the packs']) {
    let isDue = true;
    const pack = async (at: string) => {
      if (when !== at || !isDue) return;
      isDue = false;
      await runsOf(apart(db)).packEvents(1);
    };
    const during = (name: string, before: string, after: string) => (inner: Collection<Entity>) => ({
      find: (...asked: Parameters<typeof inner.find>) => ({
        toArray: async () => {
          await pack(before);
          const found = await inner.find(...asked).toArray();
          await pack(after);
          return found;
        },
      }),
      name,
    });
    const slow = replaced(
      replaced(apart(db), spec.events, during('rows', 'before the rows', 'after the rows')),
      spec.eventPacks,
      during('packs', 'after the rows', 'after the packs'),
    );
    expect([when, await runsOf(slow).events(1, { limit: 1000 })]).toHaveProperty('1.length', 100);
    expect(isDue).toBe(false);
    // As it was, for the next one.
    await db.collection(spec.eventPacks).deleteMany({});
    await db.collection(spec.events).deleteMany({});
    await tell(db, 1, through(100));
  }
});

it.each(['together', 'apart'])('a run that is removed while it is packed leaves no pack: %s', async (how) => {
  const db = await open();
  await addRun(db, 1, through(100));
  const on = how === 'together' ? db : apart(db);
  const removing = async () => {
    await runsOf(on).remove(1);
  };
  const slow: Db = replaced<spec.EventPackDocument>(
    {
      ...on,
      ...(on.together && {
        together: async (work) => {
          await removing();
          const made = on.together!(work);
          await made.catch(() => undefined);
          // Not for a moment, in which the process could end.
          expect(await packsIn(db)).toEqual([]);
          return made;
        },
      }),
    },
    spec.eventPacks,
    (inner) => ({
      insertMany: async (made: spec.EventPackDocument[]) => {
        await removing();
        return inner.insertMany(made);
      },
    }),
  );
  await runsOf(slow).packEvents(1);
  expect([await packsIn(db), await rowsIn(db)]).toEqual([[], 0]);
});

it('packed events are gone from the store with their run', async () => {
  const db = await open();
  for (const id of [1, 2]) await addRun(db, id, through(70, id));
  for (const id of [1, 2]) await runsOf(db).packEvents(id);
  await runsOf(db).remove(1);
  expect((await packsIn(db)).map(({ runId }) => runId)).toEqual([2, 2]);
});

it('a run is packed when nothing is in its outbox, from where rows could come again', async () => {
  const db = await open();
  const { runs, drain } = storeOn(apart(db));
  const events = [
    { type: 'RunCreated', title: 'made' },
    { type: 'RunCompleted', title: 'done' },
  ] as const;
  await runs.insert(runRecord({ id: 1, status: 'Completed', publishedSeq: 2 }), { events: [...events] });
  expect(await runsOf(db).packEvents(1)).toBe(0);
  await drain();
  const setDirty = (dirty: boolean) => db.collection(spec.runs).updateOne({ _id: 1 }, { $set: { dirty } });
  await setDirty(true);
  expect([await rowsIn(db), await runsOf(db).packEvents(1)]).toEqual([2, 0]);
  await setDirty(false);
  expect(await runsOf(db).packEvents(1)).toBe(2);
});

it('finds rows and packs by their indexes, and reads them in one statement', async () => {
  const folder = temporaryFolder();
  const db: EmbeddedDb = openTestDb(folder);
  await db.ensureIndexes(spec.runCollections);
  const recorded = recordStatements();
  for (const id of [1, 2, 3]) await addRun(db, id, through(400, id));
  for (const id of [1, 2]) await runsOf(db).packEvents(id);
  const { events, remove } = runsOf(db);
  for (const descending of [false, true])
    for (const query of [{}, { afterSeq: 5 }, { beforeSeq: 9 }, { types: [...types] }, { minLevel: 'Error' as const }])
      for (const id of [1, 3]) await events(id, { ...query, descending, limit: 300 });
  const get = vi.spyOn(db.file, 'get');
  const all = vi.spyOn(db.file, 'all');
  await runsOf(db).eventTexts(2, { limit: 100, descending: true });
  // One looks for the outbox.
  expect(get.mock.calls.length + all.mock.calls.length).toBe(2);
  await remove(1);
  recorded.stop();
  const own = [...recorded.statements].filter((sql) => sql.includes('d_agent_event_packs'));
  expect(own.length).toBeGreaterThan(4);
  expect(judgePlans(join(folder, 'rivulet.db'), recorded.statements)).toEqual([]);
});
