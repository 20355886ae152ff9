import { Fault } from '../../../src/kernel/fault.ts';
import type { RunChange } from '../../ports.ts';
import type { EventDraft, RunRecord, RunSpec } from '../../records.ts';
import { requireEnvironment } from '../../state/environment.ts';
import { hasMark, withMarks } from '../../state/marks.ts';
import { admit, least } from '../../state/pool.ts';
import { hasEnded, moveRun, refusal } from '../../state/run.ts';
import type { LimitedWork, TenantLimits } from '../../state/tenant-limits.ts';
import type { TreeRecord } from '../../state/tree.ts';
import { firstBreakpoints, given, newRun, newTree, type RunDraft } from '../life/new-run.ts';
import { announce } from '../records/announce.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';
import { asAsked, type Keyed, wasAsked } from '../records/keyed-commands.ts';
import { remember } from '../records/known-trees.ts';
import { updateTree } from '../trees/trees.ts';

/**
 * Creates a root run with its tree. The same idempotency key gives the same run.
 *
 * @throws Fault IDEMPOTENCY_MISMATCH when the key came with another request before
 */
export async function create(core: Core, draft: RunDraft): Promise<RunRecord> {
  requireEnvironment(draft.environmentJson);
  const id = await core.ids.next('run');
  const limits = await core.limits?.of(workOf(draft));
  if (limits?.closed) throw limits.closed;
  await core.limits?.admit?.(draft.tenantId);
  const { defaults } = core.options;
  const run = newRun(core, id, draft, { rootRunId: id, parentRunId: null, spawnDepth: 0 }, limits);
  run.treeDeadlineAt = draft.treeDeadlineAt ?? null;
  run.idempotencyKey = draft.idempotencyKey ?? null;
  run.deadlineAt = run.treeDeadlineAt;
  if (draft.askedDigest !== undefined) run.askedDigest = draft.askedDigest;
  if (draft.mcpOwner !== undefined) run.mcpOwner = draft.mcpOwner;
  const budget = {
    iterationBudget: draft.poolIterationBudget ?? Math.max(defaults.poolIterationBudget, run.maxIterations),
    tokenBudget: draft.poolTokenBudget ?? Math.max(defaults.poolTokenBudget, run.maxTokens),
    costBudgetUsd: draft.poolCostBudgetUsd ?? null,
  };
  const tree = { ...newTree(core, run, budget, limits), ...firstBreakpoints(core, run, draft) };
  remember(core, await core.store.trees.insert(tree));
  const made = await insert(core, run, draft.autoStart ?? false, { by: 'create' });
  if (made.id !== id) {
    // The tree was for a run that there is already.
    core.trees.delete(id);
    await core.store.trees.removeEmpty(id);
  }
  // Runs of before have no digest.
  if (made.askedDigest !== undefined && made.askedDigest !== draft.askedDigest) throw otherRequest(made);
  return made;
}

const workOf = ({ tenantId, projectId = null, identityId }: RunDraft): LimitedWork => ({
  tenantId,
  projectId,
  identityId,
});

const otherRequest = ({ id }: RunRecord) =>
  new Fault('IDEMPOTENCY_MISMATCH', `Another request with this idempotency key made run ${id}.`, {
    hint: 'Use a new key for a new run, and the same one only to repeat the very same request.',
  });

export interface ChildDraft extends Partial<RunSpec> {
  goal: string;
  autoStart?: boolean;
  /** Idempotency key: the same key gives the same child. */
  key?: string | null;
}

/** Creates a child of a run within the limits of its tree. Faults SPAWN_DEPTH_EXCEEDED, SWARM_CEILING_REACHED. */
export async function spawn(core: Core, parentRunId: number, draft: ChildDraft): Promise<RunRecord> {
  requireEnvironment(draft.environmentJson);
  const parent = await runOf(core, parentRunId);
  if (hasEnded(parent.status)) throw refusal(parent, 'spawn children');
  const staffed = await core.staffing?.specOf(parent, given(draft));
  const limits = await core.limits?.of({ ...parent, ...given(draft) });
  await core.limits?.admit?.(parent.tenantId);
  const childRunId = await core.ids.next('run');
  let answer: ReturnType<typeof admit> = { ok: false, why: 'stopped' };
  const request = {
    parentRunId,
    childRunId,
    identityId: draft.identityId ?? parent.identityId,
    key: draft.key ?? null,
  };
  const tree = await updateTree(core, parent.rootRunId, (now) => {
    // The tenant's limit may have dropped since the tree was made.
    const maxDepth = Math.min(now.maxDepth, limits?.maxSpawnDepth ?? now.maxDepth);
    answer = admit({ ...now, maxDepth }, request);
    return answer.ok && Object.keys(answer.set).length > 0 ? answer.set : null;
  });
  const admitted = answer as ReturnType<typeof admit>;
  if (!admitted.ok)
    throw await refuseSpawn(core, parent, admitted.why, tree ?? core.trees.get(parent.rootRunId) ?? null, limits);
  const inherited: RunDraft = {
    ...inheritedSpec(parent, draft),
    ...staffed,
    ...given(draft),
    tenantId: parent.tenantId,
    identityId: request.identityId,
    goal: draft.goal,
  };
  const place = { rootRunId: parent.rootRunId, parentRunId, spawnDepth: admitted.depth };
  const child = newRun(core, admitted.childRunId, inherited, place, limits);
  child.treeDeadlineAt = parent.treeDeadlineAt;
  child.deadlineAt = parent.treeDeadlineAt;
  if (parent.knownAt != null) child.knownAt = parent.knownAt;
  const stored = await insert(core, child, draft.autoStart ?? true, { parentRunId, tags: child.tags });
  await commit(core, parentRunId, (now) => {
    const mark = `spawned:${stored.id}`;
    if (hasMark(now.seen, mark)) return null;
    const event: EventDraft = {
      type: 'ChildSpawned',
      title: `Child run ${stored.id}`,
      message: stored.goal.slice(0, 500),
      payload: { runId: stored.id },
    };
    return { set: { seen: withMarks(now.seen, mark) }, events: [event] };
  });
  return stored;
}

async function refuseSpawn(
  core: Core,
  parent: RunRecord,
  why: 'stopped' | 'depth' | 'ceiling',
  tree: TreeRecord | null,
  limits: TenantLimits | undefined,
): Promise<Fault> {
  const fault =
    why === 'depth'
      ? new Fault(
          'SPAWN_DEPTH_EXCEEDED',
          `Run ${parent.id} is at depth ${parent.spawnDepth}; ${least(tree?.maxDepth ?? null, limits?.maxSpawnDepth ?? null) ?? 'no'} is the most.`,
          {
            hint: 'Do the work in this run, or let its parent spawn.',
          },
        )
      : why === 'ceiling'
        ? new Fault(
            'SWARM_CEILING_REACHED',
            `The tree of run ${parent.rootRunId} has ${tree?.maxMembers ?? 'as many'} live runs, which is the most.`,
            {
              hint: 'Join children with run_join first, then spawn.',
            },
          )
        : refusal(parent, 'spawn children, since it was asked to stop');
  await commit(core, parent.id, () => ({
    events: [{ type: 'SpawnRefused', level: 'Warning', title: fault.code, message: fault.message }],
  }));
  return fault;
}

const inheritedSpec = (parent: RunRecord, draft: ChildDraft): Partial<RunSpec> => ({
  projectId: parent.projectId,
  taskId: parent.taskId,
  taskTitle: parent.taskTitle,
  // Another identity or role brings its own name and definition.
  identityName: (draft.identityId ?? parent.identityId) === parent.identityId ? parent.identityName : null,
  role: parent.role,
  roleDefinitionId: (draft.role ?? parent.role) === parent.role ? parent.roleDefinitionId : null,
  toolProfileName: parent.toolProfileName,
  modelId: parent.modelId,
  reasoningEffort: parent.reasoningEffort,
  contextBudgetTokens: parent.contextBudgetTokens,
  workspaceId: parent.workspaceId,
  environmentJson: parent.environmentJson,
  startedByUserId: parent.startedByUserId,
});

/** Stores a run, queues it if asked, and publishes it. */
export async function insert(
  core: Core,
  run: RunRecord,
  autoStart: boolean,
  payload: unknown,
  also: Pick<RunChange, 'messages' | 'events'> = {},
): Promise<RunRecord> {
  const events: EventDraft[] = [{ type: 'RunCreated', title: 'Created', message: run.goal.slice(0, 2000), payload }];
  events.push(...(also.events ?? []));
  const change: RunChange = { ...also, events };
  if (autoStart) {
    const move = moveRun(run, 'start', { now: run.createdAt });
    change.set = move.set;
    change.events = [...events, ...(move.events ?? [])];
  }
  const committed = await core.store.runs.insert(run, change);
  if (!committed.existed) await announce(core, null, committed);
  if (committed.run.runnable) core.wake(committed.run);
  return committed.run;
}

export type StartOverrides = Partial<Pick<RunSpec, 'modelId' | 'maxIterations' | 'maxTokens' | 'maxWallClockMs'>> &
  Keyed;

/** Queues a pending run. */
export async function start(core: Core, runId: number, request: StartOverrides): Promise<RunRecord> {
  const { key = null, ...overrides } = request;
  const asked = { key };
  const limits = await core.limits?.of(await runOf(core, runId));
  const committed = await commit(core, runId, (run) => {
    if (wasAsked(run, asked)) return null;
    const changed = { ...run, ...given(overrides) };
    changed.maxIterations = Math.min(changed.maxIterations, run.hardIterationCap);
    changed.maxWallClockMs = Math.min(changed.maxWallClockMs, limits?.maxRunWallClockMs ?? changed.maxWallClockMs);
    const { modelId, maxIterations, maxTokens, maxWallClockMs } = changed;
    const move = moveRun(changed, 'start', { now: core.clock.now() });
    const set = { modelId, maxIterations, maxTokens, maxWallClockMs, ...move.set };
    return asAsked(run, asked, { ...move, set });
  });
  return committed ? queued(core, committed.run) : runOf(core, runId);
}

/** Offers a claimable run to the schedulers of all nodes. */
export function queued(core: Core, run: RunRecord): RunRecord {
  core.wake(run);
  return run;
}
