// Builds what the model gets to see: briefing, goal, summary of older turns, then the log.
import type { ModelMessage } from '../model.ts';
import type { Briefing } from '../ports.ts';
import type { InboxItem, RunRecord } from '../records.ts';
import type { LiveRun } from './bag.ts';

const house = `You work in turns: call tools, look at their results, go on until the goal is reached.
Report with run_progress, keep a plan with run_plan, and end with run_complete, or answer without calling a tool: that answer is then the run's result. If the goal cannot be reached, call run_fail with the reason. Tool errors say what was wrong: correct it, do not repeat the same call.`;

/** The briefing of runs whose server knows no roles. */
export const plainBriefing: Briefing = { system: 'You are an agent that reaches its goal by itself, carefully.' };

/** The messages of the next call, unread ones of the inbox included. */
export function buildPrompt(live: LiveRun, briefing: Briefing, unread: readonly ModelMessage[]): ModelMessage[] {
  const { run } = live;
  const system = [briefing.system, house, contractText(run), briefing.hydration ?? ''].filter(Boolean).join('\n\n');
  const messages: ModelMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: run.goal },
  ];
  if (run.context.summary)
    messages.push({ role: 'user', content: `Summary of your work so far:\n${run.context.summary}` });
  messages.push(...live.messages, ...unread);
  return messages;
}

function contractText(run: RunRecord): string {
  if (!run.contractDeliverable) return '';
  const where = run.contractDestination ? ` at ${run.contractDestination}` : '';
  return `You must deliver: ${run.contractDeliverable}${where}. The run cannot complete before that check passes.`;
}

/** An unread item as the model reads it. */
export function inboxMessage(item: InboxItem): ModelMessage {
  const from = item.from ? ` from ${item.from}` : '';
  const label = {
    message: `Message${from}`,
    guidance: `Guidance${from}`,
    child: 'Result of a child run',
    decision: 'Decision',
  };
  return { role: 'user', content: `[${label[item.kind]}] ${item.text}` };
}
