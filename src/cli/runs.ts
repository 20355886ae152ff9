// Runs from the terminal: started, followed, listed, cancelled.
import type { AgentRunDto, AgentRunStatus, Client, KnownEvent } from '../client/index.ts';
import type { CliSettings } from '../config.ts';
import { decide } from './decide.ts';
import { exitCodes } from './failures.ts';
import { createNarrator } from './narrate.ts';
import type { Printer } from './output.ts';
import { createTerminal, type Terminal } from './terminal.ts';

interface Reached {
  client: Client;
}

export interface NewRunOptions {
  model?: string;
  role?: string;
  identity?: number;
  project?: number;
  maxCost?: number;
  maxTurns?: number;
  detach?: boolean;
}

/** Starts a run and follows it; answers the exit code. */
export async function startRun(
  { client }: Reached,
  printer: Printer,
  settings: CliSettings,
  goal: string,
  options: NewRunOptions,
): Promise<number> {
  const run = await client.agentRuns.create({
    body: {
      goal,
      autoStart: true,
      ...(options.model ? { modelId: options.model } : {}),
      ...(options.role ? { role: options.role } : {}),
      ...(options.identity ? { identityId: options.identity } : {}),
      ...(options.project ? { projectId: options.project } : {}),
      ...(options.maxCost ? { poolCostBudgetUsd: options.maxCost } : {}),
      ...(options.maxTurns ? { maxIterations: options.maxTurns } : {}),
    },
  });
  if (!options.detach) return follow(client, printer, settings, run.id);
  if (printer.isJson) printer.json(run);
  else printer.line(String(run.id));
  return exitCodes.done;
}

export async function followRun(
  { client }: Reached,
  printer: Printer,
  settings: CliSettings,
  id: number,
): Promise<number> {
  await client.agentRuns.get({ params: { id } });
  return follow(client, printer, settings, id);
}

/** Shows a run from its beginning to its end. Ctrl+C leaves it, and it goes on. */
async function follow(client: Client, printer: Printer, settings: CliSettings, id: number): Promise<number> {
  const leave = new AbortController();
  const interrupted = () => leave.abort();
  process.once('SIGINT', interrupted);
  try {
    if (printer.isJson) await tellLines(client, id, leave.signal);
    else {
      const terminal = createTerminal(process.stdout, { color: settings.color });
      await narrateRun(client, terminal, id, { signal: leave.signal }).finally(() => terminal.close());
    }
    if (leave.signal.aborted) {
      printer.remark(`Run ${id} goes on; "rivulet follow ${id}" shows it again.`);
      return exitCodes.interrupted;
    }
    const run = await client.agentRuns.get({ params: { id } });
    if (!printer.isJson) tellResult(printer, run);
    return run.status === 'Completed' ? exitCodes.done : exitCodes.ended;
  } finally {
    process.off('SIGINT', interrupted);
  }
}

async function tellLines(client: Client, id: number, signal: AbortSignal): Promise<void> {
  for await (const event of client.stream(`run-tree:${id}`, {
    cursor: '0',
    transport: 'sse',
    signal,
  })) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
    if (await isOver(client, id, event)) return;
  }
}

/** Whether a run does no more by itself: it has ended, or its budget is spent and nobody has added to it since. */
async function isOver(client: Client, id: number, event: KnownEvent): Promise<boolean> {
  if (event.type === 'run.ended') return event.data.id === id;
  if (event.type !== 'run.status' || event.data.id !== id || event.data.status !== 'BudgetExhausted') return false;
  return (await client.agentRuns.get({ params: { id } })).status === 'BudgetExhausted';
}

/** Tells a run and its descendants until it ends; its questions are put to who is at the terminal. */
export async function narrateRun(
  client: Client,
  terminal: Terminal,
  id: number,
  { signal, alone = 'wait' }: { signal?: AbortSignal; alone?: 'recommendation' | 'wait' } = {},
): Promise<void> {
  const narrator = createNarrator(terminal, id);
  const stream = client.stream(`run-tree:${id}`, { cursor: '0', transport: 'sse', ...(signal ? { signal } : {}) });
  for await (const event of stream) {
    narrator.tell(event);
    if (event.type === 'run.event' && event.data.type === 'EscalationRaised')
      await decide(client, event.data.runId, terminal, { alone });
    if (await isOver(client, id, event)) return;
  }
}

function tellResult(printer: Printer, run: AgentRunDto): void {
  if (run.progressSummary) printer.line(`\n${run.progressSummary}`);
  if (run.failureReason) printer.remark(printer.paint('red', run.failureReason));
}

export async function cancelRun({ client }: Reached, printer: Printer, id: number): Promise<void> {
  const run = await client.agentRuns.cancel({ params: { id }, body: {} });
  if (printer.isJson) printer.json(run);
  else printer.line(`Run ${id}: ${run.status}`);
}

export interface ListOptions {
  status?: string[];
  search?: string;
  active?: boolean;
  limit: number;
}

export async function listRuns({ client }: Reached, printer: Printer, options: ListOptions): Promise<void> {
  const { items, totalCount } = await client.agentRuns.list({
    query: {
      pageSize: Math.min(200, options.limit),
      ...(options.status ? { status: options.status as AgentRunStatus[] } : {}),
      ...(options.search ? { q: options.search } : {}),
      ...(options.active ? { activeOnly: true } : {}),
    },
  });
  if (printer.isJson) {
    printer.json(items);
    return;
  }
  printer.table(
    ['RUN', 'STATUS', 'TURNS', 'COST', 'STARTED', 'GOAL'],
    items.map((run) => [
      String(run.id),
      run.status,
      String(run.iterationsUsed),
      `$${run.totalCostWithChildren.toFixed(4)}`,
      run.startedAtUtc?.slice(0, 16).replace('T', ' ') ?? '',
      run.goal,
    ]),
  );
  if (totalCount > items.length) printer.remark(`${items.length} of ${totalCount}; --limit shows more.`);
}
