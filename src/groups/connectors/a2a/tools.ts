// Agents of other servers as tools of runs and chats: a connector of the type Custom whose subType is A2A.
import { Fault, toFault } from '../../../kernel/fault.ts';
import { createLru } from '../../../kernel/lru.ts';
import { askAgent, askTool, type CardDefinition, inputSchema, readCard } from '../../../outside/a2a/agent.ts';
import { secretsIn } from '../../../outside/authentication.ts';
import { hideValues } from '../../../outside/hidden-values.ts';
import { digestOf, textOf } from '../../../outside/mcp/definitions.ts';
import type { PartBase, PartTool, PartToolOutcome, TenantTools, ToolCaller } from '../../part.ts';
import { type ConnectorBook, createConnectorBook } from '../book.ts';
import { createMcpBook, type McpBook } from '../mcp/book.ts';
import { toolName } from '../mcp/names.ts';
import { isUsable } from '../mcp/record.ts';
import { agentTargetOf } from '../mcp/target.ts';
import type { ConnectorDoc } from '../record.ts';
import { isAgent } from './kind.ts';

/** Milliseconds that a call waits for the task of an agent. */
const waitMs = 120_000;
/** Bytes of one answer. */
const maxBytes = 8 << 20;

export function agentTools(base: PartBase): TenantTools {
  const book = createConnectorBook(base);
  const pins = createMcpBook(base);
  const { versions } = base;
  const held = createLru<number, { key: string; tools: readonly PartTool[] }>(1000);
  const read = async (tenantId: number) => {
    const found = await book.connectors
      .of(tenantId)
      .find({ type: 'Custom', enabled: true }, { sort: { _id: 1 } })
      .toArray();
    const tools: PartTool[] = [];
    for (const doc of found.filter(isAgent)) {
      const known = await pins.toolsOf({ tenantId }, doc._id);
      // One that was never looked at is accepted by its first call.
      if (known.length === 0 || known.some(isUsable)) tools.push(toolOf({ ...base, book, pins }, doc));
    }
    return tools;
  };
  return async (tenantId) => {
    const key = `${await versions.of(tenantId, 'connectors')} ${await versions.of(tenantId, 'connector_mcp_tools')}`;
    const known = held.get(tenantId);
    if (known?.key === key) return known.tools;
    const tools = await read(tenantId);
    held.set(tenantId, { key, tools });
    return tools;
  };
}

type Ways = Pick<PartBase, 'outside' | 'clock'> & { book: ConnectorBook; pins: McpBook };

/** A model is told what the tenant says of an agent, never what its card says: nobody else can change that. */
function toolOf(ways: Ways, doc: ConnectorDoc): PartTool {
  return {
    name: toolName(doc, askTool),
    displayName: doc.name,
    description: doc.description ?? `Asks the agent ${doc.name}, which works on a task and answers.`,
    category: 'connectors',
    source: 'Connector',
    connectorId: doc._id,
    orgUnitId: doc.orgUnitId,
    ...{ risk: 'Dangerous', sandboxed: false, timeoutMs: waitMs + 60_000, whenInterrupted: 'report' },
    input: { jsonSchema: inputSchema },
    handler: (args, caller) => ask(ways, doc, (args ?? {}) as Args, caller),
  };
}

interface Args {
  message?: string;
  taskId?: string;
  contextId?: string;
}

async function ask(
  { book, pins, outside, clock }: Ways,
  { _id }: ConnectorDoc,
  { message = '', taskId, contextId }: Args,
  { tenantId, idempotencyKey, signal }: ToolCaller,
): Promise<PartToolOutcome> {
  const doc = await book.connectors.get({ tenantId }, _id);
  if (!doc.enabled || !isAgent(doc)) return { content: `${doc.name} is switched off.`, isError: true };
  if (message.trim() === '' && !taskId) return { content: 'Give a message, or the taskId to look at.', isError: true };
  const opened = book.open(doc);
  const secrets = [...secretsIn(opened.credentials), ...Object.values(opened.headers)];
  try {
    const target = agentTargetOf(doc, opened);
    const ways = { fetch: outside.door.fetch(tenantId, { maxBytes, timeoutMs: waitMs }), clock, signal, waitMs };
    const card = await readCard(target, ways);
    await requireAccepted(pins, doc, card);
    const { content, isError } = await askAgent(
      target,
      card,
      {
        ...{ messageId: idempotencyKey, text: message.trim() === '' ? null : message },
        ...{ taskId: taskId ?? null, contextId: contextId ?? null },
      },
      ways,
    );
    return { content: hideValues(content, secrets), isError };
  } catch (error) {
    signal.throwIfAborted();
    const { code, message: said, hint } = toFault(error);
    return { content: hideValues(`${code}: ${said}${hint ? `\n${hint}` : ''}`, secrets), isError: true };
  }
}

/** An agent whose card is not as it was accepted hears nothing. @throws Fault CONNECTOR_ERROR */
async function requireAccepted(pins: McpBook, doc: ConnectorDoc, card: CardDefinition): Promise<void> {
  const digest = digestOf(textOf(card));
  const holds = (known: Awaited<ReturnType<McpBook['toolsOf']>>) =>
    known.some((one) => isUsable(one) && one.acceptedDigest === digest);
  if (holds(await pins.toolsOf(doc, doc._id))) return;
  await pins.takeIn(doc, [card]);
  if (holds(await pins.tellTools({ tenantId: doc.tenantId }, doc))) return;
  throw new Fault('CONNECTOR_ERROR', `The card of ${doc.name} is not the one any more that was accepted.`, {
    hint: 'A person has to look at the difference first. Go on without it.',
    isFinal: true,
  });
}
