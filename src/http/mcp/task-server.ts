// Requests about tasks, by the era of the client: a capability of the protocol in 2025-11-25, an extension since then.
import { MissingRequiredClientCapabilityError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type CallContext, type CallResult, methodNotFound, type Principal, wrongParams } from './calls.ts';
import type { Era } from './task-words.ts';
import type { Tasks } from './tasks.ts';
import type { OperationTool } from './tool.ts';

const extension = 'io.modelcontextprotocol/tasks';
/** What the server says of tasks to clients of an era. */
export const taskCapabilities = {
  legacy: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  modern: { extensions: { [extension]: {} } },
} as const;

interface ClientCapabilities {
  elicitation?: object;
  extensions?: Record<string, unknown>;
}

/** What the client of a request of the newer era can do, which it says with each one. */
function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
  return envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
}

const takesTasks = (context: ServerContext) => capabilitiesOf(context).extensions?.[extension] !== undefined;

const named = { params: z.looseObject({ taskId: z.string() }) };

/** The capability of 2025-11-25. Status is asked for, since without sessions there is no stream to tell it on. */
function serveCapability(server: Server, tasks: Tasks, principal: Principal): void {
  const of = ({ mcpReq: { signal } }: ServerContext) => ({ principal, signal });
  server.setRequestHandler('tasks/get', named, ({ taskId }, context) => tasks.get(taskId, of(context)));
  server.setRequestHandler('tasks/result', named, ({ taskId }, context) => tasks.result(taskId, of(context)));
  server.setRequestHandler('tasks/cancel', named, async ({ taskId }, context) => {
    const { run, wasOver } = await tasks.cancel(taskId, of(context));
    if (wasOver) throw wrongParams(`The task is over: its run is ${run.status}.`);
    return tasks.get(taskId, of(context));
  });
  const paged = { params: z.looseObject({ cursor: z.string().optional() }) };
  server.setRequestHandler('tasks/list', paged, ({ cursor }, context) => tasks.list(cursor, of(context)));
}

/** The extension of 2026-07-28. */
function serveExtension(server: Server, tasks: Tasks, principal: Principal): void {
  /** @throws for a client that does not say that it takes tasks */
  const of = (context: ServerContext) => {
    const { elicitation } = capabilitiesOf(context);
    if (!takesTasks(context))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [extension]: {} } } });
    return { principal, signal: context.mcpReq.signal, canAsk: elicitation !== undefined };
  };
  server.setRequestHandler('tasks/get', named, ({ taskId }, context) => tasks.detail(taskId, of(context)));
  server.setRequestHandler('tasks/cancel', named, async ({ taskId }, context) => {
    await tasks.cancel(taskId, of(context));
    return {};
  });
  server.setRequestHandler('tasks/update', named, async ({ taskId }, context) => {
    const { inputResponses, droppedInputResponseKeys: [dropped] = [] } = context.mcpReq;
    const asked = of(context);
    if (dropped !== undefined) throw wrongParams(`${dropped.slice(0, 100)}: it is no answer to a question.`);
    await tasks.answer(taskId, inputResponses ?? {}, asked);
    return {};
  });
}

export const serveTasks = { legacy: serveCapability, modern: serveExtension } as const;

/** Whether a call shall be a task: clients of 2025 ask for it by call, those since then say that they take tasks. */
export const asTask = (era: Era, tool: OperationTool, params: { task?: unknown }, context: ServerContext): boolean =>
  era === 'legacy' ? params.task !== undefined : tool.task === true && takesTasks(context);

/** @throws an error of JSON-RPC where a client of 2025 gets no task */
export async function callAsTask(
  tasks: Tasks,
  era: Era,
  tool: OperationTool,
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<CallResult> {
  if (!tool.task) throw methodNotFound(`${tool.name} is not carried out as a task.`);
  const { failed, task } = await tasks.begin(tool, args, context, era);
  if (era === 'modern') return failed ?? { resultType: 'task', ...task, content: [] };
  if (failed) throw wrongParams(failed.content.map(({ text }) => text).join('\n'));
  return { task, content: [] };
}
