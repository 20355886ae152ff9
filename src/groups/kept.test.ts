// What the compiler refuses of a resource, and what its handlers do that keepers alone do not.
import { expect, it, onTestFinished } from 'vitest';
import { adminKey, createAuthWorld } from '../auth/testing/world.ts';
import { crud } from '../contract/crud.ts';
import { group, implement } from '../contract/operation.ts';
import { dateTime, dto, int32, int64, string } from '../contract/types.ts';
import { Fault } from '../kernel/fault.ts';
import { createKeeper, type Keeper } from '../ports/keeper.ts';
import { record, type Stored } from '../ports/record.ts';
import { shown } from '../ports/shown.ts';
import { noQuery, paging, request } from './agent/testing/world.ts';
import { kept } from './kept.ts';

const LampDto = dto('LampDto', { id: int64, room: string, watts: int32, brightness: string, createdAtUtc: dateTime });
interface LampDoc extends Stored<Omit<(typeof LampDto)['_output'], 'brightness'>> {
  ownerId: number | null;
}
const lampRecord = record<LampDoc>('lamps', {
  noun: 'lamp',
  list: 'GET /api/lamps',
  order: 'room',
  search: ['room'],
  lacks: ['guid', 'updatedAt'],
});
const about = {
  noun: 'lamp',
  dto: LampDto,
  read: 'TasksRead',
  write: 'TasksWrite',
  sorts: ['room', 'watts'],
  filters: { q: string.optional(), minWatts: int32.optional() },
  create: { room: string, watts: int32 },
  patch: { watts: int32.optional() },
} as const;
const declared = crud(about);
const lamps = group('Lamps', { base: '/api/lamps', doc: 'Lamps.' }, declared);

const show = (lamp: LampDoc) => shown(LampDto, lamp, { brightness: lamp.watts > 10 ? 'bright' : 'dim' });
const lampsService = implement(lamps, ({ keeper }: { keeper: Keeper<LampDoc> }) =>
  kept(lamps, keeper, {
    show,
    draft: ({ room, watts }, { identityId }) => ({ room, watts, ownerId: identityId }),
    change: ({ watts }, old) => ({ watts: watts ?? old.watts }),
    mayRead: ({ identityId }) => ({ ownerId: identityId }),
    mayWrite: (lamp, _, how) => {
      if (how === 'remove' && lamp.watts > 100) throw new Fault('IN_USE', 'It is hot.', { hint: 'Wait.' });
    },
    filters: { minWatts: (least: number) => ({ watts: { $gte: least } }) },
  }),
);

it('answers the five operations by the rules of the group', async () => {
  const world = await createAuthWorld([lampRecord.spec]);
  onTestFinished(() => world.close());
  await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const { handlers } = lampsService({ keeper: createKeeper(lampRecord, world) });
  const base = { ...noQuery, params: {}, caller };
  const dim = await handlers.create({ ...base, body: { room: 'Attic', watts: 3 } });
  expect(dim).toEqual({ id: dim.id, room: 'Attic', watts: 3, brightness: 'dim', createdAtUtc: expect.any(String) });
  const one = { ...base, params: { id: dim.id }, body: undefined };
  expect(await handlers.patch({ ...one, body: { watts: 200 } })).toMatchObject({ brightness: 'bright' });
  const list = (query: object) =>
    handlers.list({ params: {}, body: undefined, caller, request, query: { ...paging, ...query } });
  expect(await list({ minWatts: 100 })).toMatchObject({ totalCount: 1, items: [{ id: dim.id }] });
  expect(await list({ q: 'cellar' })).toMatchObject({ totalCount: 0, items: [] });
  await expect(handlers.remove(one)).rejects.toMatchObject({ code: 'IN_USE' });
  await handlers.patch({ ...one, body: { watts: 1 } });
  // Somebody who may not read it finds nothing to read, change or remove.
  const other = { ...one, caller: { ...caller, identityId: 999 } };
  for (const work of [
    () => handlers.get(other),
    () => handlers.patch({ ...other, body: { watts: 2 } }),
    () => handlers.remove(other),
  ])
    await expect((async () => work())()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await handlers.remove(one)).toBeNull();
  await expect((async () => handlers.get(one))()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('is refused by the compiler where something is missing or wrong', () => {
  const keeper = {} as Keeper<LampDoc>;
  const rules = { show, draft: () => ({ room: '', watts: 1, ownerId: null }), change: () => ({}) };
  // @ts-expect-error no rule says how one is changed
  kept(lamps, keeper, { show, draft: rules.draft });
  // @ts-expect-error a draft lacks a field of the document
  kept(lamps, keeper, { ...rules, draft: () => ({ room: '' }) });
  // @ts-expect-error the body of create has no such field
  kept(lamps, keeper, { ...rules, draft: ({ colour }) => ({ room: colour, watts: 1, ownerId: null }) });
  // @ts-expect-error what is shown is no LampDto
  kept(lamps, keeper, { ...rules, show: (lamp: LampDoc) => ({ id: lamp._id }) });
  // @ts-expect-error brightness cannot be derived from the document
  expect(() => shown(LampDto, {} as LampDoc, {})).not.toThrow();
  // @ts-expect-error there is no such permission
  crud({ ...about, read: 'LampsRead' });
  const more = { ...declared, dim: declared.get };
  const larger = group('Lamps', { base: '/api/lamps', doc: 'Lamps.' }, more);
  // @ts-expect-error an operation beyond the usual ones has no handler
  implement(larger, () => kept(larger, keeper, rules));
});
