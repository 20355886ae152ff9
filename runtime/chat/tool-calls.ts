// Tool calls of one step: made in parallel, refused where the policy forbids them, approved by people where it asks.
import { toFault } from '../../src/kernel/fault.ts';
import type { ModelToolCall } from '../model.ts';
import type { AnsweredQuestion, ToolQuestion } from '../ports.ts';
import { shape, untilAborted } from '../systems/turn/tool-call.ts';
import { standingOf } from '../systems/turn/tool-policy.ts';
import { parseArguments } from '../tool-schema.ts';
import type { LiveReply } from './live.ts';
import type { ApprovalDecision, ChatBriefing, ChatPorts, ChatTool } from './ports.ts';
import { resultJson } from './prompt.ts';
import type { ChatToolCall, ChatToolState } from './records.ts';

const toolTimeoutMs = 120_000;
const outputLimit = 60_000;

export const newCall = ({ id, name, argumentsJson }: ModelToolCall): ChatToolCall => ({
  id,
  name,
  argumentsJson,
  resultJson: null,
  status: 'Pending',
  durationMs: null,
  escalationId: null,
});

/** Makes the newest step's calls that have no result. True when all have one, false when some wait. */
export async function makeCalls(
  ports: ChatPorts,
  live: LiveReply,
  briefing: ChatBriefing,
  tools: readonly ChatTool[],
): Promise<boolean> {
  const { toolCalls } = live.step;
  // All calls settle before the reply ends: a question can be withdrawn only after it was raised.
  const made = await Promise.allSettled(
    toolCalls.map(async (call) => {
      if (call.status === 'Pending') await makeCall(ports, live, briefing, tools, call);
      // The server died during this call.
      else if (call.status === 'Running')
        finish(live, call, 'Failed', 'The call was interrupted: nobody knows whether it took effect.');
    }),
  );
  live.abort.signal.throwIfAborted();
  for (const one of made) if (one.status === 'rejected') throw one.reason;
  await live.save();
  return toolCalls.every(({ status }) => status !== 'AwaitingApproval' && status !== 'AwaitingClient');
}

async function makeCall(
  ports: ChatPorts,
  live: LiveReply,
  { policy }: ChatBriefing,
  tools: readonly ChatTool[],
  call: ChatToolCall,
): Promise<void> {
  const tool = tools.find(({ name }) => name === call.name);
  const refuse = (status: 'Failed' | 'Blocked', text: string) => finish(live, call, status, text);
  if (!tool) return refuse('Failed', `There is no tool ${call.name}. Use one of those you were given.`);
  if (tool.ofClient) {
    call.status = 'AwaitingClient';
    return live.emit({ type: 'ToolCall', toolCall: { ...call } });
  }
  const standing = standingOf(tool, policy);
  if (standing === 'blocked') return refuse('Blocked', `TOOL_BLOCKED: ${call.name} is not allowed here.`);
  const parsed = parseArguments(tool, call.argumentsJson);
  if (!parsed.ok) return refuse('Failed', parsed.problem);
  const ruling = call.escalationId === null ? await ruled(ports, live, call) : null;
  if (ruling?.verdict === 'block') return refuse('Blocked', ruling.text);
  if ((standing === 'opt-in' || ruling?.verdict === 'ask') && call.escalationId === null)
    return askPerson(ports, live, tool, call);
  call.status = 'Running';
  live.emit({ type: 'ToolCall', toolCall: { ...call } });
  // The intent is stored before the effect outside begins.
  await live.record();
  const begun = ports.clock.steady();
  const { content, isError, asks } = await execute(ports, live, tool, call, parsed.input);
  if (live.abort.signal.aborted) asks?.held?.drop();
  live.abort.signal.throwIfAborted();
  if (asks) return askPerson(ports, live, tool, call, asks);
  call.durationMs = ports.clock.steady() - begun;
  finish(live, call, isError ? 'Failed' : 'Succeeded', content);
}

/** Ruling of the standing rules on a call. Rules that need a model's judgement are in the prompt already. */
async function ruled({ rules }: ChatPorts, { session, message }: LiveReply, { name, argumentsJson }: ChatToolCall) {
  const { tenantId, identityId, projectId } = session;
  const used = async () =>
    new Set(message.steps.flatMap(({ toolCalls }) => toolCalls.filter(isMade).map((call) => call.name)));
  const act = { tool: name, argumentsJson, told: new Set<number>(), used };
  return (await rules?.beforeCall({ tenantId, identityId, projectId }, act)) ?? null;
}

const isMade = ({ status }: ChatToolCall) => status === 'Succeeded';

/** Lets a call wait for a person: whether it may be made, or, once it is made, what its tool asks. */
async function askPerson(
  ports: ChatPorts,
  live: LiveReply,
  tool: ChatTool,
  call: ChatToolCall,
  asks?: ToolQuestion,
): Promise<void> {
  const { session, message } = live;
  const { argumentsJson } = call;
  const made = `chat:${message.id}:${message.steps.length - 1}:${call.id}`;
  try {
    const escalationId = await ports.approvals.nextId();
    call.status = 'AwaitingApproval';
    call.escalationId = escalationId;
    if (asks) call.asked = keptOf(asks, tool, call);
    const callKey = call.asked ? `${made} ${call.asked.round}` : made;
    // The call stores the question's id first: the end of a reply finds open questions by their calls.
    await live.record();
    await ports.approvals.ask({ escalationId, session, callKey, tool, argumentsJson, ...(asks && { asks }) });
  } catch (error) {
    asks?.held?.drop();
    throw error;
  }
  live.emit({ type: 'ToolCall', toolCall: { ...call } });
}

const keptOf = ({ kind, kept, held }: ToolQuestion, { whenInterrupted }: ChatTool, { asked }: ChatToolCall) => ({
  ...{ kind, kept, round: (asked?.round ?? 0) + 1 },
  ...(held && whenInterrupted === 'report' && { once: true as const }),
});

/** Writes a call's result and publishes it. */
export function finish(live: LiveReply, call: ChatToolCall, status: ChatToolState, content: string): void {
  call.status = status;
  call.resultJson = resultJson(shape(content, outputLimit));
  call.durationMs ??= 0;
  delete call.asked;
  live.emit({ type: 'ToolResult', toolCall: { ...call } });
}

/** Writes a decision into the call that waits for it; false when none does. */
export function decide(live: LiveReply, decision: ApprovalDecision): boolean {
  const call = live.step.toolCalls.find(
    ({ escalationId, status }) => escalationId === decision.escalationId && status === 'AwaitingApproval',
  );
  if (!call) return false;
  if (call.asked) {
    const { answer, lost } = decision;
    call.status = 'Pending';
    call.asked.answer = { decision: answer, ...(lost && { lost }) };
  } else if (decision.approved) {
    call.status = 'Pending';
    call.argumentsJson = decision.argumentsJson ?? call.argumentsJson;
  } else finish(live, call, 'Failed', decision.text);
  return true;
}

/** Runs a tool; whatever it throws becomes a result that the model can act on. */
async function execute(
  ports: ChatPorts,
  live: LiveReply,
  tool: ChatTool,
  call: ChatToolCall,
  input: unknown,
): Promise<{ content: string; isError?: boolean; asks?: ToolQuestion }> {
  const timeoutMs = tool.timeoutMs ?? toolTimeoutMs;
  const tooLong = new AbortController();
  const cancelTimer = ports.clock.after(timeoutMs, () => tooLong.abort(new Error('timeout')));
  const signal = AbortSignal.any([live.abort.signal, tooLong.signal]);
  const context = {
    session: live.session,
    toolCallId: call.id,
    idempotencyKey: `chat-${live.message.id}-${live.message.steps.length - 1}-${call.id}`,
    signal,
    ...answeredOf(call),
  };
  try {
    const outcome = await untilAborted(() => tool.handler(input, context), signal);
    return typeof outcome === 'string' ? { content: outcome } : outcome;
  } catch (error) {
    if (tooLong.signal.aborted) return failure(`The tool gave no answer within ${timeoutMs} ms and was stopped.`);
    const { code, message, hint } = toFault(error);
    if (code === 'INTERNAL_ERROR' && !live.abort.signal.aborted)
      live.log.warn({ err: error, tool: tool.name }, 'a tool failed');
    return failure([`${code}: ${message}`, hint].filter(Boolean).join(' '));
  } finally {
    cancelTimer();
  }
}

function answeredOf({ asked }: ChatToolCall): { answered?: AnsweredQuestion } {
  return asked?.answer ? { answered: { kept: asked.kept, ...asked.answer } } : {};
}

const failure = (content: string) => ({ content, isError: true });
