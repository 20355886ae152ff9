// A run as a report in Markdown. What people, models and tools said is in code, so that it cannot pass for the report.
import type { EventView } from '../../../../../runtime/views/run.ts';
import { argumentsOf } from '../run-parts.ts';
import { toolEnds } from './calls.ts';
import { fenced, inline } from './code.ts';
import { debates } from './debate.ts';
import type { ExportedRun, ExportSubject } from './subject.ts';

/** Longest result that the log of a run keeps; its model has read all of it. */
const loggedResult = 4000;

export async function* markdownExport({ run, councils, events, leftOut }: ExportSubject): AsyncGenerator<string> {
  yield `# Run ${run.id}\n\n## Goal\n\n${fenced(run.goal)}## Figures\n\n${figures(run)}\n\n## Steps\n\n`;
  let isCut = false;
  for await (const event of events) {
    yield step(event);
    if (toolEnds.has(event.type)) isCut ||= event.message?.length === loggedResult;
  }
  if (leftOut > 0) yield `> ${leftOut} later events are left out: a report has room for no more.\n\n`;
  if (isCut) yield `> Results of tools are as the log keeps them: their first ${loggedResult} characters.\n\n`;
  yield debates(councils);
  yield children(run);
  if (run.failureReason !== null) yield `## Reason\n\n${fenced(run.failureReason)}`;
  else if (run.status === 'Completed' && run.progressSummary !== null)
    yield `## Result\n\n${fenced(run.progressSummary)}`;
}

function figures(run: ExportedRun): string {
  const rows: [string, string | number | null][] = [
    ['Status', run.status],
    ['Role', inline(run.role)],
    ['Model', run.modelId === null ? null : inline(run.modelId)],
    ['Created', run.createdAtUtc],
    ['Started', run.startedAtUtc],
    ['Ended', run.completedAtUtc],
    ['Turns', `${run.iterationsUsed} of ${run.maxIterations}`],
    ['Tokens', `${run.tokensUsed} of ${run.maxTokens}`],
    ['Cost', `$${run.costUsd}`],
    ['Tokens with children', run.totalTokensWithChildren],
    ['Cost with children', `$${run.totalCostWithChildren}`],
  ];
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

function step(event: EventView): string {
  const { type, message } = event;
  const head = (title: string, ...more: string[]) =>
    `### ${event.seq}. ${[title, ...more].join(' ')}\n\n${event.createdAtUtc}\n\n`;
  const name = inline(event.toolName ?? event.title);
  if (type === 'ModelCallCompleted')
    return message === null ? '' : head('Answer of', inline(event.modelId ?? 'a model')) + fenced(message);
  if (type === 'ModelCallFailed') return head('Model call failed') + fenced(message ?? event.title);
  if (type === 'ToolCallStarted') return head('Call of', name) + fenced(argumentsOf(event), 'json');
  if (!toolEnds.has(type)) return '';
  const what = { ToolCallFailed: 'Failure of', ToolCallBlocked: 'Refusal of' }[type as string] ?? 'Result of';
  return head(what, name) + fenced(message ?? '');
}

function children({ childRuns, childRunCount }: ExportedRun): string {
  if (childRuns.length === 0) return '';
  const lines = childRuns.map((one) => `- Run ${one.id}, ${one.status}, $${one.costUsd}: ${inline(one.goal)}`);
  const more = childRunCount - childRuns.length;
  if (more > 0) lines.push(`- and ${more} more`);
  return `## Children\n\n${lines.join('\n')}\n\n`;
}
