// Tools of MCP servers as runs and chats call them: only as they were accepted, over a session for each run and chat.
import type { Root } from '@modelcontextprotocol/client';
import type { AnsweredQuestion } from '../../../../runtime/ports.ts';
import { Fault, toFault } from '../../../kernel/fault.ts';
import { createLru } from '../../../kernel/lru.ts';
import {
  type Asking,
  type ConnectOptions,
  isAnswered,
  type McpConnection,
  statusAfter,
} from '../../../outside/mcp/connection.ts';
import { type Definition, digestOf, riskOf, textOf } from '../../../outside/mcp/definitions.ts';
import { createMcpSessions, type McpSessions } from '../../../outside/mcp/sessions.ts';
import type { Prompt, Wish } from '../../../outside/mcp/wishes.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import type { PartBase, PartTool, PartToolOutcome, TenantTools, ToolCaller } from '../../part.ts';
import { type ConnectorDoc, connectorRecord } from '../record.ts';
import { type About, openIn, type Step, stepAfter, stepAgain, stepOf } from './asking.ts';
import { createMcpBook, type McpBook, usable } from './book.ts';
import { toolName } from './names.ts';
import type { McpToolDoc } from './record.ts';

/** Milliseconds that a call may take. */
const callMs = 120_000;
/** Milliseconds that an open call waits for a person, unless its connector says so. */
export const usualQuestionMs = 1_800_000;
/** Times that a server may put a call off without asking anything, and that it may ask in an open one. */
const mostRounds = 5;
const mostAsked = 30;
/** Times that it may ask a model in one call. */
const mostPrompts = 10;
/** Characters of a description that models are shown. */
const describedChars = 2000;

export function mcpTools(base: PartBase): TenantTools {
  const { db, versions, clock, findRun } = base;
  const book = createMcpBook(base);
  const sessions = createMcpSessions({ clock });
  const connectors = perTenant(db.collection(connectorRecord.spec));
  const held = createLru<number, { key: string; tools: readonly PartTool[] }>(1000);
  const serversOf = (tenantId: number) => connectors(tenantId).find({ type: 'Mcp', enabled: true }).toArray();
  // What was switched off, deleted or changed is left at once, not when it has been idle for long.
  const leaveGone = (tenantId: number, servers: readonly ConnectorDoc[]) => {
    const there = new Set(servers.map(serverKey));
    sessions.endUnless((key) => !key.startsWith(`${tenantId} `) || there.has(key.split(' ', 3).join(' ')));
  };
  versions.onBump('connectors', (tenantId) => {
    if (!sessions.some(`${tenantId} `)) return;
    // A store that does not answer now is asked when tools are next read.
    serversOf(tenantId).then(
      (servers) => leaveGone(tenantId, servers),
      () => {},
    );
  });
  const read = async (tenantId: number) => {
    const servers = await serversOf(tenantId);
    leaveGone(tenantId, servers);
    const names = new Map<string, PartTool>();
    for (const server of servers.sort((a, b) => a._id - b._id))
      for (const doc of usable(await book.toolsOf({ tenantId }, server._id))) {
        const tool = toolOf({ book, sessions, findRun }, server, doc);
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
  findRun: PartBase['findRun'];
}

function toolOf(ways: Ways, server: ConnectorDoc, doc: McpToolDoc): PartTool {
  const definition = JSON.parse(doc.accepted as string) as Definition;
  const { title, description, inputSchema } = definition;
  return {
    name: toolName(server, doc.name),
    displayName: title ?? doc.name,
    description: `${server.name}: ${description ?? title ?? doc.name}`.slice(0, describedChars),
    category: 'mcp',
    source: 'Mcp',
    risk: riskOf(definition),
    sandboxed: false,
    connectorId: server._id,
    orgUnitId: server.orgUnitId,
    input: { jsonSchema: inputSchema },
    timeoutMs: callMs + 30_000,
    whenInterrupted: isRepeatable(definition) ? 'retry' : 'report',
    handler: (input, caller) => call(ways, { server, doc }, (input ?? {}) as Record<string, unknown>, caller),
  };
}

/** Whether a connector still leads where it led. */
async function isStill({ connectors }: McpBook, connector: ConnectorDoc): Promise<boolean> {
  const now = await connectors.find({ tenantId: connector.tenantId }, connector._id);
  return now?.enabled === true && serverKey(now) === serverKey(connector);
}

const leftMeanwhile = ({ name }: ConnectorDoc) =>
  `${name} was switched off, changed or deleted while this was called. Nobody knows whether the call took effect.`;

/** Connects; who is told meanwhile that the connector is gone is not told again. @throws Fault */
async function connected(book: McpBook, connector: ConnectorDoc, options: ConnectOptions): Promise<McpConnection> {
  const connection = await book.connect(connector, options);
  if (await isStill(book, connector)) return connection;
  void connection.close(true);
  throw new Fault('CONFLICT', leftMeanwhile(connector));
}

const isRepeatable = ({ annotations }: Definition): boolean =>
  annotations.readOnlyHint === true || annotations.idempotentHint === true;

async function call(
  { book, sessions, findRun }: Ways,
  { server, doc }: { server: ConnectorDoc; doc: McpToolDoc },
  args: Record<string, unknown>,
  caller: ToolCaller,
): Promise<PartToolOutcome> {
  const { tenantId, runId, chatSessionId, signal, answered } = caller;
  const connector = await book.get({ tenantId }, server._id);
  if (!connector.enabled) return { content: `${connector.name} is switched off.`, isError: true };
  // Another address or other credentials are another session.
  const key = `${serverKey(connector)} ${runId ?? ''} ${chatSessionId ?? ''}`;
  try {
    const roots = () => rootsOf(findRun, caller);
    const about = { ...hostOf(connector, caller, roots), server: connector.name, tool: doc.name };
    const waitMs = connector.mcpQuestionMs ?? usualQuestionMs;
    const open = answered && openIn(answered.kept);
    const there = open && sessions.holding(open.call);
    if (open && there) return await carryOn(there, { about, open, waitMs }, caller);
    if (open && !isRepeatable(JSON.parse(doc.accepted as string))) return lost(open.wish, caller);
    const { connection, tools } = await sessions.of(key, (stop) => connected(book, connector, { roots, signal: stop }));
    const found = await tools(signal);
    const offered = found.find(({ name }) => name === doc.name);
    if (!offered || digestOf(textOf(offered)) !== doc.acceptedDigest) return await refuse(book, connector, doc, found);
    const result = await carryOut(connection, { about, offered, args, waitMs }, caller);
    if (connector.mcpStatus !== 'Connected') await settle(book, connector);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    const fault = toFault(error);
    if (!isAnswered(fault)) sessions.end(key);
    // Why a call of a server ended that was left is no failure of that server.
    if (!(await isStill(book, connector))) return { content: leftMeanwhile(connector), isError: true };
    const content = fault.hint ? `${fault.code}: ${fault.message}\n${fault.hint}` : `${fault.code}: ${fault.message}`;
    // What a model or a budget refused says nothing of the server.
    if (!ofServer.has(fault.code)) return { content, isError: true };
    if (isAnswered(fault)) {
      if (connector.mcpStatus !== 'Connected') await settle(book, connector);
      return { content, isError: true };
    }
    const isSlow = fault.code === 'CONNECTOR_TIMEOUT' && connector.mcpStatus === 'Connected';
    await book.tell(
      { tenantId: connector.tenantId },
      connector,
      isSlow ? 'Degraded' : statusAfter(fault),
      fault.message,
    );
    return { content, isError: true };
  }
}

/** Failures by which a server is judged. */
const ofServer: ReadonlySet<string> = new Set([
  ...['MCP_ERROR', 'CONNECTOR_ERROR', 'CONNECTOR_TIMEOUT', 'NOT_CONFIGURED', 'FORBIDDEN', 'INTERNAL_ERROR'],
]);

interface Carried {
  about: About;
  /** Milliseconds that a question waits for people on an open call. */
  waitMs: number;
}

interface Call extends Carried {
  offered: Definition;
  args: Record<string, unknown>;
}

/** A call that is open, with what it asks. */
type Open = NonNullable<ReturnType<typeof openIn>>;

/** Calls a tool, or goes on with a call that hangs on nothing and whose question was answered. */
async function carryOut(
  connection: McpConnection,
  { about, offered, args, waitMs }: Call,
  caller: ToolCaller,
): Promise<PartToolOutcome> {
  const { signal, answered } = caller;
  const wasOpen = answered && openIn(answered.kept) !== null;
  let step = answered && !wasOpen ? await stepAfter(answered, about) : null;
  for (let round = 0; round < mostRounds; round++) {
    if (step && 'asks' in step) return { content: '', asks: step.asks };
    if (step && 'ends' in step) return { content: step.ends, isError: true };
    const options = { signal, timeoutMs: callMs, waitMs, goingOn: step?.goingOn };
    const answer = await connection.call(offered, args, options);
    if (!('wishes' in answer)) return answer;
    if (answer.open !== undefined)
      return goOn(connection, { about, waitMs, asking: answer, ...(wasOpen && { given: answered }) }, caller);
    step = await stepOf(answer, about);
  }
  throw new Fault('MCP_ERROR', `${about.server} puts ${about.tool} off without end.`);
}

/** Goes on with an open call whose question was answered, or is open no more. */
async function carryOn(
  connection: McpConnection,
  { about, open, waitMs }: Carried & { open: Open },
  caller: ToolCaller,
): Promise<PartToolOutcome> {
  const { answered } = caller;
  const told: string[] = [];
  let step: Step | null = null;
  if (answered && !answered.lost) step = await stepAfter(answered, about);
  if (answered?.lost) told.push(`[It asked ${named(open.wish)}, and went on without an answer.]`);
  else if (answered?.decision === null)
    told.push(`[It asked ${named(open.wish)}. Nobody answered in time: it was told that.]`);
  return goOn(connection, { about, waitMs, told, asking: askingOf(open), step }, caller);
}

interface Going extends Carried {
  /** What the model is told besides the result. */
  told?: string[];
  asking: Asking;
  /** What is to be done about what it asks; null where that is open no more. */
  step?: Step | null;
  /** What a person answered before the connection was lost: it counts where the call, made anew, asks the same. */
  given?: AnsweredQuestion;
}

/** Answers what a server asks in an open call, until it has a result or a person is asked. */
async function goOn(connection: McpConnection, going: Going, caller: ToolCaller): Promise<PartToolOutcome> {
  const { about, waitMs, told = [] } = going;
  const carrier = { signal: caller.signal, timeoutMs: callMs, waitMs };
  const open = going.asking.open as string;
  let { asking, step, given } = going;
  let waits = false;
  try {
    for (let asked = 0; asked < mostAsked; asked++) {
      const [[question, wish] = []] = Object.entries(asking.wishes) as [string, Wish][];
      if (question === undefined || !wish) break;
      if (step === undefined) {
        step = await (given ? stepAgain(asking, given, about) : stepOf(asking, about));
        given = undefined;
      }
      if (step && 'asks' in step) {
        const held = connection.held(open, question);
        if (!held) return lost(wish, caller);
        waits = true;
        return { content: '', asks: { ...step.asks, held } };
      }
      const answer = (step && 'goingOn' in step && step.goingOn?.inputResponses[question]) || null;
      if (step && !answer) told.push(`[It asked ${named(wish)}, which it was refused here.]`);
      const came = await connection.goOn(open, step ? { question, answer } : null, carrier);
      if (!('wishes' in came)) return { ...came, content: [came.content, ...told].join('\n') };
      [asking, step] = [came, undefined];
    }
    throw new Fault('MCP_ERROR', `${about.server} asks without end while ${about.tool} is called.`);
  } finally {
    if (!waits) connection.abandon(open);
  }
}

const askingOf = ({ call, question, wish }: Open): Asking => ({ wishes: { [question]: wish }, open: call });

/** What is told of a call whose connection went before its question was answered. */
function lost(wish: Wish, { answered }: ToolCaller): PartToolOutcome {
  const was = answered?.decision == null ? '' : ' A person had answered it, which could not be sent any more.';
  return {
    content: `The server asked ${named(wish)}, and the connection that this hung on was lost.${was} Nobody knows whether the call took effect: check before you repeat it.`,
    isError: true,
  };
}

const named = (wish: Wish): string =>
  wish.kind === 'form'
    ? `a person "${wish.form.message.slice(0, 500)}"`
    : wish.kind === 'link'
      ? `a person to open ${wish.url.slice(0, 500)}`
      : 'a model';

/** What a server may have in the middle of a call: models at the expense of a run, where the connector says so. */
function hostOf({ name, mcpSampling = 'Off' }: ConnectorDoc, { model }: ToolCaller, roots: About['roots']) {
  const asksForModels = mcpSampling === 'Ask';
  if (!model || mcpSampling === 'Off') return { roots, asksForModels };
  let prompts = 0;
  return {
    ...{ roots, asksForModels },
    model: async ({ system, messages, maxTokens }: Prompt) => {
      if (++prompts > mostPrompts) throw new Fault('MCP_ERROR', `${name} asks models without end.`);
      const said = await model({
        messages: [
          ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
          ...messages.map(({ role, text }) => ({ role, content: text })),
        ],
        maxOutputTokens: maxTokens,
      });
      if (said) return said;
      throw new Fault('BUDGET_EXCEEDED', `The run cannot afford what ${name} asks a model.`);
    },
  };
}

/** The folder of a run that has one, as its commands see it; a chat has none. */
async function rootsOf(findRun: PartBase['findRun'], { tenantId, runId }: ToolCaller): Promise<Root[]> {
  const run = runId === null ? null : await findRun(runId, tenantId);
  return run?.reviewWorktreePath ? [{ uri: 'file:///workspace', name: `Run ${run.id}` }] : [];
}

const serverKey = (server: ConnectorDoc) => `${server.tenantId} ${server._id} ${secretsOf(server)}`;

const secretsOf = ({ baseUrl, mcpEndpoint, mcpTransportType, authMethod, ...rest }: ConnectorDoc) => {
  const { sealedCredentials, headers, signedInAt = null, mcpSampling = 'Off' } = rest;
  const all = [baseUrl, mcpEndpoint, mcpTransportType, authMethod, sealedCredentials, headers, signedInAt, mcpSampling];
  return digestOf(JSON.stringify(all)).slice(0, 16);
};

/** Says how a server is that has just answered. */
async function settle(book: McpBook, connector: ConnectorDoc): Promise<void> {
  await book.tellTools({ tenantId: connector.tenantId }, connector);
}

/** A tool that is not as it was accepted is not called: it is kept for somebody to look at. */
async function refuse(
  book: McpBook,
  connector: ConnectorDoc,
  { name }: McpToolDoc,
  found: readonly Definition[],
): Promise<PartToolOutcome> {
  await book.takeIn(connector, found);
  await book.tellTools({ tenantId: connector.tenantId }, connector);
  const { message, hint } = new Fault(
    'MCP_ERROR',
    `${name} of ${connector.name} is not the tool any more that was accepted.`,
    {
      hint: 'A person has to look at the difference first. Go on without it.',
    },
  );
  return { content: `${message} ${hint}`, isError: true };
}
