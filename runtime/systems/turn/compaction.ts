// Compaction of a run's context: older turns become a summary before a call would exceed the window.
import type { ModelMessage } from '../../model.ts';
import { fail } from '../life/endings.ts';
import { commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { Stop } from '../records/core.ts';
import { auxCall } from './aux-call.ts';
import { estimateMessage } from './budgets.ts';
import { shownModel } from './prompt.ts';

const softShare = 0.75;
const hardShare = 0.9;
/** Share of the context budget that the newest turns keep. */
const keptShare = 0.35;
const summaryTokens = 1200;

/**
 * Compacts when the `used` tokens of a prompt reach three quarters of the context budget. From 90 % on it also drops
 * the
 * oldest turns when no summary is available; `refused` means that the provider itself refused the prompt's size.
 * Returns `rest` when even the smallest context is too large: the run has failed.
 */
export async function compactIfFull(
  core: Core,
  live: LiveRun,
  used: number,
  modelId: string,
  refused = false,
): Promise<'unchanged' | 'compacted' | 'rest'> {
  const limits = core.model.limits(modelId);
  const budget = Math.min(live.run.contextBudgetTokens, limits.contextTokens - Math.min(1024, limits.maxOutputTokens));
  if (!refused && used < budget * softShare) return 'unchanged';
  const base = used - live.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  const room = Math.floor(Math.max(0, Math.min(budget * keptShare, budget * hardShare - base - summaryTokens)));
  const cut = cutPoint(live.messages, refused ? Math.floor(room / 2) : room);
  if (cut === 0) {
    if (!refused && used <= budget) return 'unchanged';
    return shrinkOutputs(core, live, { budget, used, refusedBy: refused ? shownModel(core, modelId) : null });
  }
  const mayDrop = refused || used >= budget * hardShare;
  const older = live.messages.slice(0, cut);
  const summary = await summarize(core, live, older, modelId).catch((error: unknown) => {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    return null;
  });
  if (summary === null && !mayDrop) return 'unchanged';
  await store(core, live, cut, summary?.trim() || bareSummary(live, older), Boolean(summary));
  return 'compacted';
}

/** Number of oldest messages to drop so that the rest fits; a tool result stays with its call. */
function cutPoint(messages: readonly ModelMessage[], room: number): number {
  let tokens = 0;
  let cut = messages.length;
  while (cut > 0 && tokens + estimateMessage(messages[cut - 1]!) <= room) tokens += estimateMessage(messages[--cut]!);
  while (cut < messages.length && messages[cut]!.role === 'tool') cut++;
  return cut;
}

const summaryTask =
  'Summarise this transcript of an agent for the agent itself: decisions, facts found, files and ids by name, what is done, what is open, errors not to repeat. At most 600 words. No preamble.';

function summarize(core: Core, live: LiveRun, older: readonly ModelMessage[], modelId: string): Promise<string | null> {
  const transcript = older.map(asText).join('\n').slice(-60_000);
  const before = live.run.context.summary ? `Earlier summary:\n${live.run.context.summary}\n\n` : '';
  const messages: ModelMessage[] = [
    { role: 'system', content: summaryTask },
    { role: 'user', content: `${before}Transcript:\n${transcript}` },
  ];
  return auxCall(core, live, { modelId, messages, maxOutputTokens: summaryTokens, purpose: 'Summary' });
}

/** Summary without a model: the plan, the progress and the calls made. */
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

async function store(core: Core, live: LiveRun, cut: number, summary: string, byModel: boolean): Promise<void> {
  const from = live.offset + cut;
  const committed = await commitOwned(core, live, () => ({
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

/** The last resort: shortens long messages of the newest turns in memory; fails the run when none is long. */
async function shrinkOutputs(
  core: Core,
  live: LiveRun,
  { budget, used, refusedBy }: { budget: number; used: number; refusedBy: string | null },
): Promise<'compacted' | 'rest'> {
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
  const why = refusedBy
    ? `${refusedBy} refuses even the least context, of some ${used} tokens.`
    : `the least context of ${used} tokens does not fit into ${budget}.`;
  await fail(core, live, `CONTEXT_TOO_LARGE: ${why}`);
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
