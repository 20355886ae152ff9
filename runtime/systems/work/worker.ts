// The work on one claimed run: step after step until it rests, obeying stop requests between and within steps.

import { toFault } from '../../../src/kernel/fault.ts';
import type { Briefing, ToolDefinition } from '../../ports.ts';
import type { Control, RunRecord } from '../../records.ts';
import { clockOf, isPastDeadline, moveRun, timeCommand } from '../../state/run.ts';
import { councilAsked, ruleByCouncil } from '../councils/rulings.ts';
import { awaitDecision } from '../escalations/escalations.ts';
import { isHeldElsewhere } from '../escalations/held.ts';
import { settleDuties } from '../life/duties.ts';
import { completeUnlessNews, fail, rest, timeOut } from '../life/endings.ts';
import { commit, commitDeferred, commitOwned } from '../records/commits.ts';
import { type Core, type LiveRun, Stop, timesOf } from '../records/core.ts';
import { treeOf } from '../records/known-trees.ts';
import { makeSettlements, settleNow, writeOff } from '../trees/escrow.ts';
import { leaveTree, updateMember } from '../trees/trees.ts';
import { unmetContract } from '../turn/contracts.ts';
import { debrief } from '../turn/debrief.ts';
import type { Step } from '../turn/model-call.ts';
import { modelTurn } from '../turn/model-turn.ts';
import { plainBriefing } from '../turn/prompt.ts';
import { ruledEnd } from '../turn/rules.ts';
import { untilAborted } from '../turn/tool-call.ts';
import { awaitChildren, toolTurn } from '../turn/tool-turn.ts';
import { turnTools } from '../turn/turn-tools.ts';

/** Limit of consecutive empty answers and unmet contracts before a run fails. */
const maxVainAnswers = 3;

/** Time in ms for which a briefing stays valid for the calls of its answer. */
const freshMs = 500;

/** Delay in ms that a stored change may wait to share a write. */
const patienceMs = 10;

/** Works on a run that was just claimed, until it rests. Never throws. */
export async function work(core: Core, live: LiveRun): Promise<void> {
  const cancelTimer = watchTime(core, live);
  try {
    await takeUp(core, live);
    for (;;) if ((await step(core, live)) === 'rest') break;
  } catch (error) {
    await stopped(core, live, live.abort.signal.aborted ? live.abort.signal.reason : error);
  } finally {
    cancelTimer();
  }
  await Promise.all([settleNow(core, live), live.saving]);
  core.live.delete(live.run.id);
  if (live.run.owner === null) await leave(core, live);
}

/** After a rest: the run leaves its tree's active members, and its duties are performed. */
async function leave(core: Core, { run, settled }: LiveRun): Promise<void> {
  try {
    if (!run.duties.includes('leave-tree')) await leaveTree(core, run);
    await settleDuties(core, run, settled);
  } catch (error) {
    core.log.warn({ err: error, runId: run.id }, 'what a run owes is left to repair');
  }
  if (run.runnable) core.wake(run);
}

/** Reads the run's context and journal, and writes off a call that died with its owner. */
async function takeUp(core: Core, live: LiveRun): Promise<void> {
  const { run } = live;
  const [tree, log] = await Promise.all([
    treeOf(core, run.rootRunId),
    core.store.runs.messages(run.id, run.context.from),
  ]);
  live.messages = log.map((entry) => entry.message);
  live.offset = run.context.from;
  if (writeOff(run, tree)) await commitOwned(core, live, (now) => ({ set: writeOff(now, tree) ?? {} }));
  for (const callId of await makeSettlements(core, live.run)) live.settled.add(callId);
  const { active, ended } = tree.members.get(run.id) ?? {};
  if (!active || ended) await updateMember(core, run, () => ({ active: true, ended: false }));
}

/** Aborts the work at the run's time limit; sets a new timer when only the wall clock was set. */
function watchTime(core: Core, live: LiveRun): () => void {
  let cancel = () => {};
  const arm = () => {
    const { deadlineAt } = clockOf(live.run, 'Running', timesOf(core));
    if (deadlineAt == null) return;
    const left = Math.min(Math.max(1, deadlineAt - core.clock.steady()), 2 ** 31 - 1);
    cancel = core.clock.after(left, look);
  };
  const look = () => {
    if (timeCommand(live.run, timesOf(core))) live.abort.abort(new Stop('time'));
    else arm();
  };
  if (live.run.deadlineAt !== null) arm();
  return () => cancel();
}

const noTools: readonly ToolDefinition[] = [];

async function step(core: Core, live: LiveRun): Promise<Step> {
  live.abort.signal.throwIfAborted();
  const { run } = live;
  if (run.control) return obey(core, live);
  if (core.closing) return rest(core, live, 'give-back', { reason: 'The server shuts down.' });
  const over = timeCommand(run, timesOf(core));
  if (over) return timeOut(core, live, over);
  const ruling = councilAsked(run.waiting);
  if (ruling) return ruleByCouncil(core, live, ruling);
  const asked = run.waiting.some((one) => one.for === 'decision' && one.callKey === null && one.decision === null);
  const last = live.messages.at(-1);
  const calling = last?.role === 'assistant' && (last.toolCalls?.length ?? 0) > 0;
  if (asked && !calling) return awaitDecision(core, live, 'Waits for a decision.', (now) => now.waiting);
  if (last?.role === 'assistant' && !calling) return conclude(core, live, last.content, last.cut);
  const briefing = await brief(core, live, calling);
  const tools = turnTools((await core.tools?.forRun(live.run)) ?? noTools, briefing, live.run);
  return calling ? toolTurn(core, live, briefing, tools.allowed) : modelTurn(core, live, briefing, tools);
}

/**
 * The briefing of this turn. Results that wait for the next commit do not wait for a slow briefing. Calls of a fast
 * answer are judged by the briefing of that answer.
 */
async function brief(core: Core, live: LiveRun, calling: boolean): Promise<Briefing> {
  if (calling && live.briefing && core.clock.steady() - live.briefedAt < freshMs) return live.briefing;
  live.briefedAt = core.clock.steady();
  live.briefing = plainBriefing;
  if (!core.briefings) return plainBriefing;
  const cancelTimer = core.clock.after(patienceMs, () => void commitDeferred(core, live).catch(() => {}));
  try {
    const { briefings } = core;
    live.briefing = await untilAborted(() => briefings.prepare(live.run, live.abort.signal), live.abort.signal);
    return live.briefing;
  } finally {
    cancelTimer();
  }
}

/** Ends the run after an answer without a tool call, unless something is still open. */
async function conclude(core: Core, live: LiveRun, answer: string, cut?: string): Promise<Step> {
  const tree = await treeOf(core, live.run.rootRunId);
  const arrived = new Set(live.run.arrived.map((one) => one.runId));
  const open = tree.members.childrenOf(live.run.id).filter((id) => !tree.members.get(id)?.ended);
  const awaited = open.filter((id) => !arrived.has(id));
  if (awaited.length > 0 && live.run.inbox.length === 0) return awaitOpenChildren(core, live, awaited);
  if (live.run.inbox.length > 0) return nudge(core, live, null);
  if (answer.trim() === '')
    return nudge(core, live, 'Your answer was empty. Call a tool, or answer with the result of the run.');
  const missing = await unmetContract(core, live, answer);
  if (missing) return nudge(core, live, missing);
  const ruled = await ruledEnd(core, live, answer);
  if (ruled) return nudge(core, live, ruled);
  await debrief(core, live);
  // Who reads the result, a parent too, is not to take a part of it for the whole.
  return completeUnlessNews(core, live, { summary: cut ? `${answer}\n\n[${cut}]` : answer, deliverable: null });
}

async function awaitOpenChildren(core: Core, live: LiveRun, runIds: number[]): Promise<Step> {
  await commitOwned(core, live, () => ({
    set: { waiting: [{ for: 'children', callKey: '', mode: 'all', count: runIds.length, runIds, single: false }] },
  }));
  const step = await awaitChildren(core, live);
  if (step === 'go-on') return nudge(core, live, null);
  return step;
}

/** Continues after an answer, with a text for the model or because of unread inbox items. */
async function nudge(core: Core, live: LiveRun, text: string | null): Promise<Step> {
  if (text === null) return goOn(core, live, 'Go on.', 0);
  const idle = live.run.idleTurns + 1;
  if (idle >= maxVainAnswers)
    return fail(core, live, `The model gave no usable result in ${idle} answers in a row. It was told last: ${text}`);
  return goOn(core, live, text, idle);
}

async function goOn(core: Core, live: LiveRun, text: string, idleTurns: number): Promise<Step> {
  const message = { role: 'user' as const, content: text };
  await commitOwned(core, live, (now) => ({
    set: { idleTurns, waiting: now.waiting.filter((one) => one.callKey !== '') },
    messages: [message],
    events: [{ type: 'IterationCompleted', title: `Turn ${now.iterationsUsed} done`, iteration: now.iterationsUsed }],
  }));
  live.messages.push(message);
  return 'go-on';
}

/** Carries out a stop request, unless it was withdrawn meanwhile. */
async function obey(core: Core, live: LiveRun): Promise<Step> {
  if (isPastDeadline(live.run, core.clock.now())) return timeOut(core, live, 'pass-deadline');
  let asked: Control | null = null;
  await commitOwned(core, live, (run) => {
    asked = run.control;
    if (!asked) return {};
    const { kind, reason, by } = asked;
    const isFailure = by === 'failure-policy';
    return moveRun(run, isFailure ? 'fail' : kind, { now: core.clock.now(), reason, by: isFailure ? null : by });
  });
  return asked ? 'rest' : 'go-on';
}

/** Brings a run whose work was aborted to rest. */
async function stopped(core: Core, live: LiveRun, error: unknown): Promise<void> {
  const why = error instanceof Stop ? error.why : 'error';
  if (why === 'lost') return;
  try {
    if (why === 'time') await timeOut(core, live, timeCommand(live.run, timesOf(core)) ?? 'time-out');
    else if (why === 'shutdown') await giveBack(core, live, 'The server shuts down.');
    else if (why === 'error') await broken(core, live, error);
    else {
      const step = await obey(core, live);
      if (step === 'go-on') await giveBack(core, live, 'Its stop request was withdrawn.');
    }
  } catch (second) {
    if (second instanceof Stop && second.why === 'lost') return;
    core.log.error({ err: second, runId: live.run.id }, 'a run could not be brought to rest; it will be recovered');
    core.abandoned.add(live.run.id);
  }
}

/** Requeues the run, to be continued from its last step. */
async function giveBack(core: Core, live: LiveRun, reason: string): Promise<void> {
  await rest(core, live, 'give-back', { reason });
}

async function broken(core: Core, live: LiveRun, error: unknown): Promise<void> {
  const fault = toFault(error);
  core.log.error({ err: error, runId: live.run.id }, 'a run broke');
  const detail = fault.code === 'INTERNAL_ERROR' && error instanceof Error ? error.message : fault.message;
  await fail(core, live, `${fault.code}: ${detail}`);
}

/** Claims a run for this node; null when another node claimed it first or it is not claimable. */
export async function claim(core: Core, runId: number): Promise<RunRecord | null> {
  const committed = await commit(core, runId, (now) => {
    if (!now.runnable || now.owner !== null || isHeldElsewhere(core, now)) return null;
    return moveRun(now, 'claim', { now: core.clock.now(), owner: core.node });
  });
  return committed?.run ?? null;
}
