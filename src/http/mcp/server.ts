// The MCP server of one request: the tools that its caller may use.
import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import { permit } from '../../auth/permit.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Calls, Principal } from './calls.ts';
import type { OperationTool } from './tool.ts';
import { aboutOf, operationTools, toolsByName } from './tools.ts';

const instructions =
  'Rivulet runs AI agents. Start one with run_start and wait with run_wait; talk with chat_create and chat_ask; what was learned is in memory_search, fact_search and search. A run that waits for a decision has an open question in escalation_list.';

/** JSON-RPC: the parameters are wrong. */
const invalidParams = -32_602;

export const mayUse = (caller: Caller, { operation }: OperationTool): boolean => {
  try {
    permit(operation, caller);
    return true;
  } catch {
    return false;
  }
};

/** Makes the server for a request whose caller is known; `principal` came with `authInfo`. */
export function createMcpServer(calls: Calls, about: { version: string }) {
  return ({ authInfo }: Pick<McpRequestContext, 'authInfo'>): Server => {
    const principal = authInfo?.extra?.principal as Principal | undefined;
    if (!principal) throw new Error('a request came to the MCP server without its caller');
    const server = new Server(
      { name: 'rivulet', title: 'Rivulet', version: about.version },
      { capabilities: { tools: {} }, instructions },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: operationTools
        .filter((tool) => principal.about?.has(aboutOf(tool.name)) !== false && mayUse(principal.caller, tool))
        .map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = toolsByName.get(params.name);
      if (!tool)
        throw Object.assign(new Error(`There is no tool ${params.name.slice(0, 100)}; tools/list names them.`), {
          code: invalidParams,
        });
      const token = mcpReq._meta?.progressToken;
      const progress = (done: number, message: string) => {
        if (token === undefined) return;
        const told = { progressToken: token, progress: done, message };
        mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => {});
      };
      return calls.call(tool, params.arguments ?? {}, { principal, signal: mcpReq.signal, progress });
    });
    return server;
  };
}
