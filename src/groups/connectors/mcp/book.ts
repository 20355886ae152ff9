// What is known of MCP servers: where they are, how they are, and which of their tools were accepted.
import type { McpProxyStatus } from '../../../contract/enums.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readCard } from '../../../outside/a2a/agent.ts';
import {
  type ConnectOptions,
  connectMcp,
  type McpConnection,
  type McpTarget,
} from '../../../outside/mcp/connection.ts';
import { type Definition, digestOf, textOf } from '../../../outside/mcp/definitions.ts';
import { createTokenSource, isOAuth } from '../../../outside/oauth.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import { type By, createKeeper, type Keeper } from '../../../ports/keeper.ts';
import type { PartBase } from '../../part.ts';
import { isAgent } from '../a2a/kind.ts';
import { createConnectorBook } from '../book.ts';
import type { ConnectorDoc } from '../record.ts';
import { isUsable, isWaiting, type McpToolDoc, mcpToolRecord } from './record.ts';
import { signedInOf } from './signed-in.ts';
import { agentTargetOf, targetOf } from './target.ts';

export interface McpBook {
  connectors: Keeper<ConnectorDoc>;
  tools: Keeper<McpToolDoc>;
  /** All tools of a connector by name. */
  toolsOf(by: By, connectorId: number): Promise<McpToolDoc[]>;
  /** A connector whose tools are found: an MCP server, or an agent of A2A. @throws Fault NOT_FOUND, VALIDATION_FAILED for another type */
  get(by: By, id: number): Promise<ConnectorDoc>;
  connect(doc: ConnectorDoc, options?: Pick<ConnectOptions, 'signal' | 'roots'>): Promise<McpConnection>;
  /** What a server offers now: its tools, or an agent of A2A as the one tool that it is. */
  offers(doc: ConnectorDoc, signal: AbortSignal): Promise<Definition[]>;
  /**
   * Keeps what a server offers now; answers all its tools.
   *
   * @param acceptsNew - whether tools that were not there before are accepted; those of the first time unless it says
   */
  takeIn(doc: ConnectorDoc, found: readonly Definition[], acceptsNew?: boolean | null): Promise<McpToolDoc[]>;
  /** Says how a server is, where that has changed. */
  tell(by: By, doc: Pick<ConnectorDoc, '_id'>, status: McpProxyStatus, error: string | null): Promise<void>;
  /**
   * Says how a server is by its tools, and how many of them agents may call, where that has changed; answers all of
   * them. Tools that change meanwhile are counted once more, so that the last to tell has counted last.
   *
   * @param options.isUnheard - the server has not just answered: one that is down stays so
   * @param options.more - what else is known of it
   */
  tellTools(
    by: By,
    doc: Pick<ConnectorDoc, '_id'>,
    options?: { isUnheard?: boolean; more?: Partial<ConnectorDoc> },
  ): Promise<McpToolDoc[]>;
}

/** Bytes of one answer of a server. */
const maxBytes = 8 << 20;
/** Characters of an error that a connector keeps. */
const errorChars = 500;

export function createMcpBook(base: PartBase): McpBook {
  const { db, ids, clock, versions, outside } = base;
  const connectorBook = createConnectorBook(base);
  const { connectors, open } = connectorBook;
  const source = createTokenSource({ door: outside.door, clock });
  const tools = createKeeper(mcpToolRecord, {
    ...{ db, ids, clock },
    told: ({ doc }) => versions.bump(doc.tenantId, 'connector_mcp_tools'),
  });
  const toolsOf = (by: By, connectorId: number) =>
    tools.of(by.tenantId).find({ connectorId }).sort({ name: 1, _id: 1 }).toArray();

  const fetchFor = ({ tenantId }: ConnectorDoc) => outside.door.fetch(tenantId, { maxBytes });
  const connect: McpBook['connect'] = (doc, options = {}) => {
    const signedIn = isOAuth(doc.authMethod) ? signedInOf({ book: connectorBook, outside, clock, source }, doc) : null;
    const target: McpTarget = targetOf(doc, open(doc), signedIn);
    const ways = { fetch: fetchFor(doc), programs: outside.programs, clock };
    return connectMcp(ways, target, { ...options, sampling: (doc.mcpSampling ?? 'Off') !== 'Off' });
  };
  const offers: McpBook['offers'] = async (doc, signal) => {
    if (isAgent(doc)) return [await readCard(agentTargetOf(doc, open(doc)), { fetch: fetchFor(doc), signal })];
    const connection = await connect(doc, { signal });
    try {
      return await connection.tools(signal);
    } finally {
      void connection.close();
    }
  };

  return {
    ...{ connectors, tools, toolsOf, takeIn: takingIn({ tools, toolsOf }) },
    get: async (by, id) => {
      const doc = await connectors.get(by, id);
      if (doc.type === 'Mcp' || isAgent(doc)) return doc;
      throw new Fault('VALIDATION_FAILED', `${doc.name} is a connector of the type ${doc.type}, not Mcp or an agent.`, {
        field: 'id',
        hint: 'List those of MCP with GET /api/connectors?type=Mcp.',
      });
    },
    ...{ connect, offers },
    tell: async (by, { _id }, status, error) => {
      const mcpLastError = error?.slice(0, errorChars) ?? null;
      await connectors.change(by, _id, (old) => differing(old, { mcpStatus: status, mcpLastError }));
    },
    tellTools: async (by, { _id }, { isUnheard = false, more = {} } = {}) => {
      for (let told = ''; ; ) {
        const docs = await toolsOf(by, _id);
        const { status: mcpStatus, error } = statusOf(docs);
        const state = { mcpStatus, mcpLastError: error?.slice(0, errorChars) ?? null };
        const mcpToolCount = usable(docs).length;
        const found = JSON.stringify([state, mcpToolCount]);
        if (found === told) return docs;
        told = found;
        await connectors.change(by, _id, (old) => {
          const isDown = old.mcpStatus !== 'Connected' && old.mcpStatus !== 'Degraded';
          return differing(old, { ...(isUnheard && isDown ? {} : state), mcpToolCount, ...more });
        });
      }
    },
  };
}

/** Fields that are not so yet. */
const differing = (old: ConnectorDoc, fields: Partial<ConnectorDoc>): Partial<ConnectorDoc> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => old[name as keyof ConnectorDoc] !== value));

function takingIn({ tools, toolsOf }: Pick<McpBook, 'tools' | 'toolsOf'>): McpBook['takeIn'] {
  return async (
    { tenantId, _id: connectorId }: ConnectorDoc,
    found: readonly Definition[],
    acceptsNew?: boolean | null,
  ) => {
    const by = { tenantId };
    const known = new Map((await toolsOf(by, connectorId)).map((doc) => [doc.name, doc]));
    const accepts = acceptsNew ?? [...known.values()].every(wasBlockedAhead);
    for (const definition of found) {
      const offered = textOf(definition);
      const offeredDigest = digestOf(offered);
      const old = known.get(definition.name);
      known.delete(definition.name);
      if (old?.offeredDigest === offeredDigest) continue;
      if (old)
        await tools.change(by, old._id, {
          offered,
          offeredDigest,
          ...(wasBlockedAhead(old) && { declinedDigest: offeredDigest }),
        });
      else {
        const accepted = accepts
          ? { accepted: offered, acceptedDigest: offeredDigest }
          : { accepted: null, acceptedDigest: null };
        const draft = {
          connectorId,
          name: definition.name,
          enabled: accepts,
          ...accepted,
          offered,
          offeredDigest,
          declinedDigest: null,
        };
        await tools.insert(by, draft).catch(passOverTwins);
      }
    }
    for (const gone of known.values())
      if (gone.offeredDigest !== null) await tools.change(by, gone._id, { offered: null, offeredDigest: null });
    return toolsOf(by, connectorId);
  };
}

/** Somebody has kept agents from it before it was found. */
const wasBlockedAhead = ({ accepted, offered, enabled }: McpToolDoc) =>
  !enabled && accepted === null && offered === null;

/** Two nodes that find the same tool keep it once. */
function passOverTwins(error: unknown): void {
  if (!isDuplicate(error) && !(error instanceof Fault && error.code === 'DUPLICATE')) throw error;
}

/** How a server is by its tools: those that wait for somebody are said. */
export function statusOf(docs: readonly McpToolDoc[]): { status: McpProxyStatus; error: string | null } {
  const waiting = docs.filter(isWaiting);
  if (waiting.length === 0) return { status: 'Connected', error: null };
  const names = waiting.slice(0, 5).map(({ name }) => name);
  const more = waiting.length > names.length ? ` and ${waiting.length - names.length} more` : '';
  return {
    status: 'Degraded',
    error: `New or changed since the tools were accepted: ${names.join(', ')}${more}. Agents may not use them until somebody has looked at them.`,
  };
}

export const usable = (docs: readonly McpToolDoc[]) => docs.filter(isUsable);
