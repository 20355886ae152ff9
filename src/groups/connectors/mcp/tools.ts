// Tools of MCP servers as runs and chats call them: only as they were accepted, over a session for each run and chat.
import { LRUCache } from 'lru-cache';
import { Fault, toFault } from '../../../kernel/fault.ts';
import { statusAfter } from '../../../outside/mcp/connection.ts';
import { type Definition, digestOf, riskOf, textOf } from '../../../outside/mcp/definitions.ts';
import { createMcpSessions, type McpSession, type McpSessions } from '../../../outside/mcp/sessions.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import type { PartBase, PartTool, PartToolOutcome, TenantTools, ToolCaller } from '../../part.ts';
import { type ConnectorDoc, connectorRecord } from '../record.ts';
import { declining, stepAfter, stepOf } from './asking.ts';
import { createMcpBook, type McpBook, statusOf, usable } from './book.ts';
import { toolName } from './names.ts';
import type { McpToolDoc } from './record.ts';

/** Milliseconds that a call may take. */
const callMs = 120_000;
/** Times that a server may put a call off without asking anything. */
const mostRounds = 5;
/** Characters of a description that models are shown. */
const describedChars = 2000;

export function mcpTools(base: PartBase): TenantTools {
  const { db, versions, clock } = base;
  const book = createMcpBook(base);
  const sessions = createMcpSessions({ clock });
  const connectors = perTenant(db.collection(connectorRecord.spec));
  const held = new LRUCache<number, { key: string; tools: readonly PartTool[] }>({ max: 1000 });
  const read = async (tenantId: number) => {
    const servers = await connectors(tenantId).find({ type: 'Mcp' }).toArray();
    const names = new Map<string, PartTool>();
    for (const server of servers.filter(({ enabled }) => enabled).sort((a, b) => a._id - b._id))
      for (const doc of usable(await book.toolsOf({ tenantId }, server._id))) {
        const tool = toolOf({ book, sessions }, server, doc);
        // Of two with one name the older connector's counts.
        if (!names.has(tool.name)) names.set(tool.name, tool);
      }
    return [...names.values()];
  };
  return async (tenantId) => {
    const key = `${await versions.of(tenantId, 'connectors')} ${await versions.of(tenantId, 'connector_mcp_tools')}`;
    const there = held.get(tenantId);
    if (there?.key === key) return there.tools;
    const found = await read(tenantId);
    held.set(tenantId, { key, tools: found });
    return found;
  };
}

interface Ways {
  book: McpBook;
  sessions: McpSessions;
}

function toolOf(ways: Ways, server: ConnectorDoc, doc: McpToolDoc): PartTool {
  const definition = JSON.parse(doc.accepted as string) as Definition;
  const { title, description, inputSchema, annotations } = definition;
  return {
    name: toolName(server, doc.name),
    displayName: title ?? doc.name,
    description: `${server.name}: ${description ?? title ?? doc.name}`.slice(0, describedChars),
    category: 'mcp',
    source: 'Mcp',
    risk: riskOf(definition),
    sandboxed: false,
    connectorId: server._id,
    input: { jsonSchema: inputSchema },
    timeoutMs: callMs + 30_000,
    whenInterrupted: annotations.readOnlyHint || annotations.idempotentHint ? 'retry' : 'report',
    handler: (input, caller) => call(ways, { server, doc }, (input ?? {}) as Record<string, unknown>, caller),
  };
}

async function call(
  { book, sessions }: Ways,
  { server, doc }: { server: ConnectorDoc; doc: McpToolDoc },
  args: Record<string, unknown>,
  caller: ToolCaller,
): Promise<PartToolOutcome> {
  const { tenantId, runId, chatSessionId, signal } = caller;
  const connector = await book.get({ tenantId }, server._id);
  if (!connector.enabled) return { content: `${connector.name} is switched off.`, isError: true };
  // Another address or other credentials are another session.
  const key = `${tenantId} ${server._id} ${secretsOf(connector)} ${runId ?? ''} ${chatSessionId ?? ''}`;
  try {
    const session = await sessions.of(key, () => book.connect(connector));
    const found = await session.tools(signal);
    const offered = found.find(({ name }) => name === doc.name);
    if (!offered || digestOf(textOf(offered)) !== doc.acceptedDigest) return await refuse(book, connector, doc, found);
    const result = await carryOut(session, { server: connector.name, offered, args }, caller);
    if (connector.mcpStatus !== 'Connected') await settle(book, connector);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    sessions.end(key);
    const fault = toFault(error);
    const isSlow = fault.code === 'CONNECTOR_TIMEOUT' && connector.mcpStatus === 'Connected';
    await book.tell(
      { tenantId: connector.tenantId },
      connector,
      isSlow ? 'Degraded' : statusAfter(fault),
      fault.message,
    );
    const content = fault.hint ? `${fault.code}: ${fault.message}\n${fault.hint}` : `${fault.code}: ${fault.message}`;
    return { content, isError: true };
  }
}

interface Call {
  server: string;
  offered: Definition;
  args: Record<string, unknown>;
}

/** Calls a tool, or goes on with a call whose question was answered. */
async function carryOut(
  { connection }: McpSession,
  { server, offered, args }: Call,
  { signal, answered, runId }: ToolCaller,
): Promise<PartToolOutcome> {
  const about = { server, tool: offered.name };
  const declined: string[] = [];
  let step = answered ? stepAfter(answered, about) : null;
  for (let round = 0; round < mostRounds; round++) {
    if (step && 'asks' in step) return { content: '', asks: step.asks };
    const answer = await connection.call(offered, args, { signal, timeoutMs: callMs, goingOn: step?.goingOn });
    if (!('forms' in answer)) return { ...answer, content: [answer.content, ...declined].join('\n') };
    step = stepOf(answer, about);
    if (runId === null && 'asks' in step) {
      declined.push(
        ...Object.values(answer.forms).map(
          ({ message }) => `[It asked "${message}". Chats hold no call that waits for people: declined.]`,
        ),
      );
      step = declining(answer);
    }
  }
  throw new Fault('MCP_ERROR', `${server} puts ${offered.name} off without end.`);
}

const secretsOf = ({ baseUrl, mcpEndpoint, mcpTransportType, sealedCredentials, headers }: ConnectorDoc) =>
  digestOf(JSON.stringify([baseUrl, mcpEndpoint, mcpTransportType, sealedCredentials, headers])).slice(0, 16);

/** Says how a server is that has just answered. */
async function settle(book: McpBook, connector: ConnectorDoc): Promise<void> {
  const { status, error } = statusOf(await book.toolsOf(connector, connector._id));
  await book.tell({ tenantId: connector.tenantId }, connector, status, error);
}

/** A tool that is not as it was accepted is not called: it is kept for somebody to look at. */
async function refuse(
  book: McpBook,
  connector: ConnectorDoc,
  { name }: McpToolDoc,
  found: readonly Definition[],
): Promise<PartToolOutcome> {
  const docs = await book.takeIn(connector, found);
  const { status, error } = statusOf(docs);
  await book.tell({ tenantId: connector.tenantId }, connector, status, error, { mcpToolCount: usable(docs).length });
  const { message, hint } = new Fault(
    'MCP_ERROR',
    `${name} of ${connector.name} is not the tool any more that was accepted.`,
    {
      hint: 'A person has to look at the difference first. Go on without it.',
    },
  );
  return { content: `${message} ${hint}`, isError: true };
}
