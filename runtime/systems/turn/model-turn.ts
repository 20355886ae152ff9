// One turn's model call: its worst case is reserved first, and its answer is stored before anything follows from it.

import type { ToolCallRecord } from '../../message-log.ts';
import type { FinishReason, ModelMessage, ModelToolCall } from '../../model.ts';
import type { Briefing, RunChange, ToolDefinition } from '../../ports.ts';
import type { EventDraft, RunRecord, Settlement } from '../../records.ts';
import { hasMark, withMarks } from '../../state/marks.ts';
import { heedTree } from '../life/duties.ts';
import { exhaust, timeOut } from '../life/endings.ts';
import { emitBudget } from '../records/announce.ts';
import { commitDeferred, commitOwned, defer } from '../records/commits.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { treeNow, treeOf } from '../records/known-trees.ts';
import { canReserve, reserveCall, settleLater } from '../trees/escrow.ts';
import { allowance, budgetWarnings, shrink, spentPool } from './budgets.ts';
import { compactIfFull } from './compaction.ts';
import { cutShort } from './failed-call.ts';
import { type Answer, type Call, listen, type Step } from './model-call.ts';
import { buildPrompt, callerOf, modelOf, shownModel } from './prompt.ts';
import { standingOf } from './tool-policy.ts';
import type { TurnTools } from './turn-tools.ts';

/** Makes one model call and stores its answer. */
export async function modelTurn(core: Core, live: LiveRun, briefing: Briefing, tools: TurnTools): Promise<Step> {
  await modelOpen(core, live, modelOf(live.run, briefing));
  const call = await prepareCall(core, live, briefing, tools);
  if (typeof call === 'string') return call;
  const admitted = await admitCall(core, live, call);
  if (admitted !== 'admitted') return admitted;
  let answer: Answer;
  try {
    answer = await listen(core, live, call);
  } catch (error) {
    return cutShort(core, live, call, error);
  }
  const isLocal = answer.calls.every((one) => standsAlone(tools.shown, briefing, one));
  await finish(core, live, call, answer, isLocal);
  return 'go-on';
}

/** Waits until the provider's rate limit on this model has passed. */
async function modelOpen(core: Core, live: LiveRun, modelId: string): Promise<void> {
  for (;;) {
    const wait = (core.throttled.get(modelId) ?? 0) - core.clock.steady();
    if (wait <= 0) return;
    await commitDeferred(core, live);
    await core.clock.sleep(wait, live.abort.signal);
  }
}

async function prepareCall(
  core: Core,
  live: LiveRun,
  briefing: Briefing,
  { offered, onRequest }: TurnTools,
): Promise<Call | Step> {
  const modelId = modelOf(live.run, briefing);
  const limits = core.model.limits(modelId);
  let prompt = buildPrompt(live, briefing, offered);
  const compacted = await compactIfFull(core, live, prompt.tokens, modelId);
  if (compacted === 'rest') return 'rest';
  if (compacted === 'compacted') prompt = buildPrompt(live, briefing, offered);
  // The count of the last prompt is more exact than the estimate; the larger of both is reserved.
  const promptTokens = Math.max(prompt.tokens, live.run.contextUsedTokens);
  const allowed = allowance(live.run, promptTokens, limits.maxOutputTokens);
  if (!allowed.ok) return exhaust(core, live, allowed.spent);
  return {
    id: `${live.run.id}:${live.fence}:${live.callCount++}`,
    promptTokens,
    unread: prompt.unread,
    recalled: briefing.recalled,
    request: {
      tenantId: live.run.tenantId,
      modelId,
      messages: prompt.messages,
      tools: [...offered],
      ...(onRequest.length > 0 ? { onRequest: [...onRequest] } : {}),
      maxOutputTokens: allowed.maxOutputTokens,
      // Failures are counted and retried by the run itself, between turns.
      repeats: false,
      purpose: 'Run',
      ...callerOf(live.run),
      cacheKey: `run:${live.run.id}`,
      signal: live.abort.signal,
      ...(briefing.temperature === undefined ? {} : { temperature: briefing.temperature }),
      ...(briefing.fallbackModelIds ? { fallbackModelIds: briefing.fallbackModelIds } : {}),
      ...(live.run.reasoningEffort ? { reasoningEffort: live.run.reasoningEffort } : {}),
    },
  };
}

const needOf = (core: Core, call: Call) => ({
  callId: call.id,
  tokens: call.promptTokens + call.request.maxOutputTokens!,
  costUsd: core.model.estimateCost(call.request.modelId, call.promptTokens, call.request.maxOutputTokens!),
  countIteration: true,
});

/** Reserves the worst case and records the call's start; in one go when nothing seems to prevent it. */
async function admitCall(core: Core, live: LiveRun, call: Call): Promise<'admitted' | Step> {
  live.abort.signal.throwIfAborted();
  if (!core.leaseValid()) throw new Stop('lost');
  if (!canReserve(core, live, needOf(core, call))) {
    const refused = await reserveShrinking(core, live, call);
    if (refused) return refused;
    await begin(core, live, call);
    return 'admitted';
  }
  const [reserved] = await Promise.all([reserveCall(core, live, needOf(core, call)), begin(core, live, call)]);
  if (reserved.ok) return 'admitted';
  // Another node reserved first: the call is not made, and the next step finds the reason.
  await commitOwned(core, live, () => ({
    set: { modelCall: null },
    events: [{ type: 'ModelCallFailed', title: 'Not sent', message: `The pool refused it: ${reserved.why}.` }],
  }));
  return 'go-on';
}

/** Reserves the worst case, with less output when the pool is nearly empty. Returns the step to take when it cannot. */
async function reserveShrinking(core: Core, live: LiveRun, call: Call): Promise<Step | null> {
  for (;;) {
    live.abort.signal.throwIfAborted();
    const answer = await reserveCall(core, live, needOf(core, call));
    if (answer.ok) return null;
    if (answer.why === 'stopped') return refresh(core, live);
    if (answer.why === 'deadline') return timeOut(core, live, 'pass-deadline');
    const maxOutputTokens = call.request.maxOutputTokens!;
    const fits = shrink(call.promptTokens, maxOutputTokens, answer.available);
    if (fits === null || fits >= maxOutputTokens) {
      const tree = treeNow(core, live.run.rootRunId) ?? (await treeOf(core, live.run.rootRunId));
      return exhaust(core, live, spentPool(tree, call.promptTokens, needOf(core, call).costUsd));
    }
    call.request.maxOutputTokens = fits;
  }
}

/** Reads the stop request after the tree has stopped this run. */
async function refresh(core: Core, live: LiveRun): Promise<Step> {
  await commitOwned(core, live, () => ({}));
  if (live.run.control) return 'go-on';
  await core.clock.sleep(50, live.abort.signal);
  if (!live.run.control) await heedTree(core, live.run);
  return 'go-on';
}

async function begin(core: Core, live: LiveRun, call: Call): Promise<void> {
  const unread = new Set(call.unread.keys);
  const committed = await commitOwned(core, live, (now) => {
    const iteration = now.turnOpen ? now.iterationsUsed : now.iterationsUsed + 1;
    const events: EventDraft[] = now.turnOpen
      ? []
      : [{ type: 'IterationStarted', title: `Turn ${iteration}`, iteration }];
    for (const item of now.inbox) {
      if (!unread.has(item.key)) continue;
      const type = item.kind === 'message' ? 'MessageReceived' : item.kind === 'guidance' ? 'GuidanceReceived' : null;
      if (type)
        events.push({ type, title: item.from ? `From ${item.from}` : 'Steering', message: item.text, iteration });
    }
    const { recalled } = call;
    const isNews = recalled !== undefined && !hasMark(now.seen, recalled.key);
    if (isNews) events.push({ ...recalled.event, iteration });
    const modelId = shownModel(core, call.request.modelId);
    events.push({ type: 'ModelCallStarted', title: modelId, modelId, iteration });
    return {
      set: {
        turnOpen: true,
        iterationsUsed: iteration,
        modelCall: { id: call.id, tokens: call.promptTokens + (call.request.maxOutputTokens ?? 0) },
        inbox: now.inbox.filter((item) => !unread.has(item.key)),
        ...(isNews && { seen: withMarks(now.seen, recalled.key) }),
      },
      messages: call.unread.messages,
      events,
    };
  });
  if (!committed) throw new Stop('lost');
  live.messages.push(...call.unread.messages);
}

/** Whether a call changes only the run itself, so that the answer and the outcome may be one write. */
function standsAlone(tools: readonly ToolDefinition[], briefing: Briefing, call: ModelToolCall): boolean {
  const tool = tools.find((one) => one.name === call.name);
  return tool?.local === true && standingOf(tool, briefing.policy) === 'safe';
}

/** Stores the answer and its cost: at once, unless all that follows stays within the run (`isLocal`). */
export async function finish(core: Core, live: LiveRun, call: Call, answer: Answer, isLocal: boolean): Promise<void> {
  const { usage } = answer;
  const tokens = usage.promptTokens + usage.completionTokens;
  const settlement: Settlement = {
    callId: call.id,
    tokens,
    costUsd: usage.costUsd,
    writtenOff: 0,
    countIteration: true,
  };
  const message: ModelMessage = {
    role: 'assistant',
    content: answer.text,
    ...(answer.reasoning ? { reasoning: answer.reasoning } : {}),
    ...(answer.calls.length > 0 ? { toolCalls: answer.calls } : {}),
    ...(answer.providerState === undefined ? {} : { providerState: answer.providerState }),
    ...(answer.reason in cutBy && { cut: whyCut(core, call, answer) }),
  };
  let journal: ToolCallRecord[] | null = null;
  const change = (now: RunRecord): RunChange => {
    const spent = {
      promptTokens: now.promptTokens + usage.promptTokens,
      completionTokens: now.completionTokens + usage.completionTokens,
      tokensUsed: now.tokensUsed + tokens,
      costUsd: now.costUsd + usage.costUsd,
    };
    const warnings = budgetWarnings({ ...now, ...spent }, core.clock.steady());
    journal = answer.calls.length > 0 ? journalOf(now.messageCount, answer.calls) : null;
    return {
      set: {
        ...spent,
        ...(warnings ? { warned: warnings.warned } : {}),
        modelCall: null,
        turnOpen: false,
        modelFailures: 0,
        crashes: 0,
        contextUsedTokens: tokens,
        settlements: [...now.settlements, settlement],
      },
      messages: [message],
      events: [
        ...answer.fallbacks.map(fallbackEvent),
        answerEvent(answer),
        ...answer.calls.map(startedEvent),
        ...(warnings?.events ?? []),
      ],
      toolCalls: journal ?? [],
    };
  };
  defer(live, change, () => {
    settleLater(core, live, settlement);
    emitBudget(core, live);
  });
  if (!isLocal) await commitDeferred(core, live);
  live.messages.push(message);
  live.journal = journal;
}

/** Answers that are not what the model would have said: a result that is one of them may lack its end. */
const cutBy: Partial<Record<FinishReason, string>> = {
  length: ', cut off at its limit',
  'content-filter': ', cut off by a filter of its provider',
};

/** Says why an answer lacks its end: by which limit, and what to raise. */
function whyCut(core: Core, { request }: Call, { reason, modelId }: Answer): string {
  if (reason !== 'length') return `A filter of the provider of ${modelId} cut this answer off.`;
  const limit = core.model.limits(request.modelId).maxOutputTokens;
  const given = request.maxOutputTokens ?? limit;
  if (given < limit)
    return `This answer was cut off: the run had ${given} tokens left for it. Raise its maxTokens, or the pool of its tree.`;
  return `This answer was cut off at the output limit of ${modelId}, ${limit} tokens. Ask for less at once, use a model that may write more, or raise the model's maxOutputTokens.`;
}

const answerEvent = (answer: Answer): EventDraft => ({
  type: 'ModelCallCompleted',
  ...(answer.reason in cutBy && { level: 'Warning' }),
  title: `${answer.calls.length > 0 ? `Calls ${answer.calls.map((one) => one.name).join(', ')}` : 'Answers'}${cutBy[answer.reason] ?? ''}`,
  message: answer.text || null,
  modelId: answer.modelId,
  promptTokens: answer.usage.promptTokens,
  completionTokens: answer.usage.completionTokens,
  costUsd: answer.usage.costUsd,
  durationMs: answer.durationMs,
  ...(answer.reasoning ? { payload: { reasoning: answer.reasoning } } : {}),
});

const fallbackEvent = ({ modelId, reason }: Answer['fallbacks'][number]): EventDraft => ({
  type: 'ModelFallback',
  title: modelId,
  message: reason,
  modelId,
});

const startedEvent = (call: ModelToolCall): EventDraft => ({
  type: 'ToolCallStarted',
  title: call.name,
  toolName: call.name,
  toolCallId: call.id,
  payload: { argumentsJson: call.argumentsJson },
});

const journalOf = (messageIndex: number, calls: readonly ModelToolCall[]): ToolCallRecord[] =>
  calls.map((call, at) => ({
    key: `${messageIndex}.${at}`,
    callId: call.id,
    name: call.name,
    argumentsJson: call.argumentsJson,
    state: 'Pending',
    result: null,
    isError: false,
    startedAt: null,
    finishedAt: null,
  }));
