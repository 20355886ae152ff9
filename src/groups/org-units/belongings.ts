// What belongs to a unit: identities, which are attached to it, and projects, which name it.
import type { IdentityDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { Handlers } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import { hiddenFrom } from '../../ports/in-project.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { toIdentityDto } from '../identities/to-dto.ts';
import type { Base } from './base.ts';
import type { orgUnits } from './contract.ts';

type BelongingHandlers = Pick<
  Handlers<typeof orgUnits>,
  'identities' | 'attachIdentity' | 'detachIdentity' | 'projects'
>;

export function belongingHandlers(base: Base): BelongingHandlers {
  const { identities, projects } = base;
  const unitIds = async (caller: { tenantId: number }, id: number, includeDescendants: boolean) => {
    const { tree } = await base.find(caller, id);
    return includeDescendants ? tree.idsBelow(id) : [id];
  };
  return {
    identities: async ({ caller, params, query: { includeDescendants, ...query } }) => {
      const within = { orgUnitId: { $in: await unitIds(caller, params.id, includeDescendants) } };
      const { items, totalCount } = await identities.page(caller, query, { within: within as Filter<IdentityDoc> });
      return toPage(items.map(toIdentityDto), totalCount, query);
    },
    attachIdentity: async ({ caller, params, body: { identityId } }) => {
      const { unit } = await base.find(caller, params.id);
      if (!(await identities.find(caller, identityId))) throw noIdentity(identityId);
      const attached = await identities.change(caller, identityId, { orgUnitId: params.id });
      await base.changed(unit);
      return toIdentityDto(attached);
    },
    detachIdentity: async ({ caller, params }) => {
      const { unit } = await base.find(caller, params.id);
      const identity = await identities.find(caller, params.identityId);
      if (!identity || identity.orgUnitId !== params.id)
        throw new Fault('NOT_FOUND', `Identity ${params.identityId} does not belong to this unit.`, {
          hint: 'List those that do with GET /api/org-units/{id}/identities.',
        });
      await identities.change(caller, params.identityId, { orgUnitId: null });
      await base.changed(unit);
      return null;
    },
    projects: async ({ caller, params, query: { includeDescendants, ...query } }) => {
      const ids = await unitIds(caller, params.id, includeDescendants);
      const within = { $and: [{ orgUnitId: { $in: ids } }, { _id: { $nin: hiddenFrom(caller) } }] };
      const { items, totalCount } = await projects.page(caller, query, { within: within as Filter<ProjectDoc> });
      return toPage(await base.showProjects.showAll(caller.tenantId, items), totalCount, query);
    },
  };
}
