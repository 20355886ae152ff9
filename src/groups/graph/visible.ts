// Who sees which entities: everybody those of the tenant, whoever may act as an identity those of it, and of projects
// those that are open to them.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import { isOpenTo, mayReadIn, visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { EdgeDoc, NodeDoc } from './record.ts';

interface Deps {
  nodes: Keeper<NodeDoc>;
  edges: Keeper<EdgeDoc>;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
}

/** Identities of a tenant that are looked at. */
const mostIdentities = 5000;

/** What somebody sees of the graph. */
export interface Sight {
  /** The identities whose entities they see; null among them for those of everybody. */
  identityIds: ReadonlySet<number | null>;
  /** The same as a filter, so that what they do not see is not read either. */
  filter<Doc extends NodeDoc | EdgeDoc>(): Filter<Doc>;
  /** Whether they see an entity or a relation; a relation only with both of its ends. */
  sees(one: Pick<NodeDoc | EdgeDoc, 'identityId' | 'projectId'>): boolean;
}

export function createVisibility({ nodes, edges, identities, acting }: Deps) {
  const missing = (noun: string, id: number) =>
    new Fault('NOT_FOUND', `There is no ${noun} ${id}.`, { hint: 'List entities with GET /api/graph/nodes.' });
  const maySee = async (caller: Caller, { identityId, projectId }: Parameters<Sight['sees']>[0]) =>
    isOpenTo(caller, projectId) && (identityId === null || acting.may(caller, identityId));

  async function node(caller: Caller, id: number): Promise<NodeDoc> {
    const found = await nodes.find(caller, id);
    if (found && (await maySee(caller, found))) return found;
    throw missing('entity', id);
  }

  return {
    node,
    /** @throws Fault NOT_FOUND also where one of its ends is not to be seen */
    async edge(caller: Caller, id: number): Promise<EdgeDoc> {
      const found = await edges.find(caller, id);
      if (!found || !(await maySee(caller, found))) throw missing('relation', id);
      const ends = await nodes
        .of(caller.tenantId)
        .find({ _id: { $in: [found.fromNodeId, found.toNodeId] } })
        .toArray();
      for (const end of ends) if (!(await maySee(caller, end))) throw missing('relation', id);
      return found;
    },
    async sightOf(caller: Caller): Promise<Sight> {
      const all = await identities(caller.tenantId).find({ deletedAt: null }, { limit: mostIdentities }).toArray();
      const own = await acting.among(caller, all);
      const identityIds = new Set([null, ...own.map(({ _id }) => _id)]);
      return {
        identityIds,
        filter: <Doc extends NodeDoc | EdgeDoc>() =>
          ({ identityId: { $in: [...identityIds] }, ...visibleTo(caller) }) as Filter<Doc>,
        sees: ({ identityId, projectId }) => identityIds.has(identityId) && mayReadIn(caller, projectId),
      };
    },
  };
}
export type Visibility = ReturnType<typeof createVisibility>;
