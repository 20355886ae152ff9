// Units as they are answered: with their place in the tree, the name of their manager, and counts.
import type { UserDoc } from '../../auth/documents.ts';
import type { OrgUnitDoc, OrgUnitMemberDoc } from '../../org-units/record.ts';
import type { UnitTree } from '../../org-units/tree.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Collection } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant, Tenanted } from '../../ports/tenanted.ts';
import { OrgUnitDto } from './dto.ts';

interface Deps {
  users: PerTenant<UserDoc>;
  memberships: Keeper<OrgUnitMemberDoc>;
  units: Pick<UnitsOfTenants, 'treeOf'>;
}

/** Numbers of documents by unit. */
export async function countByUnit<Doc extends Tenanted & { orgUnitId?: number | null }>(
  collection: Collection<Doc>,
  unitIds: readonly number[],
  which: object = {},
): Promise<Map<number, number>> {
  const found = await collection
    .aggregate<{ _id: { unit: number }; count: number }>([
      { $match: { ...which, orgUnitId: { $in: [...unitIds] } } },
      { $group: { _id: { unit: '$orgUnitId' }, count: { $count: {} } } },
    ])
    .toArray();
  return new Map(found.map(({ _id, count }) => [_id.unit, count]));
}

export function createShowUnits(base: Deps) {
  /** Units with their counts; `tree` has all of the tenant. */
  const showAll = async (tree: UnitTree<OrgUnitDoc>, docs: readonly OrgUnitDoc[]): Promise<OrgUnitDto[]> => {
    const [first] = docs;
    if (!first) return [];
    const { tenantId } = first;
    const managerIds = [...new Set(docs.flatMap(({ managerUserId }) => managerUserId ?? []))];
    const [people, members] = await Promise.all([
      base
        .users(tenantId)
        .find({ _id: { $in: managerIds } })
        .toArray(),
      countByUnit(
        base.memberships.of(tenantId),
        docs.map(({ _id }) => _id),
      ),
    ]);
    return docs.map((doc) => {
      const manager = people.find(({ _id }) => _id === doc.managerUserId);
      return shown(OrgUnitDto, doc, {
        path: tree.textOf(doc._id),
        depth: Math.max(0, tree.pathOf(doc._id).length - 1),
        managerName: manager ? (manager.displayName ?? manager.username) : null,
        memberCount: members.get(doc._id) ?? 0,
        childCount: tree.childrenOf(doc._id).length,
      });
    });
  };
  return {
    showAll,
    show: async (doc: OrgUnitDoc): Promise<OrgUnitDto> =>
      (await showAll(await base.units.treeOf(doc.tenantId), [doc]))[0] as OrgUnitDto,
  };
}
