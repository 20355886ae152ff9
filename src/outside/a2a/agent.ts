// An agent of another server, reached by A2A: a message to it, and its task until it rests.
import { AgentCard, Message, Role, type SendMessageResult, type Task, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Definition } from '../mcp/definitions.ts';

export interface AgentTarget {
  /** Where its card is below; nothing is sent to other servers. */
  url: URL;
  /** Credentials among them. */
  headers: Readonly<Record<string, string>>;
}

export interface Asked {
  /** Names the message, so that a repeat of it can be known. */
  messageId: string;
  /** Null only reads the task. */
  text: string | null;
  taskId: string | null;
  contextId: string | null;
}

interface Ways {
  /** The guarded one. */
  fetch: typeof globalThis.fetch;
  clock: Pick<Clock, 'sleep' | 'steady'>;
  signal: AbortSignal;
  /** Milliseconds that a task may take; what takes longer goes on there, and can be read by its name. */
  waitMs: number;
}

/** Milliseconds between two looks at a task. */
const lookEveryMs = 1000;
/** Characters that a model is shown. */
const mostChars = 100_000;

/** Characters of a card. */
const mostCardChars = 200_000;

/**
 * What an agent says of itself, and where it is spoken to: as a definition that is pinned as tools of MCP servers are.
 *
 * @throws Fault NOT_CONFIGURED, CONNECTOR_TIMEOUT, CONNECTOR_ERROR; the signal's reason
 */
export async function readCard(target: AgentTarget, ways: Pick<Ways, 'fetch' | 'signal'>): Promise<CardDefinition> {
  try {
    const card = await new DefaultAgentCardResolver({ fetchImpl: guarded(target, ways) }).resolve(baseOf(target));
    const read = AgentCard.toJSON(card) as Record<string, unknown>;
    if (JSON.stringify(read).length > mostCardChars)
      throw new Fault('CONNECTOR_ERROR', `The card of the agent at ${target.url.hostname} is too large.`);
    const { name, description } = card;
    return { name: askTool, title: name, description, inputSchema, outputSchema: null, annotations: {}, card: read };
  } catch (error) {
    ways.signal.throwIfAborted();
    throw failureOf(error, target.url.hostname);
  }
}

/** An agent is one tool; its digest is that of the whole card. */
export interface CardDefinition extends Definition {
  card: Record<string, unknown>;
}
export const askTool = 'ask';
export const inputSchema = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What to say to the agent. Leave it out to see how a task stands.' },
    taskId: { type: 'string', description: 'The task to go on with or to look at; a new one begins without it.' },
    contextId: { type: 'string', description: 'The context of earlier tasks, so that the agent knows of them.' },
  },
  additionalProperties: false,
};

/**
 * Says something to an agent and waits for what becomes of it.
 *
 * @throws Fault NOT_CONFIGURED, CONNECTOR_TIMEOUT, CONNECTOR_ERROR; the signal's reason
 */
export async function askAgent(
  target: AgentTarget,
  { card }: Pick<CardDefinition, 'card'>,
  asked: Asked,
  ways: Ways,
): Promise<{ content: string; isError: boolean }> {
  const { signal, clock, waitMs } = ways;
  try {
    const client = await connect(target, AgentCard.fromJSON(card), ways);
    const end = clock.steady() + waitMs;
    let found = await begin(client, asked, signal);
    while ('status' in found && isAtWork(found) && clock.steady() < end) {
      await clock.sleep(lookEveryMs, signal);
      found = await client.getTask({ tenant: '', id: found.id, historyLength: 0 }, { signal });
    }
    return 'status' in found ? resultOf(found) : { content: cut(wordsOf(found.parts)), isError: false };
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, target.url.hostname);
  }
}

const baseOf = ({ url }: AgentTarget): string => (url.href.endsWith('/') ? url.href : `${url.href}/`);

/** The way to the server of a target alone, with its credentials. */
function guarded({ url, headers }: AgentTarget, { fetch, signal }: Pick<Ways, 'fetch' | 'signal'>) {
  const own = url.origin;
  const fetchImpl: typeof globalThis.fetch = (input, init) => {
    const to = new URL(input instanceof Request ? input.url : input);
    // A card may name any address: credentials and words are for the server that somebody has set.
    if (to.origin !== own)
      throw new Fault('NOT_CONFIGURED', `The card of the agent at ${url.hostname} leads to ${to.hostname}.`, {
        hint: 'Give the connector the address of the agent itself as its baseUrl.',
        isFinal: true,
      });
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return fetch(to, { ...init, headers: all, signal });
  };
  return fetchImpl;
}

/** A client of the agent that a card, as somebody has accepted it, describes. */
function connect(target: AgentTarget, card: AgentCard, ways: Ways): Promise<Client> {
  const options = { fetchImpl: guarded(target, ways) };
  const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
  return new ClientFactory({ transports }).createFromAgentCard(card);
}

function begin(
  client: Client,
  { messageId, text, taskId, contextId }: Asked,
  signal: AbortSignal,
): Promise<SendMessageResult> {
  if (text === null) return client.getTask({ tenant: '', id: taskId ?? '', historyLength: 0 }, { signal });
  const message = {
    ...Message.fromJSON({ messageId, parts: [{ text }] }),
    ...{ role: Role.ROLE_USER, taskId: taskId ?? '', contextId: contextId ?? '' },
  };
  const configuration = {
    ...{ acceptedOutputModes: ['text/plain', 'application/json'], taskPushNotificationConfig: undefined },
    ...{ historyLength: 0, returnImmediately: true },
  };
  return client.sendMessage({ tenant: '', message, configuration, metadata: undefined }, { signal });
}

const isAtWork = ({ status }: Task): boolean =>
  status?.state === TaskState.TASK_STATE_SUBMITTED || status?.state === TaskState.TASK_STATE_WORKING;

const failing: ReadonlySet<TaskState | undefined> = new Set([
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** How a task stands, for a model: its state and name, what its agent says, what it has made. */
function resultOf({ id, contextId, status, artifacts }: Task): { content: string; isError: boolean } {
  const state = (status ? TaskState[status.state] : 'TASK_STATE_UNSPECIFIED').replace('TASK_STATE_', '').toLowerCase();
  const said = status?.message ? wordsOf(status.message.parts) : '';
  const made = artifacts.map(({ parts }) => wordsOf(parts));
  const text = [`Task ${id} (context ${contextId}) is ${state}.`, said, ...made]
    .filter((one) => one !== '')
    .join('\n\n');
  return { content: cut(text), isError: failing.has(status?.state) };
}

const wordsOf = (parts: Message['parts']): string =>
  parts
    .map(({ content, filename, mediaType }) => {
      switch (content?.$case) {
        case 'text':
          return content.value;
        case 'data':
          return JSON.stringify(content.value);
        case 'url':
          return `[${filename || 'file'}: ${content.value}]`;
        case 'raw':
          return `[${filename || mediaType || 'file'}, ${content.value.length} bytes, not shown]`;
        default:
          return '';
      }
    })
    .join('\n');

const cut = (text: string): string =>
  text.length > mostChars ? `${text.slice(0, mostChars)}\n… (${text.length - mostChars} more characters)` : text;

/** What went wrong, without anything of the URL but its host. */
function failureOf(error: unknown, host: string, depth = 0): Fault {
  if (error instanceof Fault) return error;
  const { cause, message } = error as Error;
  if (cause instanceof Error && depth < 4) {
    const inner = failureOf(cause, host, depth + 1);
    if (inner.code !== 'CONNECTOR_ERROR') return inner;
  }
  const said = String(message ?? 'no answer')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
  return new Fault('CONNECTOR_ERROR', `The agent at ${host} answered: ${said}`, {
    hint: 'See its card, and the credentials of the connector.',
    cause: error,
  });
}
