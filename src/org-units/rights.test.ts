// What units mean for somebody changes with time and with the tree, without a write to who they are.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { identityRecord, roleRecord } from '../auth/collections.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createKeeper } from '../ports/keeper.ts';
import { createIds } from '../stores/ids.ts';
import { orgUnitMemberRecord, orgUnitRecord } from './record.ts';
import { createUnitRights } from './rights.ts';
import { createOrgUnits } from './units.ts';

const plain = {
  ...{ description: null, kind: 'Team' as const, managerUserId: null, costCenter: null, sortOrder: 0, isActive: true },
  ...{ roleIds: null, inheritRoles: true, defaultRoleId: null, policy: null, policyUpdatedAt: null },
};
const member = { identityId: null, roleId: null, title: null, isManager: false, expiresAt: null };
const by = { tenantId: 1 };
const ada = { tenantId: 1, userId: 5, identityId: null };

async function createWorld() {
  const [db, clock] = [openTestDb(), new SimulatedClock()];
  await db.ensureIndexes([orgUnitRecord.spec, orgUnitMemberRecord.spec, roleRecord.spec, identityRecord.spec]);
  const base = { db, clock, ids: createIds({ db }) };
  const units = createKeeper(orgUnitRecord, base);
  const members = createKeeper(orgUnitMemberRecord, base);
  const top = await units.insert(by, { ...plain, name: 'Top', key: 'top', parentId: null });
  const team = await units.insert(by, { ...plain, name: 'Team', key: 'team', parentId: top._id });
  return { ...base, units, members, top, team, rights: createUnitRights(base) };
}

it('ends with the membership, at its time', async () => {
  const { clock, members, top, team, rights, db } = await createWorld();
  expect(await rights.of(ada)).toBeNull();
  await members.insert(by, { ...member, orgUnitId: top._id, userId: 5, expiresAt: new Date(clock.now() + 1000) });
  await members.insert(by, { ...member, orgUnitId: team._id, userId: 6, isManager: true });
  expect([...((await rights.of(ada))?.roles ?? [])]).toEqual([
    [top._id, 'Contributor'],
    [team._id, 'Contributor'],
  ]);
  await clock.advance(1001);
  expect(await rights.of(ada)).toBeNull();
  expect(await rights.membershipsOf(ada)).toEqual([]);
  expect((await rights.of({ ...ada, userId: 6 }))?.managed).toEqual(new Set([team._id]));
  await db.close();
});

it('is only a look where the role is gone, and the strongest of several', async () => {
  const { members, top, team, rights, db } = await createWorld();
  await members.insert(by, { ...member, orgUnitId: top._id, userId: 5, roleId: 99 });
  expect((await rights.of(ada))?.roles.get(team._id)).toBe('Viewer');
  await members.insert(by, { ...member, orgUnitId: team._id, userId: 5, isManager: true });
  expect((await rights.of(ada))?.roles).toEqual(
    new Map([
      [top._id, 'Viewer'],
      [team._id, 'Maintainer'],
    ]),
  );
  await db.close();
});

it('work of another node’s change is seen within a second, and of its own at once', async () => {
  const { units, top, team, clock, db } = await createWorld();
  const here = createOrgUnits({ db, clock });
  const projects = db.collection<{ _id: number; tenantId: number; orgUnitId: number | null }>({
    name: 'projects',
    indexes: [],
  } as never);
  await projects.insertOne({ _id: 3, tenantId: 1, orgUnitId: team._id });
  const path = async () => (await here.pathOf({ tenantId: 1, projectId: 3, identityId: 4 })).map(({ id }) => id);
  expect(here.lastPathOf({ tenantId: 1, projectId: 3 })).toBeNull();
  expect(await path()).toEqual([team._id, top._id]);
  expect(here.lastPathOf({ tenantId: 1, projectId: 3 })?.map(({ id }) => id)).toEqual([team._id, top._id]);
  await units.change(by, team._id, { parentId: null });
  expect(await path()).toEqual([team._id, top._id]);
  await clock.advance(1001);
  expect(await path()).toEqual([team._id]);
  await units.change(by, team._id, { parentId: top._id });
  here.changed();
  expect(await path()).toEqual([team._id, top._id]);
  await db.close();
});
