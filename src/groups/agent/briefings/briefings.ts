// What a run starts a turn with: instructions, temperature, models and tools, from its role, its identity and itself.
import type { Briefing, Briefings } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { messageIdOf } from '../../messages/delivery.ts';
import type { Inbox } from '../../messages/inbox.ts';
import type { RoleDoc, Roles } from '../roles/roles.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { ProfileDoc, ToolLists, ToolProfiles } from '../tool-profiles/profiles.ts';
import { confine, mergeLayers, type PolicyLayer } from './policy.ts';
import { systemText } from './system-text.ts';

export interface BriefingsDeps {
  roles: Roles;
  profiles: ToolProfiles;
  tasks: Tasks;
  identities: PerTenant<IdentityDoc>;
  inbox: Pick<Inbox, 'markRead'>;
  clock: Clock;
  /** A run by its number, for what the runs above may use. */
  getRun: (id: number) => Promise<RunRecord | null>;
  /** The route of the model that looks at escalations before people do, where the tenant has one. */
  supervisorRoute?: (tenantId: number) => Promise<number | null>;
  /** What else runs are told at each turn, from the parts of the server. */
  briefs?: readonly ((run: RunRecord) => Promise<string | null>)[];
  /** The tool profile of an identity, if it has one. */
  identityTools?: (identity: IdentityDoc) => Promise<(ToolLists & { name: string }) | null>;
}

/** How sure a supervisor must be to decide in place of a person. */
const supervisorConfidence = 0.8;

/** Open tasks that a run is reminded of. */
const shownTasks = 30;

export function createBriefings(deps: BriefingsDeps): Briefings {
  const { roles, profiles, tasks, identities, inbox, clock } = deps;

  const roleOf = async (run: RunRecord): Promise<RoleDoc | null> => {
    if (run.roleDefinitionId === null) return roles.findByName(run.tenantId, run.role);
    const role = await roles.find(run.tenantId, run.roleDefinitionId);
    if (role) return role;
    throw new Fault('NOT_FOUND', `The role definition ${run.roleDefinitionId} of this run is gone.`, {
      hint: `Give the run another one with PATCH /api/agent/runs/${run.id} and restart it.`,
    });
  };

  const identityOf = async (run: RunRecord): Promise<IdentityDoc> => {
    const identity = await identities(run.tenantId).findOne({ _id: run.identityId, deletedAt: null });
    if (identity?.isActive) return identity;
    throw new Fault('NOT_FOUND', `The identity ${run.identityId} of this run is gone or not active.`, {
      hint: `Activate it, or give the run another one with PATCH /api/agent/runs/${run.id}, and restart it.`,
    });
  };

  const runProfile = async (run: RunRecord): Promise<ProfileDoc | null> => {
    if (run.toolProfileName === null) return null;
    const profile = await profiles.findByName(run.tenantId, run.toolProfileName);
    if (profile) return profile;
    // Without its limits the run must not go on.
    throw new Fault('NOT_FOUND', `There is no tool profile ${run.toolProfileName}.`, {
      hint: `Make it with POST /api/agent/tool-profiles, or name another with PATCH /api/agent/runs/${run.id}.`,
    });
  };

  const layersOf = async (run: RunRecord, identity: IdentityDoc | null): Promise<PolicyLayer[]> => {
    const [ofRole, ofIdentity, ofRun] = await Promise.all([
      profiles.findByRole(run.tenantId, run.role),
      (identity && deps.identityTools?.(identity)) ?? null,
      runProfile(run),
    ]);
    return [
      ...(ofRole ? [toLayer(`role:${ofRole.name}`, ofRole)] : []),
      ...(ofIdentity ? [{ ...ofIdentity, name: `identity:${ofIdentity.name}`, discoveryEnabled: true }] : []),
      ...(ofRun && ofRun._id !== ofRole?._id ? [toLayer(`run:${ofRun.name}`, ofRun)] : []),
    ];
  };

  const findIdentity = ({ tenantId, identityId }: RunRecord) => identities(tenantId).findOne({ _id: identityId });

  /** The runs above, nearest first, as far as they may use other tools than the run itself. */
  const above = async (run: RunRecord): Promise<RunRecord[]> => {
    const known = new Set([toolsKey(run)]);
    const found: RunRecord[] = [];
    for (let id = run.parentRunId; id !== null; ) {
      const parent = await deps.getRun(id);
      // Without its limits the run must not go on.
      if (!parent) throw new Fault('NOT_FOUND', `The run ${id} above this one is gone.`, { hint: 'Fork this run.' });
      if (!known.has(toolsKey(parent))) found.push(parent);
      known.add(toolsKey(parent));
      id = parent.parentRunId;
    }
    return found;
  };

  /** What a run may use: what it, its role and its identity say, and never more than the runs above it. */
  const policyOf = async (run: RunRecord, identity: IdentityDoc) => {
    const ceiling = async (one: RunRecord) => {
      const acting = one.identityId === run.identityId ? identity : await findIdentity(one);
      return mergeLayers(await layersOf(one, acting));
    };
    const parents = await above(run);
    const [own, ceilings] = await Promise.all([layersOf(run, identity), Promise.all(parents.map(ceiling))]);
    return confine(mergeLayers(own), ceilings);
  };

  const openTasks = async ({ tenantId, id }: RunRecord): Promise<string | null> => {
    const open = await tasks
      .of(tenantId)
      .find({ runId: id, status: { $nin: ['Done', 'Cancelled'] } }, { sort: { sortOrder: 1 }, limit: shownTasks })
      .toArray();
    if (open.length === 0) return null;
    return `Your open tasks:\n${open.map((task) => `- #${task._id} ${task.title} (${task.status})`).join('\n')}`;
  };

  const hydrationOf = async (run: RunRecord): Promise<string | null> => {
    const texts = await Promise.all([openTasks(run), ...(deps.briefs ?? []).map((brief) => brief(run))]);
    return texts.filter((text) => text !== null).join('\n\n') || null;
  };

  const supervisorOf = async ({ tenantId }: RunRecord): Promise<(Briefing['supervisor'] & {}) | null> => {
    const route = (await deps.supervisorRoute?.(tenantId)) ?? null;
    return route === null ? null : { modelId: `route:${route}`, autoResolveConfidence: supervisorConfidence };
  };

  /** What a run takes up in this turn its identity has read. */
  const readMessages = async ({ tenantId, identityId, inbox: waiting }: RunRecord): Promise<void> => {
    const messageIds = waiting.map((item) => messageIdOf(item.key)).filter((id) => id !== null);
    if (messageIds.length > 0) await inbox.markRead({ tenantId, identityId, messageIds });
  };

  return {
    async prepare(run) {
      const [role, identity, hydration, supervisor] = await Promise.all([
        roleOf(run),
        identityOf(run),
        hydrationOf(run),
        supervisorOf(run),
      ]);
      await readMessages(run);
      const policy = await policyOf(run, identity);
      const briefing: Briefing = {
        system: systemText({ run, identity, role, policy, now: clock.now() }),
        modelId: run.modelId ?? (role?.routeId ? `route:${role.routeId}` : null),
        hydration,
        supervisor,
      };
      if (policy) briefing.policy = policy;
      if (role) briefing.temperature = role.temperature;
      if (role?.fallbackModelId) briefing.fallbackModelIds = [role.fallbackModelId];
      return briefing;
    },
  };
}

/** Runs of the same role, identity and profile may use the same tools. */
const toolsKey = ({ role, identityId, toolProfileName }: RunRecord) =>
  JSON.stringify([role.toLowerCase(), identityId, toolProfileName]);

export const toLayer = (name: string, profile: ProfileDoc): PolicyLayer => ({
  name,
  safeTools: profile.safeTools,
  optInTools: profile.optInTools,
  blockedTools: profile.blockedTools,
  sandboxedTools: profile.sandboxedTools,
  discoveryEnabled: profile.discoveryEnabled,
});
