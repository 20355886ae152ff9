// The MCP server of one request: the tools and prompts that its caller may use.
import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import { isPermitted } from '../../auth/permit.ts';
import { type Calls, type Principal, wrongParams } from './calls.ts';
import { createPromptBook } from './prompts.ts';
import { asTask, callAsTask, serveTasks, taskCapabilities } from './task-server.ts';
import type { Era } from './task-words.ts';
import { createTasks } from './tasks.ts';
import type { OperationTool } from './tool.ts';
import { aboutOf, operationTools, toolsByName } from './tools.ts';

const instructions =
  'Rivulet runs AI agents. Start one with run_start and wait with run_wait; talk with chat_create and chat_ask; what was learned is in memory_search, fact_search and search. A run that waits for a decision has an open question in escalation_list.';

/** Makes the server for a request whose caller is known; `principal` came with `authInfo`. */
export function createMcpServer(calls: Calls, about: { version: string }) {
  const prompts = createPromptBook(calls);
  const tasks = createTasks(calls);
  return ({ authInfo, era }: Pick<McpRequestContext, 'authInfo' | 'era'>): Server => {
    const principal = authInfo?.extra?.principal as Principal | undefined;
    if (!principal) throw new Error('a request came to the MCP server without its caller');
    const server = new Server(
      { name: 'rivulet', title: 'Rivulet', version: about.version },
      { capabilities: { tools: {}, prompts: {}, ...taskCapabilities[era] }, instructions },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: toolsAbout(principal.about)
        .filter((tool) => isPermitted(tool.operation, principal.caller))
        .map((tool) => shown(tool, era)),
    }));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { mcpReq } = context;
      const tool = toolsByName.get(params.name);
      if (!tool) throw wrongParams(`There is no tool ${params.name.slice(0, 100)}; tools/list names them.`);
      const token = mcpReq._meta?.progressToken;
      const progress = (done: number, message: string) => {
        if (token === undefined) return;
        const told = { progressToken: token, progress: done, message };
        mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => {});
      };
      const call = { principal, signal: mcpReq.signal, progress };
      const args = params.arguments ?? {};
      return asTask(era, tool, params, context)
        ? callAsTask(tasks, era, tool, args, call)
        : calls.call(tool, args, call);
    });
    serveTasks[era](server, tasks, principal);
    server.setRequestHandler('prompts/list', async (_, { mcpReq: { signal } }) => ({
      prompts: await prompts.list({ principal, signal }),
    }));
    server.setRequestHandler('prompts/get', ({ params }, { mcpReq: { signal } }) =>
      prompts.get(params.name, params.arguments ?? {}, { principal, signal }),
    );
    return server;
  };
}

/** The tools that are about what was named; a name that was mistyped would leave a client without any, and no reason. */
function toolsAbout(about: Principal['about']): readonly OperationTool[] {
  if (!about) return operationTools;
  const known = new Set(operationTools.map(({ name }) => aboutOf(name)));
  const unknown = [...about].filter((one) => one !== '' && !known.has(one));
  if (unknown.length > 0)
    throw wrongParams(
      `There are no tools about ${unknown.join(', ').slice(0, 100)}: ?tools= takes ${[...known].join(', ')}.`,
    );
  return operationTools.filter(({ name }) => about.has(aboutOf(name)));
}

const shown = ({ name, description, inputSchema, annotations, task }: OperationTool, era: Era) => ({
  ...{ name, description, inputSchema, annotations },
  ...(task && era === 'legacy' && { execution: { taskSupport: 'optional' as const } }),
});
