// Agents of other servers as tools of runs and chats: a connector of the type Custom whose subType is A2A.
import { LRUCache } from 'lru-cache';
import { toFault } from '../../../kernel/fault.ts';
import { askAgent } from '../../../outside/a2a/agent.ts';
import { secretsIn } from '../../../outside/authentication.ts';
import { hideValues } from '../../../outside/hidden-values.ts';
import type { PartBase, PartTool, PartToolOutcome, TenantTools, ToolCaller } from '../../part.ts';
import { type ConnectorBook, createConnectorBook } from '../book.ts';
import { toolName } from '../mcp/names.ts';
import { credentialsOf } from '../mcp/target.ts';
import type { ConnectorDoc } from '../record.ts';
import { isAgent } from './kind.ts';

/** Milliseconds that a call waits for the task of an agent. */
const waitMs = 120_000;
/** Bytes of one answer. */
const maxBytes = 8 << 20;

const input = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What to say to the agent. Leave it out to see how a task stands.' },
    taskId: { type: 'string', description: 'The task to go on with or to look at; a new one begins without it.' },
    contextId: { type: 'string', description: 'The context of earlier tasks, so that the agent knows of them.' },
  },
  additionalProperties: false,
};

export function agentTools(base: PartBase): TenantTools {
  const book = createConnectorBook(base);
  const held = new LRUCache<number, { version: number; tools: readonly PartTool[] }>({ max: 1000 });
  return async (tenantId) => {
    const version = await base.versions.of(tenantId, 'connectors');
    const known = held.get(tenantId);
    if (known?.version === version) return known.tools;
    const found = await book.connectors
      .of(tenantId)
      .find({ type: 'Custom', enabled: true }, { sort: { _id: 1 } })
      .toArray();
    const tools = found.filter(isAgent).map((doc) => toolOf({ ...base, book }, doc));
    held.set(tenantId, { version, tools });
    return tools;
  };
}

type Ways = Pick<PartBase, 'outside' | 'clock'> & { book: ConnectorBook };

/** A model is told what the tenant says of an agent, never what its card says: nobody else can change that. */
function toolOf(ways: Ways, doc: ConnectorDoc): PartTool {
  return {
    name: toolName(doc, 'ask'),
    displayName: doc.name,
    description: doc.description ?? `Asks the agent ${doc.name}, which works on a task and answers.`,
    category: 'connectors',
    source: 'Connector',
    connectorId: doc._id,
    ...{ risk: 'Dangerous', sandboxed: false, timeoutMs: waitMs + 60_000, whenInterrupted: 'report' },
    input: { jsonSchema: input },
    handler: (args, caller) => ask(ways, doc, (args ?? {}) as Args, caller),
  };
}

interface Args {
  message?: string;
  taskId?: string;
  contextId?: string;
}

async function ask(
  { book, outside, clock }: Ways,
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
    const headers = { ...opened.headers, ...credentialsOf(doc, opened) };
    const { content, isError } = await askAgent(
      { url: new URL(doc.baseUrl ?? ''), headers },
      {
        ...{ messageId: idempotencyKey, text: message.trim() === '' ? null : message },
        ...{ taskId: taskId ?? null, contextId: contextId ?? null },
      },
      { fetch: outside.door.fetch(tenantId, { maxBytes, timeoutMs: waitMs }), clock, signal, waitMs },
    );
    return { content: hideValues(content, secrets), isError };
  } catch (error) {
    signal.throwIfAborted();
    const { code, message: said, hint } = toFault(error);
    return { content: hideValues(`${code}: ${said}${hint ? `\n${hint}` : ''}`, secrets), isError: true };
  }
}
