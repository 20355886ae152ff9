// One tool call: permission, arguments, execution; its result is always text that the model can act on.
import { toFault } from '../../../src/kernel/fault.ts';
import type { ToolCallRecord } from '../../message-log.ts';
import type { AnsweredQuestion, ToolContext, ToolDefinition, ToolOutcome } from '../../ports.ts';
import { type Parsed, parseArguments } from '../../tool-schema.ts';
import { emit } from '../records/announce.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { auxCall } from './aux-call.ts';
import { modelOf, plainBriefing } from './prompt.ts';
import { standingOf } from './tool-policy.ts';

export type Clearance =
  | { verdict: 'go'; parsed: Parsed }
  | { verdict: 'refuse'; state: 'Failed' | 'Blocked'; text: string }
  | { verdict: 'approve'; reason: string };

/** Checks a call: the tool exists, the policy allows it, its arguments fit. */
export function clear(
  tool: ToolDefinition | undefined,
  call: ToolCallRecord,
  policy: Parameters<typeof standingOf>[1],
): Clearance {
  if (!tool)
    return {
      verdict: 'refuse',
      state: 'Failed',
      text: `There is no tool ${call.name}. Use one of those you were given.`,
    };
  const standing = standingOf(tool, policy);
  if (standing === 'blocked')
    return { verdict: 'refuse', state: 'Blocked', text: `TOOL_BLOCKED: ${call.name} is not allowed for this run.` };
  const parsed = parseArguments(tool, call.argumentsJson);
  if (!parsed.ok) return { verdict: 'refuse', state: 'Failed', text: parsed.problem };
  if (standing === 'opt-in')
    return { verdict: 'approve', reason: `${tool.displayName} needs an approval for each call.` };
  return { verdict: 'go', parsed };
}

/** Executes a call. Whatever the tool throws becomes an error result; only a stop of the run is passed on. */
export async function execute(
  core: Core,
  live: LiveRun,
  tool: ToolDefinition,
  call: ToolCallRecord,
  parsed: Parsed,
  answered?: AnsweredQuestion,
): Promise<ToolOutcome> {
  if (!parsed.ok) return { content: parsed.problem, isError: true };
  // Local tools answer at once and need no timeout.
  const limit = tool.local ? null : limitTime(core, live, tool.timeoutMs ?? core.options.toolTimeoutMs);
  const signal = limit?.signal ?? live.abort.signal;
  const traceparent = core.tracing?.parent();
  const context: ToolContext = {
    run: live.run,
    toolCallId: call.callId,
    idempotencyKey: `run-${live.run.id}-${live.run.restarts}-${call.key}`,
    signal,
    ...(traceparent && { traceparent }),
    ...(answered && { answered }),
    model: async ({ messages, maxOutputTokens }) => {
      const modelId = modelOf(live.run, live.briefing ?? plainBriefing);
      const text = await auxCall(core, live, { modelId, messages, maxOutputTokens, purpose: 'Run', signal });
      return text === null ? null : { text, modelId };
    },
    progress: (text) => emitProgress(core, live, call, text),
  };
  try {
    const outcome = await untilAborted(() => tool.handler(parsed.input, context), signal);
    return typeof outcome === 'string' ? { content: outcome } : outcome;
  } catch (error) {
    if (live.abort.signal.aborted) throw live.abort.signal.reason;
    if (error instanceof Stop) throw error;
    if (limit?.isOver()) {
      return { content: `The tool gave no answer within ${limit.timeoutMs} ms and was stopped.`, isError: true };
    }
    const fault = toFault(error);
    if (fault.code === 'INTERNAL_ERROR')
      core.log.warn({ err: error, runId: live.run.id, tool: tool.name }, 'a tool failed');
    const text = fault.code === 'INTERNAL_ERROR' && error instanceof Error ? error.message : fault.message;
    return { content: `${fault.code}: ${text}${fault.hint ? ` ${fault.hint}` : ''}`, isError: true };
  } finally {
    limit?.cancel();
  }
}

/** A signal that aborts with the run's signal or at the timeout. */
function limitTime(core: Core, live: LiveRun, timeoutMs: number) {
  const tooLong = new AbortController();
  const cancel = core.clock.after(timeoutMs, () => tooLong.abort(new Error('timeout')));
  const signal = AbortSignal.any([live.abort.signal, tooLong.signal]);
  return { timeoutMs, signal, isOver: () => tooLong.signal.aborted, cancel };
}

/**
 * Result of `start`, or a rejection once the signal aborts; a tool that ignores its signal does not block the run.
 * With an aborted signal, nothing is started.
 */
export function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    start()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function emitProgress(core: Core, live: LiveRun, call: ToolCallRecord, text: string): void {
  const { run } = live;
  emit(core, run, 'run.delta', {
    runId: run.id,
    rootRunId: run.rootRunId,
    iteration: run.iterationsUsed,
    index: 0,
    kind: 'Content',
    delta: text,
    toolCallId: call.callId,
    modelId: null,
  });
}

/** Tool output for the model: head and tail of long output, with the number of characters left out. */
export function shape(content: string, limit: number): string {
  if (content.length <= limit) return content;
  const head = Math.floor(limit * 0.7);
  const tail = limit - head;
  const left = content.length - head - tail;
  return `${content.slice(0, head)}\n[… ${left} characters left out; ask for a part if you need it …]\n${content.slice(-tail)}`;
}
