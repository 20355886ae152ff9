// Tools of the conformance suite that are tasks: runs that last as long as it says, behind this server's own tasks.
import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { type CallResult, RefusedCall, success } from '../../src/http/mcp/calls.ts';
import { asTask, callAsTask, serveTasks } from '../../src/http/mcp/task-server.ts';
import { createTasks } from '../../src/http/mcp/tasks.ts';

interface FakeRun {
  id: number;
  guid: string;
  status: string;
  createdAtUtc: string;
  startedAtUtc: null;
  completedAtUtc: string | null;
  failureReason: null;
  progressSummary: null;
  recentEvents: [];
  escalations: { id: number; status: string; situation: string; optionsJson: null }[];
}

/** Runs by number, and what the server asks of itself about them. */
const runs = new Map<number, FakeRun>();
let questions = 0;

function end(run: FakeRun, status: string): void {
  if (run.completedAtUtc !== null) return;
  Object.assign(run, { status, completedAtUtc: new Date().toISOString() });
}

function begin({ seconds = 0, asks = 0, ends = 'Completed' }: Wanted): FakeRun {
  const run: FakeRun = {
    ...{ id: runs.size + 1, guid: crypto.randomUUID(), status: asks > 0 ? 'WaitingForDecision' : 'Running' },
    ...{ createdAtUtc: new Date().toISOString(), startedAtUtc: null, completedAtUtc: null },
    ...{ failureReason: null, progressSummary: null, recentEvents: [] },
    escalations: Array.from({ length: asks }, () => {
      return { id: ++questions, status: 'Open', situation: 'Shall it go on?', optionsJson: null };
    }),
  };
  runs.set(run.id, run);
  if (asks === 0) setTimeout(() => end(run, ends), seconds * 1000).unref();
  return run;
}

interface Wanted {
  seconds?: number;
  asks?: number;
  ends?: string;
}

async function read({ path }: { path: string }): Promise<unknown> {
  const [, of, id, what] = /(runs|escalations)\/(\d+)\/?(\w*)$/.exec(path) ?? [];
  const number = Number(id);
  const asked = of === 'escalations';
  const run = asked
    ? [...runs.values()].find((one) => one.escalations.some((it) => it.id === number))
    : runs.get(number);
  if (!run) throw new RefusedCall('There is none.', 'NOT_FOUND');
  if (asked) {
    run.escalations = run.escalations.filter((one) => one.id !== number);
    if (run.escalations.length === 0) end(run, 'Completed');
  }
  if (what === 'cancel') end(run, 'Cancelled');
  return run;
}

/** What the suite's tools do; each can be a task. */
const taskTools: Record<string, (args: { seconds?: number }) => Wanted> = {
  slow_compute: ({ seconds = 0 }) => ({ seconds }),
  failing_job: () => ({ seconds: 1, ends: 'Failed' }),
  confirm_delete: () => ({ asks: 1 }),
  multi_input: () => ({ asks: 2 }),
};

const call = async (tool: { name: string }, args: object): Promise<CallResult> =>
  success(begin(taskTools[tool.name]?.(args) ?? {}));
const tasks = createTasks({ call, read } as never);
const principal = { caller: { permissions: new Set(['EscalationsResolve']) } } as never;

export function registerTaskTools(server: McpServer): void {
  const inputSchema = fromJsonSchema({ type: 'object' });
  const answer = (name: string) => async (args: object, context: ServerContext) => {
    const tool = { name, task: true } as never;
    const { signal } = context.mcpReq;
    if (asTask('modern', tool, {}, context))
      return callAsTask(tasks, 'modern', tool, args as never, { principal, signal, progress: () => {} });
    return success({ name });
  };
  for (const name of Object.keys(taskTools))
    server.registerTool(name, { description: name, inputSchema }, answer(name) as never);
  server.registerTool('greet', { description: 'Greets', inputSchema }, (({ name }: { name: string }) => ({
    content: [{ type: 'text', text: `Hello, ${name}!` }],
  })) as never);
  serveTasks.modern(server.server, tasks, principal);
}
