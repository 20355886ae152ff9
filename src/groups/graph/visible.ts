// Who sees which entities: everybody those of the tenant, and those of an identity whoever may act as it.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
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

/** The identities whose entities somebody sees; null among them for those of everybody. */
export type Sight = ReadonlySet<number | null>;

export function createVisibility({ nodes, edges, identities, acting }: Deps) {
  const missing = (noun: string, id: number) =>
    new Fault('NOT_FOUND', `There is no ${noun} ${id}.`, { hint: 'List entities with GET /api/graph/nodes.' });
  const maySee = async (caller: Caller, identityId: number | null) =>
    identityId === null || acting.may(caller, identityId);

  async function node(caller: Caller, id: number): Promise<NodeDoc> {
    const found = await nodes.find(caller, id);
    if (found && (await maySee(caller, found.identityId))) return found;
    throw missing('entity', id);
  }

  return {
    node,
    /** @throws Fault NOT_FOUND also where one of its ends is not to be seen */
    async edge(caller: Caller, id: number): Promise<EdgeDoc> {
      const found = await edges.find(caller, id);
      if (!found || !(await maySee(caller, found.identityId))) throw missing('relation', id);
      const ends = await nodes
        .of(caller.tenantId)
        .find({ _id: { $in: [found.fromNodeId, found.toNodeId] } })
        .toArray();
      for (const end of ends) if (!(await maySee(caller, end.identityId))) throw missing('relation', id);
      return found;
    },
    async sightOf(caller: Caller): Promise<Sight> {
      const all = await identities(caller.tenantId).find({ deletedAt: null }, { limit: mostIdentities }).toArray();
      const own = await acting.among(caller, all);
      return new Set([null, ...own.map(({ _id }) => _id)]);
    },
  };
}
export type Visibility = ReturnType<typeof createVisibility>;
