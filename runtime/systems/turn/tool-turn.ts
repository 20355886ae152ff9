// Tool calls of one answer: made in parallel, each result stored before use, a finished call never repeated.

import type { ToolCallRecord } from '../../message-log.ts';
import type { ModelMessage } from '../../model.ts';
import type { AnsweredQuestion, Briefing, RunChange, ToolDefinition, ToolOutcome } from '../../ports.ts';
import type { EventDraft, InboxItem, RunRecord, Waiting } from '../../records.ts';
import { type Parsed, parseArguments } from '../../tool-schema.ts';
import { breakpointAt, holdAt } from '../escalations/breakpoints.ts';
import { approvalOf, awaitDecision, questionOf, raiseStale } from '../escalations/escalations.ts';
import { completeUnlessNews, fail, rest } from '../life/endings.ts';
import { isMet, joinMet, joinResult } from '../life/joins.ts';
import { dueCheckpoint, saveCheckpoint } from '../records/checkpoints.ts';
import { commitOwned, defer } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { letGo } from '../records/escalation-records.ts';
import { unmetContract } from './contracts.ts';
import { debrief } from './debrief.ts';
import { digest } from './digest.ts';
import type { Step } from './model-call.ts';
import { judgeTurn } from './progress.ts';
import { ruledCall, rulesOnError, surfaced } from './rules.ts';
import { supervise } from './supervisor.ts';
import { clear, execute, shape } from './tool-call.ts';

interface Done {
  record: ToolCallRecord;
  outcome: ToolOutcome;
}

/** Makes the newest answer's calls that have no result, then appends the results to the log. */
export async function toolTurn(
  core: Core,
  live: LiveRun,
  briefing: Briefing,
  tools: readonly ToolDefinition[],
): Promise<Step> {
  const index = live.offset + live.messages.length - 1;
  const journal = live.journal ?? (await core.store.runs.toolCalls(live.run.id, index));
  live.journal = [...journal];
  const open = journal.filter((record) => record.result === null);
  const done: Done[] = [];
  const waits: Waiting[] = [];
  await eachParallel(open, core.options.parallelTools, async (record) => {
    const answer = await settleCall(core, live, briefing, tools, record);
    if ('for' in answer) waits.push(answer);
    else if (open.length === 1 || answer.outcome.end || isLocal(tools, record)) done.push(answer);
    else await storeResult(core, live, answer);
  });
  live.abort.signal.throwIfAborted();
  if (waits.length > 0) return awaitOutcome(core, live, waits, done);
  return closeTurn(core, live, tools, done);
}

/** Whether a result may be stored together with those of the other calls: losing it in a crash loses nothing else. */
const isLocal = (tools: readonly ToolDefinition[], record: ToolCallRecord) =>
  tools.some((tool) => tool.name === record.name && tool.local);

/** Result of a call, or the reason why it waits. */
async function settleCall(
  core: Core,
  live: LiveRun,
  briefing: Briefing,
  tools: readonly ToolDefinition[],
  record: ToolCallRecord,
): Promise<Done | Waiting> {
  const tool = tools.find((one) => one.name === record.name);
  const wait = live.run.waiting.find((one) => one.callKey === record.key);
  if (wait?.for === 'children') {
    if (!isMet(wait, live.run.arrived)) return wait;
    return finished(core, record, { content: joinResult(wait, live.run), consumes: wait.runIds });
  }
  if (wait?.for === 'decision') {
    const decided = wait.decision;
    if (!decided) return wait;
    if (record.asked && tool) {
      const decision = decided.outcome === 'decided' ? decided.decision : null;
      const answered = {
        kept: record.asked.kept,
        decision,
        ...(decided.outcome === 'lost' && { lost: true as const }),
      };
      return goOn(core, live, tool, record, answered).finally(() => ended(core, live, decided.escalationId));
    }
    if (decided.outcome === 'skipped') {
      return finished(core, record, { content: decided.notes ?? 'A person skipped this call: it was not made.' });
    }
    if (record.state !== 'AwaitingApproval' || decided.outcome !== 'approved' || !tool) {
      const { escalationId, outcome, decision, notes } = decided;
      const content = JSON.stringify({ escalationId, outcome, decision, notes });
      return finished(core, record, { content, isError: record.state === 'AwaitingApproval' });
    }
    const approved = { ...record, argumentsJson: decided.argumentsJson ?? record.argumentsJson };
    return make(core, live, tool, approved, parseArguments(tool, approved.argumentsJson));
  }
  const cleared = clear(tool, record, briefing.policy);
  if (cleared.verdict === 'refuse') {
    return finished(core, record, { content: cleared.text, isError: true }, cleared.state);
  }
  const ruling = await ruledCall(core, live, record);
  if (ruling) {
    const { verdict, text } = ruling;
    const told = surfaced(live.run, ruling, { verdict, tool: record.name });
    if (verdict !== 'ask') return finished(core, record, { content: text, isError: true, ...told }, 'Blocked');
    await commitOwned(core, live, () => told);
  }
  const reason = ruling?.reason ?? (cleared.verdict === 'approve' ? cleared.reason : null);
  const stop = await breakpointAt(core, live, tool!, record);
  if (stop) return holdAt(core, live, { tool: tool!, record }, stop, reason);
  if (cleared.verdict === 'approve' || reason !== null) return approvalOf(core, live, tool!, record, reason ?? '');
  return make(core, live, tool!, record, cleared.parsed);
}

const goOn = (core: Core, live: LiveRun, tool: ToolDefinition, record: ToolCallRecord, answered: AnsweredQuestion) =>
  make(core, live, tool, record, parseArguments(tool, record.argumentsJson), answered);

/** Forgets what a question hung on, once its call has gone on; one whose run was stopped meanwhile waits no longer. */
function ended(core: Core, live: LiveRun, escalationId: number): void {
  if (live.abort.signal.aborted) letGo(core, escalationId);
  else core.held.delete(escalationId);
}

async function make(
  core: Core,
  live: LiveRun,
  tool: ToolDefinition,
  record: ToolCallRecord,
  parsed: Parsed,
  answered?: AnsweredQuestion,
): Promise<Done | Waiting> {
  live.abort.signal.throwIfAborted();
  if (record.state === 'Running' && tool.whenInterrupted === 'report') {
    const content =
      'The call was interrupted by a restart. Nobody knows whether it took effect: check before you repeat it.';
    return finished(core, { ...record, interrupted: true }, { content, isError: true });
  }
  const started = { ...record, startedAt: core.clock.now() };
  if (tool.whenInterrupted === 'report') await storeRecord(core, live, { ...started, state: 'Running' });
  const call = () => execute(core, live, tool, started, parsed, answered);
  const about = { run: live.run, tool: tool.name, callId: started.callId };
  const outcome = await (core.tracing ? core.tracing.tool(about, call) : call());
  if (outcome.asks) {
    return questionOf(core, live, { tool, record, question: outcome.asks, isAnswered: answered !== undefined });
  }
  if (!outcome.wait) {
    const content = await digest(core, live, tool.name, outcome.content);
    return finished(core, started, { ...outcome, content });
  }
  if (outcome.set || outcome.events) await storeRecord(core, live, started, outcome);
  return outcome.wait.for === 'decision'
    ? { ...outcome.wait, callKey: record.key, decision: null }
    : { ...outcome.wait, callKey: record.key };
}

function finished(core: Core, record: ToolCallRecord, outcome: ToolOutcome, state?: ToolCallRecord['state']): Done {
  const now = core.clock.now();
  return {
    record: {
      ...record,
      state: state ?? (outcome.isError ? 'Failed' : 'Succeeded'),
      result: shape(outcome.content, 2 * core.options.toolOutputChars),
      isError: outcome.isError ?? false,
      startedAt: record.startedAt ?? now,
      finishedAt: now,
    },
    outcome,
  };
}

async function storeRecord(core: Core, live: LiveRun, record: ToolCallRecord, also?: ToolOutcome): Promise<void> {
  await commitOwned(core, live, () => ({
    toolCalls: [record],
    ...(also?.set ? { set: also.set } : {}),
    ...(also?.events ? { events: also.events } : {}),
  }));
  remember(live, record);
}

/** The journal is this turn's own list, so that one of a thousand calls is not copied for each of them. */
function remember({ journal }: LiveRun, record: ToolCallRecord): void {
  const at = journal?.findIndex((one) => one.key === record.key) ?? -1;
  if (journal && at >= 0) journal[at] = record;
}

async function storeResult(core: Core, live: LiveRun, { record, outcome }: Done): Promise<void> {
  await commitOwned(core, live, (now) => ({
    toolCalls: [record],
    set: { ...outcome.set, ...consume(now, outcome), crashes: 0 },
    events: [resultEvent(record), ...(outcome.events ?? [])],
  }));
  remember(live, record);
}

/** Removes from the inbox the results of children that a join has returned. */
function consume(now: RunRecord, ...outcomes: ToolOutcome[]): Partial<RunRecord> {
  const consumed = outcomes.flatMap((one) => one.consumes ?? []);
  if (consumed.length === 0) return {};
  const arrived = new Set(now.arrived.map((one) => one.runId));
  const told = new Set(consumed.filter((id) => arrived.has(id)));
  if (told.size === 0) return {};
  return { inbox: now.inbox.filter((item) => item.kind !== 'child' || !told.has(item.childRunId ?? 0)) };
}

function resultEvent(record: ToolCallRecord): EventDraft {
  const type =
    record.state === 'Blocked' ? 'ToolCallBlocked' : record.state === 'Failed' ? 'ToolCallFailed' : 'ToolCallCompleted';
  return {
    type,
    level: record.isError ? 'Warning' : 'Information',
    title: record.name,
    message: record.result?.slice(0, 4000) ?? null,
    toolName: record.name,
    toolCallId: record.callId,
    durationMs: Math.max(0, (record.finishedAt ?? 0) - (record.startedAt ?? 0)),
  };
}

/** Parks a run whose calls wait for a result; its worker is free until there is one. */
async function awaitOutcome(core: Core, live: LiveRun, waits: Waiting[], done: Done[]): Promise<Step> {
  for (const one of done) await storeResult(core, live, one.outcome.end ? postponed(one) : one);
  const decisions = waits.filter((one) => one.for === 'decision');
  await supervise(core, live, decisions);
  const waitsOf = (now: RunRecord) => [
    ...undecided(now.waiting),
    ...waits.map((wait) => now.waiting.find((one) => isSame(one, wait)) ?? wait),
  ];
  const stop = decisions.find((one) => one.for === 'decision' && one.breakpoint && !one.decision);
  const why = stop?.for === 'decision' ? `Stopped at a breakpoint ${stop.breakpoint}.` : 'Waits for a decision.';
  if (decisions.length > 0) return awaitDecision(core, live, why, waitsOf);
  await commitOwned(core, live, (now) => ({ set: { waiting: waitsOf(now) } }));
  return awaitChildren(core, live);
}

/** A call that asks again waits for another question than the one before; one that was approved may wait for children. */
const isSame = (one: Waiting, wait: Waiting) =>
  one.callKey === wait.callKey &&
  one.for === wait.for &&
  (one.for !== 'decision' || wait.for !== 'decision' || one.escalationId === wait.escalationId);

/** Waits for children, unless their results have been delivered meanwhile. */
export async function awaitChildren(core: Core, live: LiveRun): Promise<Step> {
  if (joinMet(live.run)) return 'go-on';
  return rest(core, live, 'await-children', { reason: 'Waits for its child runs.' });
}

/** Error result of a call that would end the run while another call waits. */
function postponed({ record }: Done): Done {
  const result =
    'The run did not end, since another call of this turn waits for its outcome. Call this again afterwards.';
  return { record: { ...record, state: 'Failed', isError: true, result }, outcome: { content: result, isError: true } };
}

/** Decisions that other callers requested; no call of the run waits for them. */
const undecided = (waiting: readonly Waiting[]) =>
  waiting.filter((one) => one.for === 'decision' && one.callKey === null && one.decision === null);

/** Closes a turn whose calls all have results: they are appended to the message log. */
async function closeTurn(core: Core, live: LiveRun, tools: readonly ToolDefinition[], done: Done[]): Promise<Step> {
  const ending = await endingOf(core, live, done);
  for (const { record } of done) remember(live, record);
  const records = live.journal ?? [];
  const messages = records.map(toolMessage);
  const verdict = judgeTurn(live.run, records);
  const escalate = verdict.escalate && !ending;
  if (verdict.advice && !ending) messages.push(verdict.advice);
  const rules = ending ? null : await rulesOnError(core, live, records);
  if (rules) messages.push({ role: 'user', content: rules.text });
  const change: RunChange = {
    set: {
      ...Object.assign({}, ...done.map(({ outcome }) => outcome.set ?? {})),
      ...verdict.set,
      ...rules?.set,
      crashes: 0,
    },
    toolCalls: done.map(({ record }) => record),
    messages,
    events: [
      ...done.flatMap(({ record, outcome }) => [resultEvent(record), ...(outcome.events ?? [])]),
      ...verdict.events,
      ...(rules?.events ?? []),
      { type: 'IterationCompleted', title: `Turn ${live.run.iterationsUsed} done`, iteration: live.run.iterationsUsed },
    ],
  };
  live.journal = null;
  if (ending?.status === 'Completed') {
    await debrief(core, live);
    const { summary, deliverable } = ending;
    // With unread items nothing is stored: local calls change only the run, and are made again and refused.
    const isNews = (item: InboxItem) => item.kind !== 'child' && done.every(({ record }) => isLocal(tools, record));
    return completeUnlessNews(core, live, { summary, deliverable }, isNews, change);
  }
  if (ending?.status === 'Failed') return fail(core, live, ending.reason, change);
  const closing = (now: RunRecord) => ({
    ...change,
    set: { ...change.set, ...consume(now, ...done.map((one) => one.outcome)), waiting: undecided(now.waiting) },
  });
  defer(live, closing, () => saveCheckpoint(core, live, checkpoint));
  const checkpoint = dueCheckpoint(core, live);
  live.messages.push(...messages);
  return escalate ? raiseStale(core, live) : 'go-on';
}

const toolMessage = (record: ToolCallRecord): ModelMessage => ({
  role: 'tool',
  toolCallId: record.callId,
  toolName: record.name,
  content: record.result ?? '',
  ...(record.isError ? { isError: true } : {}),
});

/** The ending that the calls ask for; none while messages are unread or the contract is unmet. */
async function endingOf(core: Core, live: LiveRun, done: Done[]): Promise<ToolOutcome['end'] | undefined> {
  const last = done.find(({ outcome }) => outcome.end);
  const end = last?.outcome.end;
  if (!last || !end || end.status === 'Failed') return end;
  const objection = live.run.inbox.some((item) => item.kind !== 'child')
    ? 'New messages arrived. Read them in the next turn, then complete.'
    : await unmetContract(core, live, end.deliverable);
  if (!objection) return end;
  last.record = { ...last.record, state: 'Failed', isError: true, result: objection };
  last.outcome = { content: objection, isError: true };
  return undefined;
}

async function eachParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
