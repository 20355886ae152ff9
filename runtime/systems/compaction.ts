// Keeps the context within its budget: older turns become a summary before a call, never after it failed for good.
import type { ModelMessage, ModelTool } from '../model.ts';
import type { Briefing } from '../ports.ts';
import type { Settlement } from '../records.ts';
import type { Bag, LiveRun } from './bag.ts';
import { Stop } from './bag.ts';
import { estimateMessage, estimatePrompt, textTokens } from './budgets.ts';
import { commitOwned } from './commits.ts';
import { fail } from './endings.ts';
import { buildPrompt, inboxMessage, plainBriefing } from './prompt.ts';
import { reserveCall, settleLater } from './trees.ts';

const softShare = 0.75;
const hardShare = 0.9;
/** Share of the context budget that the newest turns keep. */
const keptShare = 0.35;
const summaryTokens = 1200;

/**
 * Compacts when three quarters of the context budget are used. From 90 % on it does so even when no summary can be
 * had, by dropping the oldest turns; `briefing` null means the provider itself refused the size. `rest` when even the
 * least context is too large: the run has failed.
 */
export async function compactIfFull(
  bag: Bag,
  live: LiveRun,
  briefing: Briefing | null,
  tools: readonly ModelTool[],
  modelId: string,
): Promise<'unchanged' | 'compacted' | 'rest'> {
  const prompt = buildPrompt(live, briefing ?? plainBriefing, live.run.inbox.map(inboxMessage));
  const limits = bag.model.limits(modelId);
  const budget = Math.min(live.run.contextBudgetTokens, limits.contextTokens - Math.min(1024, limits.maxOutputTokens));
  const used = estimatePrompt(prompt, tools);
  if (briefing && used < budget * softShare) return 'unchanged';
  const base = used - live.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  const room = Math.floor(Math.max(0, Math.min(budget * keptShare, budget * hardShare - base - summaryTokens)));
  const cut = cutPoint(live.messages, briefing ? room : Math.floor(room / 2));
  if (cut === 0) {
    if (briefing && used <= budget) return 'unchanged';
    return shrinkOutputs(bag, live, budget, used);
  }
  const mayDrop = !briefing || used >= budget * hardShare;
  const older = live.messages.slice(0, cut);
  const summary = await summarize(bag, live, older, modelId).catch((error) => {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    return null;
  });
  if (summary === null && !mayDrop) return 'unchanged';
  await store(bag, live, cut, summary ?? bareSummary(live, older), summary !== null);
  return 'compacted';
}

/** How many of the oldest messages must go so that the rest fits; a tool result never loses its call. */
function cutPoint(messages: readonly ModelMessage[], room: number): number {
  let tokens = 0;
  let cut = messages.length;
  while (cut > 0 && tokens + estimateMessage(messages[cut - 1]!) <= room) tokens += estimateMessage(messages[--cut]!);
  while (cut < messages.length && messages[cut]!.role === 'tool') cut++;
  return cut;
}

async function summarize(
  bag: Bag,
  live: LiveRun,
  older: readonly ModelMessage[],
  modelId: string,
): Promise<string | null> {
  const transcript = older.map(asText).join('\n').slice(-60_000);
  const before = live.run.context.summary ? `Earlier summary:\n${live.run.context.summary}\n\n` : '';
  const ask = `${before}Transcript:\n${transcript}`;
  const promptTokens = textTokens(ask) + 120;
  const callId = `aux:${live.run.id}:${live.fence}:${live.run.version}`;
  const left = live.run.maxTokens - live.run.tokensUsed - live.run.writtenOffTokens;
  if (left < promptTokens + summaryTokens) return null;
  const reserved = await reserveCall(bag, live, {
    callId,
    tokens: promptTokens + summaryTokens,
    costUsd: bag.model.estimateCost(modelId, promptTokens, summaryTokens),
    countIteration: false,
  });
  if (!reserved.ok) return null;
  const settlement: Settlement = { callId, tokens: 0, costUsd: 0, writtenOff: promptTokens, countIteration: false };
  let text = '';
  try {
    const stream = bag.model.stream({
      tenantId: live.run.tenantId,
      modelId,
      messages: [
        {
          role: 'system',
          content:
            'Summarise this transcript of an agent for the agent itself: decisions, facts found, files and ids by name, what is done, what is open, errors not to repeat. At most 600 words. No preamble.',
        },
        { role: 'user', content: ask },
      ],
      maxOutputTokens: summaryTokens,
      purpose: 'Summary',
      runId: live.run.id,
      identityId: live.run.identityId,
      signal: live.abort.signal,
    });
    for await (const event of stream) {
      if (event.type === 'text') text += event.delta;
      else if (event.type === 'finish') {
        const { usage } = event;
        Object.assign(settlement, {
          tokens: usage.promptTokens + usage.completionTokens,
          costUsd: usage.costUsd,
          writtenOff: 0,
        });
        await bookSummary(bag, live, settlement, usage.promptTokens, usage.completionTokens);
      }
    }
  } finally {
    if (settlement.tokens === 0) await bookSummary(bag, live, settlement, 0, 0);
    settleLater(bag, live, settlement);
  }
  return text.trim() || null;
}

async function bookSummary(bag: Bag, live: LiveRun, settlement: Settlement, prompt: number, completion: number) {
  await commitOwned(bag, live, (now) => ({
    set: {
      promptTokens: now.promptTokens + prompt,
      completionTokens: now.completionTokens + completion,
      tokensUsed: now.tokensUsed + settlement.tokens,
      costUsd: now.costUsd + settlement.costUsd,
      writtenOffTokens: now.writtenOffTokens + settlement.writtenOff,
      settlements: [...now.settlements, settlement],
    },
  }));
}

/** What is kept when no model could write a summary: the plan, the progress and what was called. */
function bareSummary(live: LiveRun, older: readonly ModelMessage[]): string {
  const calls = older.flatMap((message) =>
    message.role === 'assistant'
      ? (message.toolCalls ?? []).map((call) => `${call.name}(${call.argumentsJson.slice(0, 200)})`)
      : [],
  );
  const parts = [
    live.run.context.summary?.slice(-3000),
    live.run.planJson && `Plan: ${live.run.planJson.slice(0, 2000)}`,
    live.run.progressSummary && `Progress: ${live.run.progressSummary.slice(0, 1000)}`,
    calls.length > 0 && `Older turns were dropped. They called: ${calls.slice(-20).join('; ')}`,
  ];
  return parts
    .filter(Boolean)
    .join('\n')
    .slice(0, summaryTokens * 3);
}

async function store(bag: Bag, live: LiveRun, cut: number, summary: string, byModel: boolean): Promise<void> {
  const from = live.offset + cut;
  const committed = await commitOwned(bag, live, () => ({
    set: { context: { summary, from }, contextUsedTokens: 0 },
    events: [
      {
        type: 'ContextCompressed',
        title: `${cut} messages became a summary`,
        payload: { messages: cut, from, strategy: byModel ? 'Summarize' : 'Truncate' },
      },
    ],
  }));
  if (!committed) throw new Stop('lost');
  live.messages.splice(0, cut);
  live.offset = from;
}

/** The last resort: long messages of the newest turns are shortened in memory; when nothing is long, the run fails. */
async function shrinkOutputs(bag: Bag, live: LiveRun, budget: number, used: number): Promise<'compacted' | 'rest'> {
  const longest = Math.max(400, Math.floor(budget * 0.1));
  let freed = 0;
  live.messages = live.messages.map((message) => {
    if (message.role !== 'tool' || estimateMessage(message) <= longest) return message;
    const kept = Math.floor(longest * 1.5);
    const content = `${message.content.slice(0, kept)}\n[… shortened to fit the context …]\n${message.content.slice(-kept)}`;
    const shorter = { ...message, content };
    freed += estimateMessage(message) - estimateMessage(shorter);
    return shorter;
  });
  if (freed > 0) return 'compacted';
  await fail(bag, live, `CONTEXT_TOO_LARGE: the least context of ${used} tokens does not fit into ${budget}.`);
  return 'rest';
}

function asText(message: ModelMessage): string {
  const content =
    typeof message.content === 'string'
      ? message.content
      : message.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join(' ');
  const calls =
    message.role === 'assistant'
      ? (message.toolCalls ?? []).map((call) => ` → ${call.name} ${call.argumentsJson}`).join('')
      : '';
  const who = message.role === 'tool' ? `tool ${message.toolName}` : message.role;
  return `${who}: ${content.slice(0, 4000)}${calls.slice(0, 2000)}`;
}
