// Tasks of MCP: a task is a run that was begun as one, found for who began it alone.
import { isPermitted } from '../../auth/permit.ts';
import type { Page } from '../../contract/page.ts';
import type { AgentRunDetailDto, AgentRunDto } from '../../groups/agent/dto.ts';
import { agentEscalations } from '../../groups/agent/escalations/contract.ts';
import { agentRuns } from '../../groups/agent/runs/contract.ts';
import { type CallContext, type CallResult, type Calls, RefusedCall, success, wrongParams } from './calls.ts';
import { decisionIn, type Era, endOf, openQuestions, requestOf, runOfTask, taskIdOf, taskOf } from './task-words.ts';
import type { OperationTool } from './tool.ts';

type Context = Pick<CallContext, 'principal' | 'signal'>;
/** What the client of a request can be asked, which is said with each one. */
type Asked = Context & { canAsk: boolean };

const pageSize = 50;
/** How long one request waits inside. */
const waitMs = 60_000;
/** How long a cancelled run may take to stop: that of a dead node stops when another has seen that it is dead. */
const stopMs = 40_000;

/** Runs that are tasks of the caller. */
function createTaskRuns(calls: Pick<Calls, 'read'>) {
  const read = (path: string, query: string, context: Context) =>
    calls.read({ method: 'GET', path: agentRuns.base + path, query }, context);

  /** @throws an error of JSON-RPC, the same for a task of somebody else and for one that never was */
  async function find(taskId: string, context: Context): Promise<AgentRunDetailDto> {
    const named = runOfTask(taskId);
    if (!named) throw unknownTask();
    try {
      const run = (await read(`/${named.id}`, 'mcpTask=true', context)) as AgentRunDetailDto;
      if (run.guid === named.guid) return run;
    } catch (error) {
      if (!(error instanceof RefusedCall) || error.errorCode !== 'NOT_FOUND') throw error;
    }
    throw unknownTask();
  }

  const wait = (id: number, timeoutMs: number, context: Context) =>
    read(`/${id}/wait`, `timeoutMs=${timeoutMs}`, context);

  async function cancel(taskId: string, context: Context): Promise<{ run: AgentRunDetailDto; wasOver: boolean }> {
    const run = await find(taskId, context);
    if (endOf(run)) return { run, wasOver: true };
    try {
      await calls.read({ method: 'POST', path: `${agentRuns.base}/${run.id}/cancel`, body: '{}' }, context);
    } catch (error) {
      // The run may have ended meanwhile.
      const now = await find(taskId, context);
      if (!endOf(now)) throw error;
      return { run: now, wasOver: true };
    }
    await wait(run.id, stopMs, context);
    return { run: await find(taskId, context), wasOver: false };
  }

  return {
    find,
    wait,
    cancel,
    /** Tasks of the caller, newest first; later pages hold none that began after the first was shown. */
    list: async (cursor: string | undefined, context: Context) => {
      const { page, to } = cursor === undefined ? { page: 1, to: null } : placeOf(cursor);
      const query = new URLSearchParams({
        mcpTask: 'true',
        page: `${page}`,
        pageSize: `${pageSize}`,
        ...(to && { toUtc: to }),
      });
      const { items, hasNextPage } = (await read('', query.toString(), context)) as Page<AgentRunDto>;
      const until = to ?? (items[0] ? new Date(Date.parse(items[0].createdAtUtc) + 1).toISOString() : '');
      return {
        tasks: items.map((run) => taskOf(run, 'legacy')),
        ...(hasNextPage && { nextCursor: `${page + 1} ${until}` }),
      };
    },
  };
}

/** The task with what the extension has in one: the result, or what is asked of the client's person. */
function detailOf(run: AgentRunDetailDto, { canAsk, principal }: Asked) {
  const end = endOf(run);
  if (end === 'cancelled') return taskOf(run, 'modern');
  // Failed is for calls that could not be carried out; a run that failed is a result.
  if (end) return { ...taskOf(run, 'modern', 'completed'), result: resultOf(run) };
  const mayDecide = canAsk && isPermitted(agentEscalations.operations.resolve, principal.caller);
  const questions = mayDecide && run.status === 'WaitingForDecision' ? openQuestions(run) : [];
  if (questions.length === 0) return taskOf(run, 'modern');
  const inputRequests = Object.fromEntries(questions.map((one) => [keyOf(one), requestOf(one)]));
  return { ...taskOf(run, 'modern', 'input_required'), inputRequests };
}

export function createTasks(calls: Pick<Calls, 'call' | 'read'>) {
  const { find, wait, cancel, list } = createTaskRuns(calls);
  return {
    /** Begins a task, which can be found before this resolves; or says why there is none. */
    begin: async (tool: OperationTool, args: Readonly<Record<string, unknown>>, context: CallContext, era: Era) => {
      const begun = await calls.call(tool, { ...args, mcpTask: true, waitSeconds: 0 }, context);
      if (begun.isError) return { failed: begun };
      const run = begun.structuredContent as AgentRunDto;
      const found = await find(taskIdOf(run), context).catch((error: unknown) => {
        if (error instanceof RefusedCall || (error as { code?: number }).code !== -32_602) throw error;
        throw wrongParams(`The idempotencyKey is that of the run ${run.id}, which is no task. See run_wait.`);
      });
      return { task: taskOf(found, era) };
    },
    get: async (taskId: string, context: Context) => taskOf(await find(taskId, context), 'legacy'),
    detail: async (taskId: string, asked: Asked) => detailOf(await find(taskId, asked), asked),
    /** Waits until the task is over. */
    result: async (taskId: string, context: Context): Promise<CallResult> => {
      for (;;) {
        const run = await find(taskId, context);
        const related = { 'io.modelcontextprotocol/related-task': { taskId } };
        if (endOf(run)) return { ...resultOf(run), _meta: related };
        context.signal.throwIfAborted();
        await wait(run.id, waitMs, context);
      }
    },
    list,
    cancel,
    /** Hands on what people answered; what was not asked, or is answered already, is passed over. */
    answer: async (taskId: string, answers: Readonly<Record<string, unknown>>, context: Context): Promise<void> => {
      const run = await find(taskId, context);
      for (const question of openQuestions(run)) {
        if (!Object.hasOwn(answers, keyOf(question))) continue;
        const decision = decisionIn(answers[keyOf(question)], question);
        if (decision === undefined)
          throw wrongParams(`${keyOf(question)}: accept with a decision that is a text, decline or cancel.`);
        if (decision === null) continue;
        const path = `${agentEscalations.base}/escalations/${question.id}/resolve`;
        await calls.read({ method: 'POST', path, body: JSON.stringify({ decision }) }, context);
      }
    },
  };
}
export type Tasks = ReturnType<typeof createTasks>;

const unknownTask = () => wrongParams('There is no such task.');
const keyOf = ({ id }: { id: number }) => `escalation-${id}`;

/** What the call that began it would have answered; a run that failed is an error for the model. */
function resultOf(run: AgentRunDetailDto): CallResult {
  return endOf(run) === 'completed' ? success(run) : { ...success(run), isError: true };
}

function placeOf(cursor: string): { page: number; to: string } {
  const [, page, to] = /^(\d{1,6}) (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/.exec(cursor) ?? [];
  if (page === undefined || to === undefined) throw wrongParams('The cursor is none of tasks/list.');
  return { page: Number(page), to };
}
