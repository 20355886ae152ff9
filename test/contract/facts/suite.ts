// The contract of facts, on any store: what holds when, who knew it when, and exactly one current value a key.
import '../../support/properties.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { createLedger, type Ledger } from '../../../src/memory/facts/ledger.ts';
import { createFactReading, type FactReading } from '../../../src/memory/facts/reading.ts';
import { factRecord, versionRecord } from '../../../src/memory/facts/records.ts';
import type { Collection, Db } from '../../../src/ports/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { withOwnDocuments } from '../../../src/stores/own-documents.ts';
import { createDocumentWords, wordSpec } from '../../../src/stores/words/documents.ts';
import { type Deviations, testsWith } from '../known.ts';
import { heldIn, type Said } from './model.ts';

interface Setting {
  name: string;
  open(): Promise<{ db: Db; close(): Promise<void> }>;
  deviations?: Deviations;
}

const by = { tenantId: 1 };
const projectId = 7;
const hour = 3_600_000;

/** What may be done to a key; times are hours from the first moment. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      value: fc.nat(5),
      from: fc.option(fc.nat(10)),
      lasts: fc.option(fc.integer({ min: 1, max: 5 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      which: fc.nat(),
      value: fc.option(fc.nat(5)),
      from: fc.option(fc.nat(10)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retract' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 5 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

export function factsContract({ name, open, deviations = {} }: Setting): void {
  const it = testsWith(deviations);
  let db: Db;
  let close: () => Promise<void>;
  let clock: SimulatedClock;
  let ledger: Ledger;
  let reading: FactReading;
  let number = 0;
  const freshKey = () => `key ${++number}`;
  const build = (over: Db = db) => {
    const words = createDocumentWords({ db: over });
    const made = createLedger({ db: over, ids: createIds({ db: over }), clock, words });
    return { ledger: made, reading: createFactReading({ ledger: made, words }) };
  };

  beforeAll(async () => {
    const store = await open();
    db = withOwnDocuments(store.db);
    close = store.close;
    await db.ensureIndexes([factRecord.spec, versionRecord.spec, wordSpec]);
    clock = new SimulatedClock(Date.UTC(2026, 0, 1));
    ({ ledger, reading } = build());
  });
  afterAll(() => close());

  const current = async (key: string) => {
    const fact = await ledger.find(by.tenantId, projectId, key);
    return fact?.isCurrent ? fact.value : null;
  };

  describe(`facts on ${name}`, () => {
    it('end what held when something new is said, and give late news an end of its own', async () => {
      const key = freshKey();
      const start = clock.now();
      const at = (hours: number) => new Date(start + hours * hour);
      await ledger.assert(by, projectId, key, { value: 'one', validFrom: at(10) });
      await ledger.assert(by, projectId, key, { value: 'two', validFrom: at(20) });
      const { version } = await ledger.assert(by, projectId, key, { value: 'late', validFrom: at(5) });
      expect(version.validUntil).toEqual(at(10));
      await clock.advance(30 * hour);
      expect(await current(key)).toBe('two');
      const held = async (hours: number) =>
        (await reading.asOf(1, projectId, key, at(hours), null))?.version.value ?? null;
      expect(await Promise.all([4, 5, 10, 19, 20, 99].map(held))).toEqual([null, 'late', 'one', 'one', 'two', 'two']);
    });

    it('tell a correction from a change, and know what was known when', async () => {
      const key = freshKey();
      const { version: first } = await ledger.assert(by, projectId, key, { value: 'red' });
      const told = new Date(clock.now());
      await clock.advance(hour);
      await ledger.correct(by, first._id, { value: 'green' });
      await clock.advance(hour);
      await ledger.assert(by, projectId, key, { value: 'blue' });
      await clock.advance(hour);
      const known = async (at: Date, by: Date) =>
        (await reading.asOf(1, projectId, key, at, { recordedBy: by }))?.version.value;
      const now = new Date(clock.now());
      expect(await known(told, told)).toBe('red');
      expect(await known(told, now)).toBe('green');
      expect(await known(now, told)).toBe('red');
      expect(await known(now, now)).toBe('blue');
      const all = await reading.versionsOf((await ledger.find(1, projectId, key))!);
      expect(all.map(({ value, earlier }) => [value, earlier.length])).toEqual([
        ['green', 1],
        ['blue', 0],
      ]);
    });

    it('agree with a model in which nothing is worked out before it is asked for', async () => {
      // It stands beside every case, which must not see it.
      await ledger.assert(by, projectId, freshKey(), { value: 'beside' });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
          const key = await agree(steps);
          // FerretDB looks through all documents of a collection for each of the many reads of the next case.
          await db.collection(factRecord.spec).deleteMany({ key });
          await db.collection(versionRecord.spec).deleteMany({ key });
        }),
        { numRuns: 25 },
      );
    });

    it('have one current value a key, however many write at once', async () => {
      const key = freshKey();
      const writers = Array.from({ length: 3 }, () => build().ledger);
      const values = Array.from({ length: 12 }, (_, at) => `value ${at}`);
      const seen: number[] = [];
      await Promise.all([
        ...values.map((value, at) => writers[at % 3]?.assert(by, projectId, key, { value })),
        ...values.map(async () => seen.push(await ledger.facts(1).countDocuments({ projectId, key, isCurrent: true }))),
      ]);
      expect(Math.max(...seen)).toBeLessThanOrEqual(1);
      const fact = (await ledger.find(1, projectId, key))!;
      const all = await reading.versionsOf(fact);
      expect(all.map(({ value }) => value).sort()).toEqual([...values].sort());
      expect(new Set(all.map(({ seq }) => seq)).size).toBe(values.length);
      const open = all.filter(({ validUntil }) => validUntil === null);
      expect(open.map(({ _id }) => _id)).toEqual([fact.versionId]);
    });

    it('are whole after a writer died at any of its writes', async () => {
      for (let writes = 0; ; writes++) {
        const key = freshKey();
        await ledger.assert(by, projectId, key, { value: 'before' });
        await clock.advance(hour);
        const dying = build(dyingAfter(db, writes)).ledger;
        const died = await dying.assert(by, projectId, key, { value: 'after' }).then(
          () => false,
          () => true,
        );
        await clock.advance(hour);
        const value = await current(key);
        expect(['before', 'after']).toContain(value);
        const fact = (await ledger.find(1, projectId, key))!;
        const all = await reading.versionsOf(fact);
        expect(all.filter(({ validUntil }) => validUntil === null).map((one) => one.value)).toEqual([value]);
        // Said again it is there, once.
        await ledger.assert(by, projectId, key, { value: 'after' });
        const again = await reading.versionsOf(fact);
        expect(again.map((one) => one.value)).toEqual(['before', 'after']);
        if (!died) break;
        expect(writes).toBeLessThan(20);
      }
    });

    it('say the same once, and take a tool call that is repeated for one', async () => {
      const key = freshKey();
      const first = await ledger.assert(by, projectId, key, { value: 'a', onceKey: 'call 1' });
      expect((await ledger.assert(by, projectId, key, { value: 'a' })).how).toBe('known');
      await clock.advance(hour);
      await ledger.assert(by, projectId, key, { value: 'b', onceKey: 'call 2' });
      await clock.advance(hour);
      const again = await ledger.assert(by, projectId, key, { value: 'a', onceKey: 'call 1' });
      expect([again.how, again.version._id]).toEqual(['known', first.version._id]);
      expect(await current(key)).toBe('b');
    });

    it('are renamed with all their versions, to a key that is free', async () => {
      const [key, next, taken] = [freshKey(), freshKey(), freshKey()];
      const { version } = await ledger.assert(by, projectId, key, { value: 'x' });
      await ledger.assert(by, projectId, key, { value: 'y' });
      await ledger.assert(by, projectId, taken, { value: 'z' });
      await expect(ledger.correct(by, version._id, { key: taken })).rejects.toMatchObject({ code: 'DUPLICATE' });
      await ledger.correct(by, version._id, { key: next });
      expect(await ledger.find(1, projectId, key)).toBeNull();
      const fact = (await ledger.find(1, projectId, next))!;
      expect((await reading.versionsOf(fact)).map((one) => one.key)).toEqual([next, next]);
    });

    it('that an import stated otherwise are what they were, once it is taken back', async () => {
      const key = freshKey();
      await ledger.assert(by, projectId, key, { value: 'ours', category: 'place', importance: 3 });
      await clock.advance(hour);
      await ledger.assert(by, projectId, key, { value: 'ours', category: 'other', importance: 9, sourceImportId: 12 });
      expect(await ledger.unlearn(by, { sourceImportId: 12 })).toHaveLength(1);
      const fact = await ledger.find(1, projectId, key);
      expect(fact).toMatchObject({ value: 'ours', category: 'place', importance: 3, isCurrent: true });
      expect((await reading.versionsOf(fact!)).map(({ value }) => value)).toEqual(['ours']);
    });

    it('are taken back with all that a run wrote: what it had ended holds again', async () => {
      const key = freshKey();
      await ledger.assert(by, projectId, key, { value: 'ours' });
      await clock.advance(hour);
      await ledger.assert(by, projectId, key, { value: 'theirs', sourceRunId: 99 });
      expect(await current(key)).toBe('theirs');
      expect(await ledger.unlearn(by, { sourceRunId: 99 })).toHaveLength(1);
      expect(await current(key)).toBe('ours');
      expect(
        await reading.search({
          tenantId: 1,
          projectIds: [projectId],
          question: 'theirs',
          limit: 5,
          currentOnly: false,
        }),
      ).toEqual([]);
    });
  });

  /** Does the steps to a key of its own and to the model, and compares what they say at many moments of both times; the key. */
  async function agree(steps: readonly Step[]): Promise<string> {
    const key = freshKey();
    const start = clock.now();
    const log: Said[] = [];
    const ids: number[] = [];
    const moments = [start];
    for (const one of steps) {
      if (one.do === 'wait') await clock.advance(one.hours * hour);
      // Two writes never fall on one moment, as the model orders by them.
      await clock.advance(1000);
      const now = clock.now();
      if (one.do === 'say') {
        const from = one.from === null ? null : start + one.from * hour;
        const until = one.lasts === null ? null : (from ?? now) + one.lasts * hour;
        const { version, how } = await ledger.assert(by, projectId, key, {
          value: `v${one.value}`,
          ...(from !== null && { validFrom: new Date(from) }),
          ...(until !== null && { statedUntil: new Date(until) }),
        });
        if (!ids.includes(version._id)) ids.push(version._id);
        const known = log.findLast(({ id }) => id === version._id);
        const said = {
          id: version._id,
          value: version.value,
          recordedAt: now,
          until: version.statedUntil?.getTime() ?? null,
        };
        if (how === 'written') log.push({ ...said, from: known?.from ?? version.validFrom.getTime() });
      } else if (one.do !== 'wait') {
        const id = ids[one.which % Math.max(1, ids.length)];
        const last = log.findLast((said) => said.id === id);
        if (id === undefined || !last || last.value === null) continue;
        if (one.do === 'retract') {
          await ledger.retract(by, id);
          log.push({ ...last, value: null, recordedAt: now });
        } else {
          const from = one.from === null ? last.from : start + one.from * hour;
          if (last.until !== null && last.until <= from) continue;
          const value = one.value === null ? last.value : `v${one.value}`;
          await ledger.correct(by, id, { value, validFrom: new Date(from) });
          if (value !== last.value || from !== last.from) log.push({ ...last, value, from, recordedAt: now });
        }
      }
      moments.push(now);
    }
    const times = [...moments, ...[0, 3, 7, 11, 16, 22, 29, 45].map((hours) => start + hours * hour)];
    for (const at of times)
      for (const known of moments) {
        const found = await reading.asOf(1, projectId, key, new Date(at), { recordedBy: new Date(known) });
        const wanted = heldIn(log, at, known);
        const answered = found && {
          id: found.version._id,
          value: found.version.value,
          from: found.version.validFrom.getTime(),
          until: found.version.validUntil?.getTime() ?? null,
        };
        expect([at - start, known - start, answered]).toEqual([at - start, known - start, wanted]);
      }
    const now = clock.now();
    expect(await current(key)).toBe(heldIn(log, now, now)?.value ?? null);
    const fact = await ledger.find(1, projectId, key);
    for (const version of fact ? await reading.versionsOf(fact) : []) {
      if (version.retractedAt) continue;
      const middle = version.validFrom.getTime();
      const isEmpty = version.validUntil !== null && version.validUntil.getTime() <= middle;
      if (!isEmpty)
        expect(heldIn(log, middle, now)).toMatchObject({
          id: version._id,
          until: version.validUntil?.getTime() ?? null,
        });
    }
    return key;
  }
}

/** A store whose process dies after so many writes to facts. */
function dyingAfter(db: Db, writes: number): Db {
  let left = writes;
  const writing = new Set(['insertOne', 'replaceOne', 'updateOne', 'updateMany', 'findOneAndUpdate']);
  const wrap = (collection: Collection<never>) =>
    new Proxy(collection, {
      get(target, name: keyof Collection<never>) {
        const method = target[name] as unknown;
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          if (writing.has(name) && target.collectionName !== 'counters' && left-- <= 0)
            return Promise.reject(new Error('killed'));
          return method.apply(target, args) as unknown;
        };
      },
    });
  return { ...db, collection: (source: never) => wrap(db.collection(source)) } as unknown as Db;
}
