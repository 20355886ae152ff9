// The contract of keepers, on any store: what every resource's list, get, insert, change and remove hold to.
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { Caller } from '../../../src/contract/caller.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { digestOf, watchWrites } from '../../../src/ports/audit.ts';
import type { Db } from '../../../src/ports/db.ts';
import { type Change, createKeeper, type Keeper } from '../../../src/ports/keeper.ts';
import { carriedOutOnce } from '../../../src/ports/once.ts';
import { record } from '../../../src/ports/record.ts';
import { createSettings, settingsRecord } from '../../../src/ports/settings.ts';
import type { Tenanted } from '../../../src/ports/tenanted.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { withOwnDocuments } from '../../../src/stores/own-documents.ts';
import { type Deviations, testsWith } from '../known.ts';

interface RuleDoc extends Tenanted {
  _id: number;
  guid: string;
  name: string;
  nameKey: string;
  text: string | null;
  status: 'Open' | 'Closed';
  weight: number;
  tags: string[];
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}
interface MarkDoc extends Tenanted {
  _id: number;
  text: string;
  createdAt: Date;
}

const rules = record<RuleDoc>('contract_rules', {
  noun: 'rule',
  list: 'GET /api/rules',
  order: '-createdAtUtc',
  search: ['name', 'text'],
  uniqueName: true,
  softDelete: true,
  indexes: [{ keys: { tenantId: 1, createdAt: -1 } }],
});
const marks = record<MarkDoc>('contract_marks', {
  noun: 'mark',
  list: 'GET /api/marks',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
});

const manners = settingsRecord('contract_manners', {
  noun: 'manners',
  defaults: { tone: 'plain', traits: [] as string[], limit: null as number | null },
});

interface Setting {
  name: string;
  open(): Promise<{ db: Db; close(): Promise<void> }>;
  deviations?: Deviations;
}

export function keeperContract({ name, open, deviations }: Setting) {
  const it = testsWith(deviations);
  describe(`keepers on ${name}`, () => {
    let store: Awaited<ReturnType<typeof open>>;
    let db: Db;
    const clock = new SimulatedClock(systemClock.now());
    /** A tenant of its own for each test. */
    let by = { tenantId: 0 };
    let keeper: Keeper<RuleDoc>;
    let plain: Keeper<MarkDoc>;
    let told: Change<RuleDoc>[];
    beforeAll(async () => {
      store = await open();
      db = withOwnDocuments(store.db);
      await db.ensureIndexes([rules.spec, marks.spec, manners.spec]);
    });
    afterAll(() => store.close());
    beforeEach(() => {
      by = { tenantId: by.tenantId + 2 };
      told = [];
      const ids = createIds({ db });
      keeper = createKeeper(rules, { db, ids, clock, told: (change) => void told.push(change) });
      plain = createKeeper(marks, { db, ids, clock });
    });

    const draft = (more: Partial<RuleDoc> = {}) => {
      const base = { name: 'First', text: null, status: 'Open', weight: 1, tags: [] } as const;
      return { ...base, tags: [...base.tags], ...more };
    };
    const names = async (query: object, options: Parameters<typeof keeper.page>[2] = {}) =>
      (await keeper.page(by, { page: 1, pageSize: 10, ...query }, options)).items.map((rule) => rule.name);

    it('fill in ids, guid, times and the key of the name, and find what they wrote', async () => {
      const made = await keeper.insert(by, draft({ name: 'Keep Left' }));
      expect(made).toMatchObject({ ...by, nameKey: 'keep left', deletedAt: null, guid: expect.stringMatching(/-/) });
      expect(made.createdAt).toEqual(new Date(clock.now()));
      expect(made.updatedAt).toEqual(made.createdAt);
      expect(await keeper.get(by, made._id)).toEqual(made);
      expect(await keeper.findByName(by, 'KEEP LEFT')).toEqual(made);
      expect(Object.keys(await plain.insert(by, { text: 'x' })).sort()).toEqual(
        ['_id', 'createdAt', 'tenantId', 'text'].sort(),
      );
    });

    it('say what is missing, and where a list of it is', async () => {
      const work = keeper.get(by, 999_999);
      await expect(work).rejects.toMatchObject({ code: 'NOT_FOUND', hint: 'List them with GET /api/rules.' });
      await expect(keeper.change(by, 999_999, { weight: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(keeper.remove(by, 999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await keeper.find(by, 999_999)).toBeNull();
    });

    it('show nothing of another tenant, and change nothing there', async () => {
      const { _id } = await keeper.insert(by, draft());
      const other = { tenantId: by.tenantId + 1 };
      for (const work of [
        () => keeper.get(other, _id),
        () => keeper.change(other, _id, { weight: 2 }),
        () => keeper.remove(other, _id),
      ])
        await expect(work()).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await keeper.page(other, { page: 1, pageSize: 10 })).totalCount).toBe(0);
      await keeper.insert(other, draft());
      expect((await keeper.get(by, _id)).weight).toBe(1);
    });

    it('page by filters, text and sort, and count what matches', async () => {
      for (const [index, text] of ['red apple', 'green pear', 'red pear', null].entries())
        await keeper.insert(by, draft({ name: `R${index}`, text, weight: index, tags: [index % 2 ? 'odd' : 'even'] }));
      await clock.advance(1000);
      await keeper.insert(by, draft({ name: 'Later', status: 'Closed', weight: 9 }));
      expect((await names({}))[0]).toBe('Later');
      expect(await names({ sort: 'weight' })).toEqual(['R0', 'R1', 'R2', 'R3', 'Later']);
      expect(await names({ sort: '-weight', pageSize: 2, page: 2 })).toEqual(['R2', 'R1']);
      expect(await names({ sort: 'weight', q: 'RED' })).toEqual(['R0', 'R2']);
      expect(await names({ sort: 'weight', q: 'later' })).toEqual(['Later']);
      expect(await names({ status: 'Closed' })).toEqual(['Later']);
      expect(await names({ sort: 'weight', status: ['Open', 'Closed'], q: 'pear' })).toEqual(['R1', 'R2']);
      const filters = {
        minWeight: (least: number) => ({ weight: { $gte: least } }),
        tag: (tags: string) => ({ tags }),
      };
      expect(await names({ sort: 'weight', minWeight: 2, tag: 'even' }, { filters })).toEqual(['R2']);
      expect(await names({ sort: 'weight', minWeight: 1 }, { filters, within: { weight: { $lt: 3 } } })).toEqual([
        'R1',
        'R2',
      ]);
      expect((await keeper.page(by, { page: 1, pageSize: 1, q: 'pear' })).totalCount).toBe(2);
    });

    it('take a name once, whatever its case, and name it', async () => {
      const first = await keeper.insert(by, draft());
      const taken = { code: 'DUPLICATE', message: 'There is already a rule named "FIRST".' };
      await expect(keeper.insert(by, draft({ name: 'FIRST' }))).rejects.toMatchObject(taken);
      const second = await keeper.insert(by, draft({ name: 'Second' }));
      await expect(keeper.change(by, second._id, { name: 'FIRST' })).rejects.toMatchObject(taken);
      expect(await keeper.change(by, first._id, { name: 'FIRST' })).toMatchObject({ name: 'FIRST', nameKey: 'first' });
    });

    it('change what is named, note the time, and tell before and after', async () => {
      const made = await keeper.insert(by, draft());
      await clock.advance(1000);
      const changed = await keeper.change(by, made._id, { weight: 5 });
      expect(changed).toEqual({ ...made, weight: 5, updatedAt: new Date(clock.now()) });
      expect(told).toMatchObject([
        { how: 'created', before: null, by },
        { how: 'changed', before: { weight: 1 }, doc: { weight: 5 }, by },
      ]);
    });

    it('write and tell nothing of a change without fields, unless it says that it touches', async () => {
      const made = await keeper.insert(by, draft());
      await clock.advance(1000);
      expect(await keeper.change(by, made._id, {})).toEqual(made);
      expect(await keeper.change(by, made._id, () => ({}), { expecting: ['weight'] })).toEqual(made);
      expect(await keeper.get(by, made._id)).toEqual(made);
      expect(told).toHaveLength(1);
      const touched = { ...made, updatedAt: new Date(clock.now()) };
      expect(await keeper.change(by, made._id, {}, { touches: true })).toEqual(touched);
      expect(told).toMatchObject([{ how: 'created' }, { how: 'changed', doc: touched, before: made }]);
      await expect(keeper.change(by, 999_999, {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('work a change out again when what it looked at has changed meanwhile', async () => {
      const { _id } = await keeper.insert(by, draft());
      let looks = 0;
      const changed = await keeper.change(
        by,
        _id,
        async (old) => {
          if (looks++ === 0) await keeper.change(by, _id, { weight: 10 });
          return { weight: old.weight + 1 };
        },
        { expecting: ['weight'] },
      );
      expect({ looks, weight: changed.weight }).toEqual({ looks: 2, weight: 11 });
      const many = Array.from({ length: 8 }, () =>
        keeper.change(by, _id, (old) => ({ weight: old.weight + 1 }), { expecting: ['weight'] }),
      );
      await Promise.all(many);
      expect((await keeper.get(by, _id)).weight).toBe(19);
    });

    it('change nothing when the change is refused, or when it goes meanwhile', async () => {
      const { _id } = await keeper.insert(by, draft());
      const refuse = () => Promise.reject(new Error('no'));
      await expect(keeper.change(by, _id, refuse)).rejects.toThrow('no');
      const work = keeper.change(by, _id, async () => {
        await keeper.remove(by, _id);
        return { weight: 2 };
      });
      await expect(work).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('note what a request writes, with digests before and after, and nothing of others', async () => {
      const caller = { ...by, permissions: new Set() } as unknown as Caller;
      const request = watchWrites(caller);
      const other = watchWrites(caller);
      const { _id } = await keeper.insert(request.caller, draft());
      const before = await keeper.get(by, _id);
      const after = await keeper.change(request.caller, _id, { weight: 7, text: 'secret' });
      await keeper.change(by, _id, { weight: 8 });
      await keeper.remove(request.caller, _id);
      const about = { kind: 'rule', id: _id, name: 'First' };
      expect(request.writes).toMatchObject([
        { ...about, how: 'created', before: null, after: digestOf(before) },
        { ...about, how: 'changed', fields: ['text', 'weight'], before: digestOf(before), after: digestOf(after) },
        { ...about, how: 'removed', after: null },
      ]);
      expect(JSON.stringify(request.writes)).not.toContain('secret');
      expect(other.writes).toEqual([]);
    });

    it('hold settings of an owner, with defaults for what was never set', async () => {
      const settings = createSettings(manners, { db, clock });
      const other = { tenantId: by.tenantId + 1 };
      const owner = 1000 + by.tenantId;
      expect(await settings.get(by, owner)).toEqual({ tone: 'plain', traits: [], limit: null, updatedAt: null });
      const set = { tone: 'warm', traits: ['kind'], limit: null, updatedAt: new Date(clock.now()) };
      expect(await settings.replace(by, owner, { tone: 'warm', traits: ['kind'] })).toEqual(set);
      expect(await settings.get(by, owner)).toEqual(set);
      expect(await settings.get(other, owner)).toMatchObject({ tone: 'plain' });
      // What is left out goes back to its default, and a field that came later has one.
      expect(await settings.replace(by, owner, { limit: 3 })).toMatchObject({ tone: 'plain', limit: 3 });
      const later = settingsRecord('contract_manners', { noun: 'manners', defaults: { ...manners.defaults, more: 1 } });
      expect(await createSettings(later, { db, clock }).get(by, owner)).toMatchObject({ limit: 3, more: 1 });
      const { caller, writes } = watchWrites({ ...by, permissions: new Set() } as unknown as Caller);
      await settings.replace(caller, owner, {});
      await settings.remove(caller, owner);
      expect(writes).toMatchObject([
        { kind: 'manners', how: 'changed', id: owner, fields: expect.arrayContaining(['limit']) },
        { kind: 'manners', how: 'removed' },
      ]);
      expect(await settings.get(by, owner)).toMatchObject({ updatedAt: null });
    });

    it('remove softly: hidden everywhere, there for history, the name free again', async () => {
      const made = await keeper.insert(by, draft());
      await keeper.remove(by, made._id);
      await expect(keeper.get(by, made._id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(keeper.remove(by, made._id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await keeper.findByName(by, 'first')).toBeNull();
      expect(await names({})).toEqual([]);
      expect(await keeper.of(by.tenantId).findOne({ _id: made._id })).toMatchObject({ name: 'First' });
      expect((await keeper.insert(by, draft()))._id).not.toBe(made._id);
      expect(told.map(({ how }) => how)).toEqual(['created', 'removed', 'created']);
    });

    it('remove for good where nothing points to it, and tell a removal once', async () => {
      const { _id } = await plain.insert(by, { text: 'x' });
      await plain.remove(by, _id);
      expect(await plain.of(by.tenantId).findOne({ _id })).toBeNull();
      const made = await keeper.insert(by, draft());
      await Promise.allSettled([keeper.remove(by, made._id), keeper.remove(by, made._id)]);
      expect(told.filter(({ how }) => how === 'removed')).toHaveLength(1);
    });

    it('make one document of a request that is carried out twice', async () => {
      const taken = new Map<string, number>();
      let count = 0;
      const attempt = () => {
        let at = 0;
        return carriedOutOnce(
          {
            mark: 'm',
            repeated: count++ > 0,
            took: (id) => [...taken.values()].includes(id as number),
            id: async (series, allocate) => {
              const place = `${series} ${at++}`;
              const known = taken.get(place) ?? (await allocate());
              taken.set(place, known);
              return known;
            },
          },
          () => keeper.insert(by, draft()),
        );
      };
      const first = await attempt();
      expect(await attempt()).toEqual(first);
      expect((await keeper.page(by, { page: 1, pageSize: 10 })).totalCount).toBe(1);
    });
  });
}
