// The layers of what a run may use: what its role, its own profile and its identity say, and the runs above it.
import type { ToolPolicy } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { UnitWork } from '../../../ports/org-units.ts';
import type { Policies, WorkPolicy } from '../../../ports/tenant-policy.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { settingOf } from '../../identities/settings.ts';
import type { ProfileDoc, ToolProfiles } from '../tool-profiles/profiles.ts';
import { confine, mergeLayers, narrowed, type PolicyLayer } from './policy.ts';

export interface ToolLayersDeps {
  profiles: Pick<ToolProfiles, 'findByName' | 'findByRole'>;
  identities: PerTenant<IdentityDoc>;
  /** A run by its number, for what the runs above may use. */
  getRun: (id: number) => Promise<RunRecord | null>;
  policies: Pick<Policies, 'ofWork'>;
}

/** What of a run says which tools it may use. */
export type Staffed = Pick<
  RunRecord,
  'tenantId' | 'role' | 'identityId' | 'projectId' | 'toolProfileName' | 'parentRunId'
>;

export type ToolLayers = ReturnType<typeof createToolLayers>;

export function createToolLayers(deps: ToolLayersDeps) {
  const { profiles, identities } = deps;
  /** @throws Fault NOT_FOUND, for without its limits nothing may go on */
  const named = async (tenantId: number, name: string | null, cure: string): Promise<ProfileDoc | null> => {
    const profile = name === null ? null : await profiles.findByName(tenantId, name);
    if (name === null || profile) return profile;
    throw new Fault('NOT_FOUND', `There is no tool profile ${name}.`, {
      hint: `Make it with POST /api/agent/tool-profiles, or name another with ${cure}.`,
    });
  };

  /** The profile that the work profile of an identity names. */
  const ofWork = (identity: IdentityDoc): Promise<ProfileDoc | null> =>
    named(
      identity.tenantId,
      settingOf(identity, 'work').toolProfileName,
      `PUT /api/identities/${identity._id}/work-profile`,
    );

  const ofRun = async (run: Staffed & { id?: number }, identity: IdentityDoc | null): Promise<PolicyLayer[]> => {
    const [ofRole, own, work] = await Promise.all([
      profiles.findByRole(run.tenantId, run.role),
      named(run.tenantId, run.toolProfileName, `PATCH /api/agent/runs/${run.id ?? '{id}'}`),
      identity ? ofWork(identity) : null,
    ]);
    return [
      ...(ofRole ? [toLayer(`role:${ofRole.name}`, ofRole)] : []),
      ...(work && work._id !== ofRole?._id && !own ? [toLayer(`work:${work.name}`, work)] : []),
      ...(own && own._id !== ofRole?._id ? [toLayer(`run:${own.name}`, own)] : []),
    ];
  };

  const withOwn = (layers: PolicyLayer[], identity: IdentityDoc | null): ToolPolicy | undefined =>
    identity ? narrowed(mergeLayers(layers), settingOf(identity, 'tools')) : mergeLayers(layers);

  const findIdentity = ({ tenantId, identityId }: Staffed) => identities(tenantId).findOne({ _id: identityId });

  return {
    /** What a run may use: what it, its role and its identity say, and never more than the runs above it. */
    async policyOf(run: Staffed, identity: IdentityDoc): Promise<ToolPolicy | undefined> {
      const ceiling = async (one: RunRecord) => {
        const acting = one.identityId === run.identityId ? identity : await findIdentity(one);
        return withOwn(await ofRun(one, acting), acting);
      };
      const parents = await runsAbove(deps, run);
      const [own, ceilings] = await Promise.all([ofRun(run, identity), Promise.all(parents.map(ceiling))]);
      return withinTenant(deps, run, confine(withOwn(own, identity), ceilings));
    },
    /** The same for what is no run, such as a chat: the layer given, the identity's work profile and its own tools. */
    async policyWithin(
      work: UnitWork,
      layers: PolicyLayer[],
      identity: IdentityDoc | null,
    ): Promise<ToolPolicy | undefined> {
      const profile = identity && (await ofWork(identity));
      const own = withOwn([...layers, ...(profile ? [toLayer(`work:${profile.name}`, profile)] : [])], identity);
      return withinTenant(deps, work, own);
    },
  };
}

/** The runs above, nearest first, as far as they may use other tools than the run itself. */
async function runsAbove({ getRun }: Pick<ToolLayersDeps, 'getRun'>, run: Staffed): Promise<RunRecord[]> {
  const known = new Set([toolsKey(run)]);
  const found: RunRecord[] = [];
  for (let id = run.parentRunId; id !== null; ) {
    const parent = await getRun(id);
    // Without its limits the run must not go on.
    if (!parent) throw new Fault('NOT_FOUND', `The run ${id} above this one is gone.`, { hint: 'Fork this run.' });
    if (!known.has(toolsKey(parent))) found.push(parent);
    known.add(toolsKey(parent));
    id = parent.parentRunId;
  }
  return found;
}

/** What the tenant and the work's units say of tools is a ceiling for all: no profile and no identity lifts it. */
async function withinTenant(
  { policies }: Pick<ToolLayersDeps, 'policies'>,
  work: UnitWork,
  policy: ToolPolicy | undefined,
): Promise<ToolPolicy | undefined> {
  return confine(policy, [ceilingOf(await policies.ofWork(work), policy)]);
}

/**
 * The lists of a tenant's policy; undefined where they are empty. What is to be approved is, whoever waived it; an
 * approval that a tool asks for by itself and a profile has waived by name stays so.
 */
function ceilingOf(tenant: WorkPolicy, policy: ToolPolicy | undefined): ToolPolicy | undefined {
  const { blockedTools, humanApprovalTools, sandboxedTools } = tenant;
  if (blockedTools.length + humanApprovalTools.length + sandboxedTools.length === 0) return undefined;
  const waived = (policy?.safe ?? []).filter((name) => !name.endsWith('*'));
  const lists = { optIn: humanApprovalTools, blocked: blockedTools, sandboxed: sandboxedTools };
  const units = tenant.units.flatMap(({ name, policy: own }) =>
    own?.blockedTools || own?.humanApprovalTools ? [`unit:${name}`] : [],
  );
  return { ...lists, safe: [...waived, '*'], layers: ['tenant policy', ...units] };
}

/** Runs of the same role, identity and profile may use the same tools. */
const toolsKey = ({ role, identityId, toolProfileName }: Staffed) =>
  JSON.stringify([role.toLowerCase(), identityId, toolProfileName]);

export const toLayer = (name: string, profile: ProfileDoc): PolicyLayer => ({
  name,
  safeTools: profile.safeTools,
  optInTools: profile.optInTools,
  blockedTools: profile.blockedTools,
  sandboxedTools: profile.sandboxedTools,
  discoveryEnabled: profile.discoveryEnabled,
});
