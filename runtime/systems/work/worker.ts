// The work on one claimed run: step after step until it rests, obeying stop requests between and within steps.
import { toFault } from '../../../src/kernel/fault.ts';
import type { Briefing, ToolDefinition } from '../../ports.ts';
import type { Control, RunRecord } from '../../records.ts';
import { childrenIn } from '../../state/pool.ts';
import { clockOf, isPastDeadline, moveRun, timeCommand } from '../../state/run.ts';
import { councilAsked, ruleByCouncil } from '../councils/rulings.ts';
import { awaitDecision } from '../escalations/escalations.ts';
import { completeUnlessNews, fail, rest, settleDuties, timeOut } from '../life/endings.ts';
import { commit, commitDeferred, commitOwned } from '../records/commits.ts';
import { type Bag, type LiveRun, Stop, timesOf } from '../records/core.ts';
import { makeSettlements, settleNow, writeOff } from '../trees/escrow.ts';
import { leaveTree, treeOf, updateMember } from '../trees/trees.ts';
import { unmetContract } from '../turn/contracts.ts';
import { debrief } from '../turn/debrief.ts';
import { modelTurn, type Step } from '../turn/model-turn.ts';
import { plainBriefing } from '../turn/prompt.ts';
import { standingOf } from '../turn/tool-policy.ts';
import { awaitChildren, toolTurn } from '../turn/tool-turn.ts';

/** Empty answers and unmet contracts that a run may give in a row before it fails. */
const maxVainAnswers = 3;

/** Milliseconds that a briefing holds for the calls of the answer it led to. */
const freshMs = 500;

/** Milliseconds that a stored change may wait to share a write. */
const patienceMs = 10;

/** Works on a run that was just claimed, until it rests. Never throws. */
export async function work(bag: Bag, live: LiveRun): Promise<void> {
  const cancelTimer = watchTime(bag, live);
  try {
    await takeUp(bag, live);
    for (;;) if ((await step(bag, live)) === 'rest') break;
  } catch (error) {
    await stopped(bag, live, live.abort.signal.aborted ? live.abort.signal.reason : error);
  } finally {
    cancelTimer();
  }
  await Promise.all([settleNow(bag, live), live.saving]);
  bag.live.delete(live.run.id);
  if (live.run.owner === null) await leave(bag, live.run);
}

/** After a rest: the tree hears of it, and what the run owes to others is done. */
async function leave(bag: Bag, run: RunRecord): Promise<void> {
  try {
    if (!run.duties.includes('leave-tree')) await leaveTree(bag, run);
    await settleDuties(bag, run);
  } catch (error) {
    bag.log.warn({ err: error, runId: run.id }, 'what a run owes is left to repair');
  }
  if (run.runnable) bag.wake(run.id, run.tenantId, run.rootRunId);
}

/** Reads what the run had seen and said, and writes off a call that died with its owner. */
async function takeUp(bag: Bag, live: LiveRun): Promise<void> {
  const { run } = live;
  const [tree, log] = await Promise.all([
    treeOf(bag, run.rootRunId),
    bag.store.runs.messages(run.id, run.context.from),
  ]);
  live.messages = log.map((entry) => entry.message);
  live.offset = run.context.from;
  if (writeOff(run, tree)) await commitOwned(bag, live, (now) => ({ set: writeOff(now, tree) ?? {} }));
  const { settlements } = live.run;
  await makeSettlements(bag, live.run, settlements);
  for (const settlement of settlements) live.settled.add(settlement.callId);
  const { active, ended } = tree.members[run.id] ?? {};
  if (!active || ended) await updateMember(bag, run, () => ({ active: true, ended: false }));
}

/** Ends the work when its time is over; where only the wall clock was set meanwhile, it looks again. */
function watchTime(bag: Bag, live: LiveRun): () => void {
  let cancel = () => {};
  const arm = () => {
    const { deadlineAt } = clockOf(live.run, 'Running', timesOf(bag));
    if (deadlineAt == null) return;
    const left = Math.min(Math.max(1, deadlineAt - bag.clock.steady()), 2 ** 31 - 1);
    cancel = bag.clock.after(left, look);
  };
  const look = () => {
    if (timeCommand(live.run, timesOf(bag))) live.abort.abort(new Stop('time'));
    else arm();
  };
  if (live.run.deadlineAt !== null) arm();
  return () => cancel();
}

async function step(bag: Bag, live: LiveRun): Promise<Step> {
  live.abort.signal.throwIfAborted();
  const { run } = live;
  if (run.control) return obey(bag, live);
  if (bag.closing) return rest(bag, live, 'give-back', { reason: 'The server shuts down.' });
  const over = timeCommand(run, timesOf(bag));
  if (over) return timeOut(bag, live, over);
  const ruling = councilAsked(run.waiting);
  if (ruling) return ruleByCouncil(bag, live, ruling);
  const asked = run.waiting.some((one) => one.for === 'decision' && one.callKey === null && one.decision === null);
  const last = live.messages.at(-1);
  const calling = last?.role === 'assistant' && (last.toolCalls?.length ?? 0) > 0;
  if (asked && !calling) return awaitDecision(bag, live, 'Waits for a decision.', (now) => now.waiting);
  if (last?.role === 'assistant' && !calling) return conclude(bag, live, last.content);
  const briefing = await brief(bag, live, calling);
  const tools = await toolsFor(bag, live, briefing);
  if (calling) return toolTurn(bag, live, briefing, tools);
  const shown = tools.filter((tool) => tool.shown !== false);
  return modelTurn(bag, live, briefing, shown);
}

/**
 * What the run is told this turn. Results that wait for the next commit do not wait for a slow briefing. The calls of
 * an answer that came quickly are judged by the briefing that led to them.
 */
async function brief(bag: Bag, live: LiveRun, calling: boolean): Promise<Briefing> {
  if (calling && live.briefing && bag.clock.steady() - live.briefedAt < freshMs) return live.briefing;
  live.briefedAt = bag.clock.steady();
  live.briefing = plainBriefing;
  if (!bag.briefings) return plainBriefing;
  const cancelTimer = bag.clock.after(patienceMs, () => void commitDeferred(bag, live).catch(() => {}));
  try {
    live.briefing = await bag.briefings.prepare(live.run, live.abort.signal);
    return live.briefing;
  } finally {
    cancelTimer();
  }
}

/** The tools that this run may be offered; blocked ones are not even shown. */
async function toolsFor(bag: Bag, live: LiveRun, briefing: Briefing): Promise<readonly ToolDefinition[]> {
  const all = (await bag.tools?.forRun(live.run)) ?? [];
  return all.filter((tool) => standingOf(tool, briefing.policy) !== 'blocked');
}

/** An answer without a tool call ends the run, unless something is still open. */
async function conclude(bag: Bag, live: LiveRun, answer: string): Promise<Step> {
  const tree = await treeOf(bag, live.run.rootRunId);
  const arrived = new Set(live.run.arrived.map((one) => one.runId));
  const open = childrenIn(tree, live.run.id).filter((id) => !tree.members[id]?.ended);
  const awaited = open.filter((id) => !arrived.has(id));
  if (awaited.length > 0 && live.run.inbox.length === 0) return awaitOpenChildren(bag, live, awaited);
  if (live.run.inbox.length > 0) return nudge(bag, live, null);
  if (answer.trim() === '')
    return nudge(bag, live, 'Your answer was empty. Call a tool, or answer with the result of the run.');
  const missing = await unmetContract(bag, live, answer);
  if (missing) return nudge(bag, live, missing);
  await debrief(bag, live);
  return completeUnlessNews(bag, live, { summary: answer, deliverable: null });
}

async function awaitOpenChildren(bag: Bag, live: LiveRun, runIds: number[]): Promise<Step> {
  await commitOwned(bag, live, () => ({
    set: { waiting: [{ for: 'children', callKey: '', mode: 'all', count: runIds.length, runIds, single: false }] },
  }));
  const step = await awaitChildren(bag, live);
  if (step === 'go-on') return nudge(bag, live, null);
  return step;
}

/** Goes on after an answer: with a word to the model, or because the inbox has something for it. */
async function nudge(bag: Bag, live: LiveRun, text: string | null): Promise<Step> {
  if (text === null) return goOn(bag, live, 'Go on.', 0);
  const idle = live.run.idleTurns + 1;
  if (idle >= maxVainAnswers) return fail(bag, live, text);
  return goOn(bag, live, text, idle);
}

async function goOn(bag: Bag, live: LiveRun, text: string, idleTurns: number): Promise<Step> {
  const message = { role: 'user' as const, content: text };
  await commitOwned(bag, live, (now) => ({
    set: { idleTurns, waiting: now.waiting.filter((one) => one.callKey !== '') },
    messages: [message],
    events: [{ type: 'IterationCompleted', title: `Turn ${now.iterationsUsed} done`, iteration: now.iterationsUsed }],
  }));
  live.messages.push(message);
  return 'go-on';
}

/** Does what was asked for, unless the request was taken back meanwhile. */
async function obey(bag: Bag, live: LiveRun): Promise<Step> {
  if (isPastDeadline(live.run, bag.clock.now())) return timeOut(bag, live, 'pass-deadline');
  let asked: Control | null = null;
  await commitOwned(bag, live, (run) => {
    asked = run.control;
    if (!asked) return {};
    const { kind, reason, by } = asked;
    const isFailure = by === 'failure-policy';
    return moveRun(run, isFailure ? 'fail' : kind, { now: bag.clock.now(), reason, by: isFailure ? null : by });
  });
  return asked ? 'rest' : 'go-on';
}

/** Brings a run to rest whose work was stopped in the middle. */
async function stopped(bag: Bag, live: LiveRun, error: unknown): Promise<void> {
  const why = error instanceof Stop ? error.why : 'error';
  if (why === 'lost') return;
  try {
    if (why === 'time') await timeOut(bag, live, timeCommand(live.run, timesOf(bag)) ?? 'time-out');
    else if (why === 'shutdown') await giveBack(bag, live, 'The server shuts down.');
    else if (why === 'error') await broken(bag, live, error);
    else {
      const step = await obey(bag, live);
      if (step === 'go-on') await giveBack(bag, live, 'Its stop request was withdrawn.');
    }
  } catch (second) {
    if (second instanceof Stop && second.why === 'lost') return;
    bag.log.error({ err: second, runId: live.run.id }, 'a run could not be brought to rest; it will be recovered');
    bag.abandoned.add(live.run.id);
  }
}

/** Puts the run back into the queue, to be taken up from its last step. */
async function giveBack(bag: Bag, live: LiveRun, reason: string): Promise<void> {
  await rest(bag, live, 'give-back', { reason });
}

async function broken(bag: Bag, live: LiveRun, error: unknown): Promise<void> {
  const fault = toFault(error);
  bag.log.error({ err: error, runId: live.run.id }, 'a run broke');
  const detail = fault.code === 'INTERNAL_ERROR' && error instanceof Error ? error.message : fault.message;
  await fail(bag, live, `${fault.code}: ${detail}`);
}

/** Claims a run for this node; null when somebody was faster or it is not claimable. */
export async function claim(bag: Bag, runId: number): Promise<RunRecord | null> {
  const committed = await commit(bag, runId, (now) => {
    if (!now.runnable || now.owner !== null) return null;
    return moveRun(now, 'claim', { now: bag.clock.now(), owner: bag.node });
  });
  return committed?.run ?? null;
}
