// What a run starts a turn with: instructions, temperature, models and tools, from its role, its identity and itself.
import { createHash } from 'node:crypto';
import type { Briefing, Briefings } from '../../../../runtime/ports.ts';
import type { RunRecord, ToolSet } from '../../../../runtime/records.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Policies } from '../../../ports/tenant-policy.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { hydrates, ownTemperature, settingOf } from '../../identities/settings.ts';
import { messageIdOf } from '../../messages/delivery.ts';
import type { Inbox } from '../../messages/inbox.ts';
import { type RecalledItem, recalledEvent, recalledIn, type Told, toldTexts } from '../../part.ts';
import { closedStatuses } from '../../task-transitions.ts';
import type { RoleDoc, Roles } from '../roles/roles.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { ToolProfiles } from '../tool-profiles/profiles.ts';
import { systemText } from './system-text.ts';
import { createToolLayers } from './tool-layers.ts';

export interface BriefingsDeps {
  roles: Roles;
  profiles: ToolProfiles;
  tasks: Tasks;
  identities: PerTenant<IdentityDoc>;
  inbox: Pick<Inbox, 'markRead'>;
  clock: Clock;
  policies: Pick<Policies, 'of' | 'ofWork'>;
  /** A run by its number, for what the runs above may use. */
  getRun: (id: number) => Promise<RunRecord | null>;
  /** The route of the model that looks at escalations before people do, where the tenant has one. */
  supervisorRoute?: (tenantId: number) => Promise<number | null>;
  /** What else runs are told at each turn, from the parts of the server. */
  briefs?: readonly ((run: RunRecord) => Promise<string | Told | null>)[];
}

/** Sets of tools that roles of ours have from the start; a tool profile names tools for other roles. */
const setsOfRole: ReadonlyMap<string, readonly ToolSet[]> = new Map([
  ['supervisor', ['children', 'tasks', 'council', 'messages']],
  ['planner', ['children', 'tasks']],
]);

export function createBriefings(deps: BriefingsDeps): Briefings {
  const { roles, tasks, identities, inbox, clock } = deps;
  const layers = createToolLayers(deps);

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

  const openTasks = async ({ tenantId, id }: RunRecord, identity: IdentityDoc): Promise<string | null> => {
    const { taskLimit: limit } = settingOf(identity, 'hydration');
    if (limit === 0 || !hydrates(identity, 'Tasks')) return null;
    const open = await tasks
      .of(tenantId)
      .find({ runId: id, status: { $nin: closedStatuses } }, { sort: { sortOrder: 1 }, limit })
      .toArray();
    if (open.length === 0) return null;
    return `Your open tasks:\n${open.map((task) => `- #${task._id} ${task.title} (${task.status})`).join('\n')}`;
  };

  const hydrationOf = async (run: RunRecord, identity: IdentityDoc) => {
    const told = await Promise.all([openTasks(run, identity), ...(deps.briefs ?? []).map((brief) => brief(run))]);
    return { hydration: toldTexts(told), recalled: recalledOf(recalledIn(told)) };
  };

  const supervisorOf = async ({ tenantId }: RunRecord): Promise<(Briefing['supervisor'] & {}) | null> => {
    const route = (await deps.supervisorRoute?.(tenantId)) ?? null;
    if (route === null) return null;
    const { supervisorAutoResolveConfidence } = await deps.policies.of(tenantId);
    return { modelId: `route:${route}`, autoResolveConfidence: supervisorAutoResolveConfidence };
  };

  /** What a run takes up in this turn its identity has read. */
  const readMessages = async ({ tenantId, identityId, inbox: waiting }: RunRecord): Promise<void> => {
    const messageIds = waiting.map((item) => messageIdOf(item.key)).filter((id) => id !== null);
    if (messageIds.length > 0) await inbox.markRead({ tenantId, identityId, messageIds });
  };

  return {
    async prepare(run) {
      const [role, identity, supervisor] = await Promise.all([roleOf(run), identityOf(run), supervisorOf(run)]);
      const { hydration, recalled } = await hydrationOf(run, identity);
      await readMessages(run);
      const policy = await layers.policyOf(run, identity);
      const briefing: Briefing = {
        system: systemText({ run, identity, role, policy, now: clock.now() }),
        modelId: run.modelId ?? (role?.routeId ? `route:${role.routeId}` : null),
        hydration,
        supervisor,
        ...(recalled && { recalled }),
      };
      const toolSets = setsOfRole.get(run.role.toLowerCase());
      if (toolSets) briefing.toolSets = toolSets;
      if (policy) briefing.policy = policy;
      const temperature = role?.temperature ?? ownTemperature(identity);
      if (temperature !== undefined) briefing.temperature = temperature;
      if (role?.fallbackModelId) briefing.fallbackModelIds = [role.fallbackModelId];
      return briefing;
    },
  };
}

/** The event that says what a run was told, once for each set of things. */
function recalledOf(items: readonly RecalledItem[]): Briefing['recalled'] | null {
  if (items.length === 0) return null;
  const digest = createHash('sha256').update(items.map(({ kind, id }) => `${kind}:${id}`).join());
  return { key: `recalled:${digest.digest('base64url').slice(0, 16)}`, event: recalledEvent(items) };
}
