// Generates a reply: calls the model, carries out its tool calls, and repeats until an answer has none.
import { Fault } from '../../src/kernel/fault.ts';
import { namedBy } from '../../src/kernel/patterns.ts';
import { anyModel, type FinishReason, type ModelMessage, type ModelRequest, type ModelToolCall } from '../model.ts';
import { toolSchema } from '../tool-schema.ts';
import { branchOf, newestOf } from './branch.ts';
import { clientTools } from './client-tools.ts';
import { compact } from './compaction.ts';
import type { LiveReply } from './live.ts';
import type { ChatBriefing, ChatPorts, ChatTool } from './ports.ts';
import { askedToGoOn, conversation, systemMessages } from './prompt.ts';
import type { ChatUsage, MessageRecord, ReplyOptions, SessionRecord } from './records.ts';
import { makeCalls, newCall } from './tool-calls.ts';

/** Limit of model calls per generation; the last call offers no tools, so that the model has to answer. */
const maxCalls = 24;

interface Setting {
  briefing: ChatBriefing;
  tools: readonly ChatTool[];
  /** Messages that the reply answers, oldest first. */
  branch: readonly MessageRecord[];
}

/**
 * Generates until the reply is whole (`done`) or waits for a decision or the client's result of a tool call
 * (`waiting`).
 * Throws the model's errors, and the reason of `live.abort` when it is aborted.
 */
export async function generate(ports: ChatPorts, live: LiveReply): Promise<'done' | 'waiting'> {
  const setting = await prepare(ports, live);
  for (let calls = 0; ; calls++) {
    const open = live.message.steps.at(-1)?.toolCalls.some(({ resultJson }) => resultJson === null);
    if (open && !(await makeCalls(ports, live, setting.briefing, setting.tools))) return 'waiting';
    const isLast = calls >= maxCalls - 1;
    const asked = await nextCall(ports, live, setting, isLast);
    if (asked.length === 0 || isLast) return 'done';
    live.step.toolCalls = asked.map(newCall);
    await live.save();
    live.abort.signal.throwIfAborted();
  }
}

async function prepare(ports: ChatPorts, live: LiveReply): Promise<Setting> {
  const { session, message, abort } = live;
  const all = await ports.store.messages(session.tenantId, session.id);
  const whole = branchOf(all, message.parentId);
  const lastWords = whole.findLast(({ role }) => role === 'user')?.content ?? '';
  const [briefing, tools] = await Promise.all([
    ports.briefings.prepare(session, lastWords, abort.signal),
    ports.tools(session),
  ]);
  const enabled = enabledTools(session, briefing, message.options);
  const branch = newestOf(whole, briefing.maxContextMessages);
  const ours = tools.filter(({ name }) => isEnabled(enabled, name));
  const theirs = clientTools(message.options).filter(({ name }) => ours.every((tool) => tool.name !== name));
  return { briefing, branch, tools: [...ours, ...theirs] };
}

/** Patterns of the tools that a reply may use; a stranger has none, whatever is asked for. */
export const enabledTools = (session: SessionRecord, briefing: ChatBriefing, options: ReplyOptions = {}) =>
  session.stranger ? [] : (options.enabledTools ?? session.enabledTools ?? briefing.enabledTools ?? []);

/** Whether a list of tool names, where a trailing `*` matches, contains a name. */
export const isEnabled = (enabled: readonly string[], name: string) =>
  enabled.some((pattern) => namedBy(pattern, name));

/** One model call, after compaction where needed. Returns the tool calls of its answer. */
async function nextCall(
  ports: ChatPorts,
  live: LiveReply,
  setting: Setting,
  withoutTools: boolean,
): Promise<ModelToolCall[]> {
  for (let refused = false; ; refused = true) {
    const request = await requestOf(ports, live, setting, { withoutTools, refused });
    live.addStep();
    try {
      return await callModel(ports, live, request);
    } catch (error) {
      const tooLarge = error instanceof Fault && error.code === 'CONTEXT_TOO_LARGE';
      if (!tooLarge || refused || live.step.text !== '') throw error;
      live.message.steps.pop();
    }
  }
}

async function requestOf(
  ports: ChatPorts,
  live: LiveReply,
  setting: Setting,
  { withoutTools, refused }: { withoutTools: boolean; refused: boolean },
): Promise<ModelRequest> {
  const { session, message, abort } = live;
  const { briefing } = setting;
  const { options } = message;
  const modelId = options.modelId ?? (session.modelId === anyModel ? (briefing.modelId ?? anyModel) : session.modelId);
  const tools = setting.tools.filter(({ shown }) => shown !== false).map(toolSchema);
  const fixed = systemMessages(session, briefing, options.systemPrompt);
  const about = {
    tenantId: session.tenantId,
    chatSessionId: session.id,
    signal: abort.signal,
    ...(session.identityId !== null && { identityId: session.identityId }),
    ...(session.userId !== null && { userId: session.userId }),
    ...(session.projectId !== null && { projectId: session.projectId }),
  };
  const known = message.modelId ?? setting.branch.findLast((one) => one.modelId !== null)?.modelId;
  const { maxOutputTokens } = options;
  const size = { sizedBy: modelId === anyModel ? (known ?? modelId) : modelId, maxOutputTokens, force: refused };
  setting.branch = await compact(ports, { branch: setting.branch, fixed, tools, about, modelId, ...size });
  const said: ModelMessage[] = message.steps.length > 0 ? conversation([message]) : [];
  const temperature = options.temperature ?? briefing.temperature;
  const reasoningEffort = options.reasoningEffort ?? session.reasoningEffort ?? briefing.reasoningEffort;
  return {
    ...about,
    modelId,
    messages: [...fixed, ...askedToGoOn([...conversation(setting.branch), ...said])],
    purpose: 'Chat',
    cacheKey: `chat:${session.id}`,
    ...(tools.length > 0 && { tools, ...(withoutTools && { toolChoice: 'none' as const }) }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort && { reasoningEffort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

async function callModel(ports: ChatPorts, live: LiveReply, request: ModelRequest): Promise<ModelToolCall[]> {
  const { message, abort } = live;
  const calls: ModelToolCall[] = [];
  let finished: FinishReason | null = null;
  abort.signal.throwIfAborted();
  try {
    for await (const event of ports.model.stream(request)) {
      abort.signal.throwIfAborted();
      if (event.type === 'text') live.say(event.delta);
      else if (event.type === 'reasoning') live.think(event.delta);
      else if (event.type === 'start') message.modelId = event.modelId;
      else if (event.type === 'tool-call') calls.push(event.call);
      else if (event.type === 'finish') {
        finished = event.reason;
        message.modelId = event.modelId;
        message.truncated = event.reason === 'length';
        live.step.providerState = event.providerState === undefined ? null : JSON.stringify(event.providerState);
        spend(live, event.usage);
      }
    }
    if (finished === null) throw new Fault('PROVIDER_ERROR', 'The model ended its answer without finishing it.');
    if (finished === 'content-filter' && calls.length === 0 && isEmpty(message)) throw keptBack(message);
    return calls;
  } catch (error) {
    if (finished === null) await spendCut(ports, live, request);
    throw error;
  }
}

/** A reply of nothing but thoughts. One that ends silently after tool calls has done something. */
const isEmpty = ({ steps }: MessageRecord) =>
  steps.every(({ text, toolCalls }) => text.trim() === '' && toolCalls.length === 0);

const keptBack = ({ modelId }: MessageRecord) =>
  new Fault('PROVIDER_ERROR', `A filter of the provider kept back what ${modelId} answers.`, {
    hint: 'Ask again in other words, or use another model.',
  });

/** Usage of a call that was cut: the provider charges for it, and the ledger knows how much. */
async function spendCut(ports: ChatPorts, live: LiveReply, request: ModelRequest): Promise<void> {
  try {
    spend(live, await ports.usageOf(request));
  } catch (error) {
    live.log.warn({ err: error }, 'the usage of a reply is not known');
  }
}

function spend(live: LiveReply, { promptTokens, completionTokens, cacheReadTokens, costUsd }: ChatUsage): void {
  const { message } = live;
  const { usage } = message;
  message.usage = {
    promptTokens: usage.promptTokens + promptTokens,
    completionTokens: usage.completionTokens + completionTokens,
    cacheReadTokens: usage.cacheReadTokens + cacheReadTokens,
    costUsd: usage.costUsd + costUsd,
  };
  live.emit({ type: 'Usage', usage: message.usage, message });
}
