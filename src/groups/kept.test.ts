// What the compiler refuses of a resource, and what its handlers do that keepers alone do not.
import { expect, it, onTestFinished } from 'vitest';
import { adminKey, createAuthWorld } from '../../test/support/auth-world.ts';
import type { Caller } from '../contract/caller.ts';
import { crud } from '../contract/crud.ts';
import { named } from '../contract/named.ts';
import { group, implement } from '../contract/operation.ts';
import { settings } from '../contract/settings.ts';
import { dateTime, dto, int32, int64, string } from '../contract/types.ts';
import { Fault } from '../kernel/fault.ts';
import { createKeeper, type Keeper } from '../ports/keeper.ts';
import { type KeptDoc, record, type Stored } from '../ports/record.ts';
import { createSettings, type Settings, settingsRecord } from '../ports/settings.ts';
import { shown } from '../ports/shown.ts';
import { noQuery, paging, request } from './agent/testing/world.ts';
import { kept, keptAs } from './kept.ts';
import { settingsAs } from './kept-settings.ts';

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

const BulbDto = dto('BulbDto', { id: int64, lampId: int64, lumens: int32, createdAtUtc: dateTime });
const bulbRecord = record<Stored<(typeof BulbDto)['_output']>>('bulbs', {
  noun: 'bulb',
  list: 'GET /api/lamps/{lampId}/bulbs',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
});
const ShadeDto = dto('ShadeDto', { colour: string, updatedAtUtc: dateTime.nullable() });
const shades = settingsRecord('shades', { noun: 'shade', defaults: { colour: 'white' } });
const access = { read: 'TasksRead', write: 'TasksWrite' } as const;
const ofBulbs = {
  ...access,
  noun: 'bulb',
  dto: BulbDto,
  sorts: ['id'],
  filters: {},
  create: { lumens: int32 },
  patch: { lumens: int32.optional() },
} as const;
const fitted = group(
  'Lamps',
  { id: 'Fitted', base: '/api/lamps', doc: 'Lamps with what belongs to them.' },
  {
    ...named('Bulb', crud({ ...ofBulbs, at: '/{lampId}/bulbs', one: '/{lampId}/bulbs/{bulbId}' })),
    ...named(
      'Shade',
      settings({
        ...access,
        noun: 'shade',
        at: '/{lampId}/shade',
        dto: ShadeDto,
        fields: { colour: string.nullish() },
      }),
    ),
  },
);
interface HutDoc extends KeptDoc {
  projectId: number | null;
}
const hutRecord = record<HutDoc>('huts', {
  noun: 'hut',
  list: 'GET /api/huts',
  order: 'id',
  inProject: true,
  lacks: ['guid', 'updatedAt'],
});
const huts = group(
  'Huts',
  { base: '/api/huts', doc: 'Huts in projects, and their bulbs.' },
  named('Bulb', crud({ ...ofBulbs, at: '/{lampId}/bulbs', one: '/bulbs/{id}' })),
);
const hutsService = implement(huts, ({ huts: keeper, bulbs }: { huts: Keeper<HutDoc>; bulbs: Fitted['bulbs'] }) =>
  keptAs(huts, 'Bulb', bulbs, {
    below: { param: 'lampId', parent: (caller: Caller, id: number) => keeper.get(caller, id) },
    show: (bulb) => shown(BulbDto, bulb),
    draft: ({ lumens }, _, { _id }) => ({ lampId: _id, lumens }),
    change: ({ lumens }, old) => ({ lumens: lumens ?? old.lumens }),
  }),
);
type Fitted = { keeper: Keeper<LampDoc>; bulbs: Keeper<Stored<(typeof BulbDto)['_output']>>; shade: Settings<Shade> };
type Shade = { colour: string };
const fittedService = implement(fitted, ({ keeper, bulbs, shade }: Fitted) => {
  const lamp = (caller: Caller, id: number) => keeper.get(caller, id);
  return {
    ...keptAs(fitted, 'Bulb', bulbs, {
      below: { param: 'lampId', parent: lamp },
      show: (bulb) => shown(BulbDto, bulb),
      draft: ({ lumens }, _, { _id, watts }) => {
        if (lumens > watts * 100) throw new Fault('VALIDATION_FAILED', 'Too bright.', { hint: 'Take less.' });
        return { lampId: _id, lumens };
      },
      change: ({ lumens }, old) => ({ lumens: lumens ?? old.lumens }),
    }),
    ...settingsAs(fitted, 'Shade', shade, {
      owner: async (caller, { lampId }) => (await lamp(caller, lampId as number))._id,
      show: (one) => shown(ShadeDto, one),
    }),
  };
});

it('answers resources below another one and settings of it, under names of their own', async () => {
  const world = await createAuthWorld([lampRecord.spec, bulbRecord.spec, shades.spec]);
  onTestFinished(() => world.close());
  await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const keeper = createKeeper(lampRecord, world);
  const { handlers } = fittedService({
    keeper,
    bulbs: createKeeper(bulbRecord, world),
    shade: createSettings(shades, world),
  });
  const [attic, cellar] = [
    await keeper.insert(caller, { room: 'Attic', watts: 3, ownerId: null }),
    await keeper.insert(caller, { room: 'Cellar', watts: 3, ownerId: null }),
  ];
  const below = (lampId: number) => ({ ...noQuery, caller, params: { lampId } });
  const bulb = await handlers.createBulb({ ...below(attic._id), body: { lumens: 200 } });
  expect(bulb).toMatchObject({ lampId: attic._id, lumens: 200 });
  const list = (lampId: number) => handlers.listBulbs({ ...below(lampId), body: undefined, query: { ...paging } });
  expect((await list(attic._id)).items).toEqual([bulb]);
  expect((await list(cellar._id)).items).toEqual([]);
  // Neither a lamp that is not there nor a bulb of another lamp is found.
  const missing = { code: 'NOT_FOUND' };
  const at = (lampId: number) => ({ ...below(lampId), params: { lampId, bulbId: bulb.id } });
  for (const work of [
    () => handlers.createBulb({ ...below(999), body: { lumens: 1 } }),
    () => list(999),
    () => handlers.getBulb({ ...at(cellar._id), body: undefined }),
    () => handlers.patchBulb({ ...at(cellar._id), body: { lumens: 1 } }),
    () => handlers.removeBulb({ ...at(cellar._id), body: undefined }),
    () => handlers.getShade({ ...below(999), body: undefined }),
    () => handlers.replaceShade({ ...below(999), body: {} }),
  ])
    await expect((async () => work())()).rejects.toMatchObject(missing);
  await expect(handlers.createBulb({ ...below(attic._id), body: { lumens: 301 } })).rejects.toThrow('Too bright');
  expect(await handlers.patchBulb({ ...at(attic._id), body: { lumens: 9 } })).toMatchObject({ lumens: 9 });
  expect(await handlers.removeBulb({ ...at(attic._id), body: undefined })).toBeNull();
  const shade = () => handlers.getShade({ ...below(attic._id), body: undefined });
  expect(await shade()).toEqual({ colour: 'white', updatedAtUtc: null });
  await handlers.replaceShade({ ...below(attic._id), body: { colour: 'red' } });
  expect(await shade()).toEqual({ colour: 'red', updatedAtUtc: expect.any(String) });
  await handlers.replaceShade({ ...below(attic._id), body: {} });
  expect(await shade()).toMatchObject({ colour: 'white' });
});

it('is hidden by a parent that is not there for the caller, also where the path does not name it', async () => {
  const world = await createAuthWorld([hutRecord.spec, bulbRecord.spec]);
  onTestFinished(() => world.close());
  await world.boot({ adminKey });
  const admin = await world.authenticator.fromToken(adminKey, '::1');
  const rights = (hidden: number[], readOnly: number[]) =>
    ({ ...admin, projects: { hidden: new Set(hidden), readOnly: new Set(readOnly), changing: false } }) as Caller;
  const huts = createKeeper(hutRecord, world);
  const { handlers } = hutsService({ huts, bulbs: createKeeper(bulbRecord, world) });
  const hut = await huts.insert(admin, { projectId: 7 });
  const below = (caller: Caller) => ({ ...noQuery, caller, params: { lampId: hut._id } });
  const bulb = await handlers.createBulb({ ...below(admin), body: { lumens: 9 } });
  const one = (caller: Caller) => ({ ...noQuery, caller, params: { id: bulb.id } });
  const outcomes = async (caller: Caller) => {
    const codes: string[] = [];
    for (const work of [
      () => handlers.getBulb({ ...one(caller), body: undefined }),
      () => handlers.createBulb({ ...below(caller), body: { lumens: 1 } }),
      () => handlers.patchBulb({ ...one(caller), body: { lumens: 1 } }),
      () => handlers.removeBulb({ ...one(caller), body: undefined }),
    ])
      codes.push(
        await (async () => work())().then(
          () => 'done',
          (fault: Fault) => fault.code,
        ),
      );
    return codes;
  };
  const unseen = async () => handlers.getBulb({ ...one(rights([7], [])), body: undefined });
  await expect(unseen()).rejects.toThrow(`There is no bulb ${bulb.id}.`);
  expect(await outcomes(rights([7], []))).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
  expect(await outcomes(rights([], [7]))).toEqual(['done', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  expect(await outcomes(admin)).toEqual(['done', 'done', 'done', 'done']);
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
