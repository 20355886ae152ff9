// Commands on runs: stop, resume, message, checkpoint; durable before they return, and for the whole tree if asked.
import { randomUUID } from 'node:crypto';
import type { Checkpoint, InboxItem, RunRecord, RunStatus } from '../../records.ts';
import { hasMark, withMarks } from '../../state/marks.ts';
import { changeMembers, descendants } from '../../state/pool.ts';
import { hasEnded, moveRun, nextStatus, refusal } from '../../state/run.ts';
import { refusalToGoOn } from '../../state/spent.ts';
import type { StopRound, TreeRecord } from '../../state/tree.ts';
import { requestStop, roundMark } from '../life/duties.ts';
import { wakeIfMet } from '../life/joins.ts';
import { checkpointOf } from '../records/checkpoints.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';
import { asAsked, type Keyed, wasAsked } from '../records/keyed-commands.ts';
import { treeOf } from '../records/known-trees.ts';
import { updateTree } from '../trees/trees.ts';

/** The interface's RunActionResultDto, with the time in ms. */
export interface ActionResult {
  runId: number;
  previousStatus: RunStatus;
  status: RunStatus;
  affectedRunIds: number[];
  checkpointId: string | null;
  acceptedAt: number;
}

export interface StopRequest extends Keyed {
  reason?: string | null;
  /** True includes all runs below; default true. */
  cascade?: boolean;
  by?: string | null;
}

/**
 * Stops a run and, by default, all below it. One write to the tree decides it: after that no model call of these runs
 * starts, even if this process dies. The named run gets its request before the answer, those below in the background.
 */
export async function stop(
  core: Core,
  runId: number,
  kind: 'cancel' | 'pause',
  request: StopRequest,
): Promise<ActionResult> {
  const run = await runOf(core, runId);
  const roundId = request.key ?? randomUUID();
  if (hasMark(run.seen, roundMark(roundId))) return actionResult(core, run, run, [runId]);
  if (nextStatus(run.status, kind) === null) throw refusal(run, kind);
  const round = { id: roundId, kind, reason: request.reason ?? null, by: request.by ?? null };
  let affected: number[] = [];
  const tree = await updateTree(core, run.rootRunId, (now) => {
    const asked = (request.cascade ?? true) ? descendants(now, runId) : [runId];
    affected = asked.filter((id) => !now.members.get(id)?.ended);
    const members = changeMembers(now, affected, (member) =>
      member.stop === 'cancel' || member.stop === kind ? null : { stop: kind },
    );
    const others = now.stopping.filter((one) => one.id !== roundId);
    return { ...(members ? { members } : {}), stopping: [...others, { ...round, runIds: affected }] };
  });
  if (tree) {
    await requestStop(core, runId, round);
    errand(core, () => finishStop(core, tree, round.id));
  }
  return actionResult(core, run, await runOf(core, runId), affected);
}

const actionResult = (core: Core, before: RunRecord, after: RunRecord, affectedRunIds: number[]): ActionResult => ({
  runId: before.id,
  previousStatus: before.status,
  status: after.status,
  affectedRunIds,
  checkpointId: null,
  acceptedAt: core.clock.now(),
});

/** Delivers a tree's stop requests to its runs; a repair pass repeats this after a crash. */
export async function finishStop(core: Core, tree: TreeRecord, only?: string): Promise<void> {
  for (const round of tree.stopping) {
    if (only !== undefined && round.id !== only) continue;
    await Promise.all(round.runIds.map((id) => requestStop(core, id, round)));
    await updateTree(core, tree.id, (now) => {
      const stopping = now.stopping.filter((one) => one.id !== round.id);
      return stopping.length < now.stopping.length ? { stopping } : null;
    });
  }
}

/** Starts background work that only a shutdown awaits; a repair pass completes what is left undone. */
function errand(core: Core, work: () => Promise<void>): void {
  const done = work()
    .catch((error) => core.log.warn({ err: error }, 'a stop request is left to repair'))
    .finally(() => core.errands.delete(done));
  core.errands.add(done);
}

export interface ResumeRequest extends Keyed {
  guidance?: string | null;
  cascade?: boolean;
  by?: string | null;
}

/** Resumes a paused run, or one whose budget has room again; with its tree by default. */
export async function resume(core: Core, runId: number, request: ResumeRequest): Promise<ActionResult> {
  const run = await runOf(core, runId);
  if (wasAsked(run, request)) return actionResult(core, run, run, [runId]);
  if (nextStatus(run.status, 'resume') === null && run.control?.kind !== 'pause') throw refusal(run, 'resume');
  const tree = await treeOf(core, run.rootRunId);
  const tooLittle = run.status === 'BudgetExhausted' ? refusalToGoOn(run, tree) : null;
  if (tooLittle) throw tooLittle;
  const asked = (request.cascade ?? true) ? descendants(tree, runId) : [runId];
  const lifted = await lift(core, run.rootRunId, asked);
  const affectedRunIds: number[] = [];
  for (const id of asked) {
    const item =
      id === runId && request.guidance ? guidance(request.guidance, request.by ?? null, core.clock.now()) : null;
    const taken = lifted.filter((round) => round.runIds.includes(id)).map((round) => roundMark(round.id));
    const key = id === runId ? (request.key ?? null) : null;
    if (await resumeOne(core, id, { item, by: request.by ?? null, asked: id === runId, taken, key }))
      affectedRunIds.push(id);
  }
  return actionResult(core, run, await runOf(core, runId), affectedRunIds);
}

/**
 * Withdraws pause requests in the tree, so that these runs may reserve again. Returns the rounds that may not have
 * reached all of them yet.
 */
async function lift(core: Core, rootRunId: number, ids: readonly number[]): Promise<StopRound[]> {
  const isLifted = (round: StopRound) => round.kind === 'pause' && round.runIds.some((id) => ids.includes(id));
  let lifted: StopRound[] = [];
  await updateTree(core, rootRunId, (now) => {
    const members = changeMembers(now, ids, (member) => (member.stop === 'pause' ? { stop: null } : null));
    lifted = now.stopping.filter(isLifted);
    if (!members && lifted.length === 0) return null;
    const stopping = now.stopping
      .map((one) => (isLifted(one) ? { ...one, runIds: one.runIds.filter((id) => !ids.includes(id)) } : one))
      .filter((one) => one.runIds.length > 0);
    return { ...(members ? { members } : {}), stopping };
  });
  return lifted;
}

interface Resumption extends Keyed {
  item: InboxItem | null;
  by: string | null;
  /** True for the run that the request named, false for those below. */
  asked: boolean;
  /** Marks of the pause rounds that it was taken out of. */
  taken: readonly string[];
}

async function resumeOne(core: Core, id: number, request: Resumption): Promise<boolean> {
  const { item, by, asked, taken } = request;
  const now = core.clock.now();
  let isAffected = false;
  const committed = await commit(core, id, (run) => {
    const missing = hasEnded(run.status) ? [] : taken.filter((mark) => !hasMark(run.seen, mark));
    const set: Partial<RunRecord> = {
      ...(item ? { inbox: [...run.inbox, item] } : {}),
      ...(missing.length > 0 ? { seen: withMarks(run.seen, ...missing) } : {}),
    };
    isAffected = true;
    if (run.control?.kind === 'pause') return asAsked(run, request, { set: { ...set, control: null } });
    if (run.status === 'Paused' || (asked && run.status === 'BudgetExhausted')) {
      const move = moveRun(run, 'resume', { now, by });
      return asAsked(run, request, { ...move, set: { ...move.set, ...set } });
    }
    isAffected = item !== null;
    return Object.keys(set).length > 0 ? { set } : null;
  });
  if (committed?.run.runnable) core.wake(committed.run);
  return committed !== null && isAffected;
}

const guidance = (text: string, from: string | null, at: number): InboxItem => ({
  key: `guidance:${randomUUID()}`,
  kind: 'guidance',
  text,
  from,
  at,
});

export interface IncomingMessage {
  /** Delivery key: a message is delivered once per key; a new one when absent. */
  key?: string;
  kind?: 'message' | 'guidance';
  text: string;
  from?: string | null;
}

/** Delivers a message to a run that has not ended; the run reads it at its next turn. */
export async function deliverMessage(core: Core, runId: number, message: IncomingMessage): Promise<RunRecord> {
  await runOf(core, runId);
  const key = message.key ?? `message:${randomUUID()}`;
  const committed = await commit(core, runId, (run) => {
    if (hasEnded(run.status)) throw refusal(run, 'take messages');
    if (message.key && hasMark(run.seen, key)) return null;
    const item = {
      key,
      kind: message.kind ?? 'message',
      text: message.text,
      from: message.from ?? null,
      at: core.clock.now(),
    };
    const seen = message.key ? { seen: withMarks(run.seen, key) } : {};
    const set = { inbox: [...run.inbox, item], ...seen };
    return { set: { ...set, ...wakeIfMet({ ...run, ...set }, core.clock.now()) } };
  });
  return committed?.run ?? runOf(core, runId);
}

/** The checkpoint saved earlier with this key, else a new one. */
async function checkpointFor(core: Core, run: RunRecord, label: string | null, { key }: Keyed): Promise<Checkpoint> {
  const saved = key == null ? [] : await core.store.checkpoints.list(run.id, checkpointsLookedAt);
  const earlier = saved.find((one) => one.askedKey === key);
  if (earlier) return earlier;
  const point = checkpointOf(run, label ?? 'Requested', core.clock.now());
  await core.store.checkpoints.save(key == null ? point : { ...point, askedKey: key });
  return point;
}

const checkpointsLookedAt = 100;

/** Saves a checkpoint of a run's present state. */
export async function checkpoint(core: Core, runId: number, label: string | null, asked: Keyed): Promise<ActionResult> {
  const run = await runOf(core, runId);
  if (run.status === 'Pending') throw refusal(run, 'be checkpointed');
  const point = await checkpointFor(core, run, label, asked);
  await commit(core, runId, (now) => {
    if (wasAsked(now, asked)) return null;
    return asAsked(now, asked, {
      set: { lastCheckpointAt: point.createdAt },
      events: [{ type: 'CheckpointSaved', title: label ?? 'Checkpoint', payload: { checkpointId: point.id } }],
    });
  });
  return {
    runId,
    previousStatus: run.status,
    status: run.status,
    affectedRunIds: [runId],
    checkpointId: point.id,
    acceptedAt: point.createdAt,
  };
}
