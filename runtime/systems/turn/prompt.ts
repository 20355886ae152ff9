// Prompt of a run: briefing, goal, summary of older turns, then the log.
import { anyModel, type ModelMessage, type ModelRequest, type ModelTool } from '../../model.ts';
import type { Briefing } from '../../ports.ts';
import type { InboxItem, RunRecord } from '../../records.ts';
import { environmentOf } from '../../state/environment.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { estimatePrompt } from './budgets.ts';

const house = `You work in turns: call tools, look at their results, go on until the goal is reached.
Report with run_progress, keep a plan with run_plan, and end with run_complete, or answer without calling a tool: that answer is then the run's result. If the goal cannot be reached, call run_fail with the reason. Tool errors say what was wrong: correct it, do not repeat the same call.`;

/** Briefing of runs on a server without roles. */
export const plainBriefing: Briefing = { system: 'You are an agent that reaches its goal by itself, carefully.' };

export interface Prompt {
  messages: ModelMessage[];
  /** Inbox items among the messages. */
  unread: { keys: string[]; messages: ModelMessage[] };
  /** Tokens of messages and tools, estimated on the high side. */
  tokens: number;
}

/** Prompt of the next call, with the unread items of the inbox. */
export function buildPrompt(live: LiveRun, briefing: Briefing, tools: readonly ModelTool[]): Prompt {
  const { run } = live;
  const unread = { keys: run.inbox.map((item) => item.key), messages: run.inbox.map(inboxMessage) };
  const system = [briefing.system, house, contractText(run), placeText(run), briefing.hydration ?? '']
    .filter(Boolean)
    .join('\n\n');
  const messages: ModelMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: run.goal },
  ];
  if (run.context.summary)
    messages.push({ role: 'user', content: `Summary of your work so far:\n${run.context.summary}` });
  messages.push(...live.messages, ...unread.messages);
  return { messages, unread, tokens: estimatePrompt(messages, tools) };
}

function contractText(run: RunRecord): string {
  if (!run.contractDeliverable) return '';
  const where = run.contractDestination ? ` at ${run.contractDestination}` : '';
  return `You must deliver: ${run.contractDeliverable}${where}. The run cannot complete before that check passes.`;
}

/** Text on the run's place of work and environment. */
function placeText({ outputPath, environmentJson }: RunRecord): string {
  // Names only: a value may be a secret, which commands need and the model's provider must not see.
  const variables = Object.keys(environmentOf(environmentJson));
  const lines = [
    outputPath && `Put the files that you make under ${outputPath}.`,
    variables.length > 0 && `Your commands find these environment variables set: ${variables.join(', ')}.`,
  ];
  return lines.filter(Boolean).join('\n');
}

/** Model of a run's calls: its own, its role's, or the one that routes choose. */
export const modelOf = (run: RunRecord, briefing: Briefing) => run.modelId ?? briefing.modelId ?? anyModel;

/** Name of a model for people, before an answer names the real one. */
export const shownModel = (core: Core, modelId: string) =>
  modelId === anyModel ? core.model.defaultModelId() : modelId;

/** Caller's fields for routes, limits and the gateway's ledger. */
export const callerOf = (run: RunRecord): Partial<ModelRequest> => ({
  runId: run.id,
  identityId: run.identityId,
  ...(run.role ? { role: run.role } : {}),
  ...(run.projectId === null ? {} : { projectId: run.projectId }),
  ...(run.startedByUserId === null ? {} : { userId: run.startedByUserId }),
});

/** An unread item as the model reads it. */
function inboxMessage(item: InboxItem): ModelMessage {
  const from = item.from ? ` from ${item.from}` : '';
  const label = {
    message: `Message${from}`,
    guidance: `Guidance${from}`,
    child: 'Result of a child run',
    decision: 'Decision',
  };
  return { role: 'user', content: `[${label[item.kind]}] ${item.text}` };
}
