// What units say of the tenant's policy: they tighten it, and what holds is what all above a unit and the unit itself say.
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { OrgUnitDoc } from '../../org-units/record.ts';
import {
  covers,
  plainUnitPolicy,
  type Tightened,
  tighten,
  tightenedBy,
  type UnitPolicy,
} from '../../ports/org-units.ts';
import type { Base, Tree } from './base.ts';
import type { orgUnits } from './contract.ts';
import type { OrgUnitPolicyDto } from './dto.ts';

type PolicyHandlers = Pick<Handlers<typeof orgUnits>, 'policy' | 'setPolicy'>;

const says = (policy: UnitPolicy | null) => policy !== null && Object.values(policy).some((value) => value !== null);

export function policyHandlers(base: Base): PolicyHandlers {
  const { policies, keeper } = base;
  /** What holds above a unit. */
  const above = async (tenantId: number, tree: Tree, id: number): Promise<Tightened> => {
    const [, ...path] = tree.pathOf(id);
    return tightenedBy<Tightened>(await policies.of(tenantId), path);
  };
  const show = async (tree: Tree, unit: OrgUnitDoc): Promise<OrgUnitPolicyDto> => {
    const holds = tighten(await above(unit.tenantId, tree, unit._id), unit.policy);
    const layers = tree
      .pathOf(unit._id)
      .filter(({ policy }) => says(policy))
      .map(({ name }) => `unit:${name}`);
    return {
      orgUnitId: unit._id,
      ...plainUnitPolicy,
      ...unit.policy,
      effective: {
        allowedModelIds: holds.allowedModelIds,
        blockedTools: holds.blockedTools,
        humanApprovalTools: holds.humanApprovalTools,
        maxConcurrentRuns: holds.maxConcurrentRuns,
        maxSpawnDepth: holds.maxSpawnDepth,
        swarmChildCeiling: holds.swarmChildCeiling,
        maxRunCostUsd: holds.maxRunCostUsd,
        allowExternalChannels: holds.allowExternalChannels,
        appliedLayers: ['tenant', ...layers.reverse()],
      },
      updatedAtUtc: unit.policyUpdatedAt?.toISOString() ?? null,
    };
  };

  return {
    policy: async ({ caller, params }) => {
      const { unit, tree } = await base.find(caller, params.id);
      return show(tree, unit);
    },
    setPolicy: async ({ caller, params, body }) => {
      const { tree } = await base.find(caller, params.id);
      const policy: UnitPolicy = { ...plainUnitPolicy, ...Object.fromEntries(given(body)) };
      requireTighter(policy, await above(caller.tenantId, tree, params.id));
      const policyUpdatedAt = new Date(base.clock.now());
      await keeper.change(caller, params.id, { policy: says(policy) ? policy : null, policyUpdatedAt });
      const now = await base.find(caller, params.id);
      await base.changed(now.unit);
      return show(now.tree, now.unit);
    },
  };
}

const given = (body: object) => Object.entries(body).filter(([, value]) => value != null);

/** @throws Fault POLICY_VIOLATION for what would be wider than what is above */
function requireTighter(policy: UnitPolicy, holds: Tightened): void {
  const models = (policy.allowedModelIds ?? []).filter(
    (name) => holds.allowedModelIds.length > 0 && !holds.allowedModelIds.some((pattern) => covers(pattern, name)),
  );
  if (models.length > 0)
    throw wider('allowedModelIds', `the models ${models.slice(0, 5).join(', ')} are not allowed there`);
  for (const name of ['maxConcurrentRuns', 'maxSpawnDepth', 'swarmChildCeiling', 'maxRunCostUsd'] as const) {
    const [own, most] = [policy[name], holds[name]];
    if (own !== null && most !== null && own > most) throw wider(name, `${most} is the most there`);
  }
  if (policy.allowExternalChannels && !holds.allowExternalChannels)
    throw wider('allowExternalChannels', 'channels are not allowed there');
}

const wider = (field: string, why: string) =>
  new Fault('POLICY_VIOLATION', `A unit only tightens what is above it: ${why}.`, {
    field,
    hint: 'Leave the field out to inherit it, or change the policy above first.',
  });
