// Finds the unit that work belongs to, from what is held in memory for a moment: each model call and each turn asks.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { createLru } from '../kernel/lru.ts';
import type { CollectionName, Db } from '../ports/db.ts';
import { collectionSpec } from '../ports/db.ts';
import type { OrgUnits, UnitAbove, UnitPath, UnitWork } from '../ports/org-units.ts';
import { perTenant, type Tenanted } from '../ports/tenanted.ts';
import { type OrgUnitDoc, orgUnitRecord } from './record.ts';
import { treeOf, type UnitTree } from './tree.ts';

/** How long another node's change may stay unseen, in ms. */
const cacheMs = 1000;
const kept = 10_000;

/** A project or an identity, as far as it belongs to a unit. */
interface Belonging extends Tenanted {
  _id: number;
  orgUnitId?: number | null;
}

export interface UnitsOfTenants extends OrgUnits {
  /** The units of a tenant as they are now. */
  treeOf(tenantId: number): Promise<UnitTree<OrgUnitDoc>>;
  /** A unit and all below it. @throws Fault NOT_FOUND */
  idsBelow(tenantId: number, id: number): Promise<number[]>;
  /** @throws Fault NOT_FOUND for a unit that is not there; null and absent are no unit */
  require(tenantId: number, id: number | null | undefined): Promise<void>;
  /** Has everything of units read anew. Called after each write to units, and to what belongs to them. */
  changed(): void;
}

export function createOrgUnits({ db, clock }: { db: Db; clock: Clock }): UnitsOfTenants {
  const units = perTenant(db.collection(orgUnitRecord.spec));
  const treeNow = async (tenantId: number) => treeOf(await units(tenantId).find({}).toArray());
  const trees = held(clock, treeNow);
  const placeIn = (name: CollectionName) => {
    const of = perTenant(db.collection(collectionSpec<Belonging>({ name })));
    const places = held(clock, async (key: string) => {
      const [tenantId = 0, id = 0] = key.split(':').map(Number);
      const found = await of(tenantId).findOne({ _id: id }, { projection: { _id: 1, orgUnitId: 1 } });
      return found?.orgUnitId ?? 0;
    });
    const keyOf = (tenantId: number, id: number) => `${tenantId}:${id}`;
    return {
      of: (tenantId: number, id: number) => places.of(keyOf(tenantId, id)),
      last: (tenantId: number, id: number) => places.last(keyOf(tenantId, id)),
      clear: places.clear,
    };
  };
  const [ofProject, ofIdentity] = [placeIn('projects'), placeIn('identities')];

  return {
    treeOf: treeNow,
    async idsBelow(tenantId, id) {
      const ids = (await treeNow(tenantId)).idsBelow(id);
      if (ids.length === 0) throw noUnit(id);
      return ids;
    },
    async require(tenantId, id) {
      if (id != null && !(await units(tenantId).findOne({ _id: id }, { projection: { _id: 1 } }))) throw noUnit(id);
    },
    async pathOf({ tenantId, projectId = null, identityId = null }) {
      const tree = await trees.of(tenantId);
      if (tree.units.size === 0) return [];
      const path = projectId === null ? [] : tree.pathOf(await ofProject.of(tenantId, projectId));
      if (path.length > 0 || identityId === null) return path.map(above);
      return tree.pathOf(await ofIdentity.of(tenantId, identityId)).map(above);
    },
    lastPathOf({ tenantId, projectId = null, identityId = null }: UnitWork): UnitPath | null {
      const tree = trees.last(tenantId);
      if (!tree) return null;
      if (tree.units.size === 0) return [];
      const project = projectId === null ? 0 : ofProject.last(tenantId, projectId);
      if (project === null) return null;
      const path = tree.pathOf(project);
      if (path.length > 0 || identityId === null) return path.map(above);
      const identity = ofIdentity.last(tenantId, identityId);
      return identity === null ? null : tree.pathOf(identity).map(above);
    },
    changed: () => {
      for (const one of [trees, ofProject, ofIdentity]) one.clear();
    },
  };
}

const above = ({ _id: id, name, isActive, policy }: OrgUnitDoc): UnitAbove => ({ id, name, isActive, policy });

export const noUnit = (id: number) =>
  new Fault('NOT_FOUND', `There is no organisation unit ${id}.`, { hint: 'List them with GET /api/org-units.' });

/** Values that hold for a moment; the last ones stay for those who cannot wait. */
function held<Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  clock: Clock,
  read: (key: Key) => Promise<Value>,
) {
  const fresh = createLru<Key, Value>(kept, { ttl: cacheMs, clock });
  const latest = createLru<Key, Value>(kept);
  let changes = 0;
  const readNow = async (key: Key): Promise<Value> => {
    const before = changes;
    const value = await read(key);
    // What was read before a change is out of date.
    if (before === changes) fresh.set(key, value);
    latest.set(key, value);
    return value;
  };
  return {
    of: async (key: Key): Promise<Value> => fresh.get(key) ?? readNow(key),
    last(key: Key): Value | null {
      if (!fresh.has(key)) readNow(key).catch(() => undefined);
      return latest.get(key) ?? null;
    },
    clear() {
      changes++;
      fresh.clear();
    },
  };
}
