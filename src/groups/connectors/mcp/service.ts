// Serves the tools of MCP servers: discovery, and what people decide about changed ones.
import { createTwoFilesPatch } from 'diff';
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault, toFault } from '../../../kernel/fault.ts';
import { statusAfter } from '../../../outside/mcp/connection.ts';
import { type Definition, riskOf } from '../../../outside/mcp/definitions.ts';
import { shown } from '../../../ports/shown.ts';
import type { ConnectorDoc } from '../record.ts';
import { type McpBook, statusOf, usable } from './book.ts';
import { connectorMcp } from './contract.ts';
import { type McpDiscoveredTool, McpToolDto } from './dto.ts';
import { toolName } from './names.ts';
import { isUsable, isWaiting, type McpToolDoc, stateOf } from './record.ts';
import { usualQuestionMs } from './tools.ts';

/** Milliseconds that a discovery may take unless it says otherwise. */
const usualMs = 60_000;

const tooLate = () => new Fault('CONNECTOR_TIMEOUT', 'The server did not give its tools in time.');

export const connectorMcpService = implement(
  connectorMcp,
  ({ book, clock }: { book: McpBook; clock: Pick<Clock, 'after' | 'now'> }) => {
    return {
      discover: async ({ caller, params: { id }, body = {}, request }) => {
        const doc = await book.get(caller, id);
        if (!doc.enabled)
          throw new Fault('CONFLICT', `${doc.name} is switched off.`, {
            hint: 'Enable it with PATCH /api/connectors/{id}.',
          });
        await book.tell(caller, doc, 'Connecting', null);
        const late = new AbortController();
        const stop = clock.after(body.timeoutMs ?? usualMs, () => late.abort(tooLate()));
        const signal = AbortSignal.any([request.signal, late.signal]);
        try {
          await book.takeIn(doc, await book.offers(doc, signal), body.enableNewTools);
          const docs = await book.tellTools(caller, doc, { more: { mcpLastDiscoveredAt: new Date(clock.now()) } });
          const { status, error } = statusOf(docs);
          const toolCount = usable(docs).length;
          return { connectorId: id, status, toolCount, tools: docs.flatMap(discovered), error };
        } catch (thrown) {
          const fault = toFault(thrown);
          const status = statusAfter(fault);
          // The connector keeps what is wrong; what to call is for who has asked.
          await book.tell(caller, doc, status, fault.message);
          return { connectorId: id, status, toolCount: 0, tools: [], error: fault.text };
        } finally {
          stop();
        }
      },
      tools: async ({ caller, params: { id } }) => {
        const doc = await book.get(caller, id);
        return (await book.toolsOf(caller, id)).map((tool) => toDto(tool, doc));
      },
      decide: async ({ caller, params: { id, name }, body: { enabled, digest } }) => {
        const doc = await book.get(caller, id);
        const tool = (await book.toolsOf(caller, id)).find((one) => one.name === name);
        if (!tool && enabled)
          throw new Fault('NOT_FOUND', `${doc.name} has no tool ${name}.`, {
            hint: `List them with GET /api/connectors/${id}/mcp/tools.`,
          });
        const change = (old: McpToolDoc) =>
          enabled ? acceptance(old, digest) : { enabled: false, declinedDigest: old.offeredDigest };
        const changed = tool
          ? await book.tools.change(caller, tool._id, change, { expecting: ['offeredDigest'] })
          : await book.tools.insert(caller, { connectorId: id, name, ...blockedAhead });
        await book.tellTools(caller, doc, { isUnheard: true });
        return toDto(changed, doc);
      },
      settings: async ({ caller, params: { id } }) => settingsOf(await book.get(caller, id)),
      setSettings: async ({ caller, params: { id }, body: { sampling, questionTimeoutMs } }) => {
        await book.get(caller, id);
        const change = {
          mcpSampling: sampling,
          ...(questionTimeoutMs != null && { mcpQuestionMs: questionTimeoutMs }),
        };
        return settingsOf(await book.connectors.change(caller, id, change));
      },
    };
  },
);

const settingsOf = ({ _id: connectorId, mcpSampling: sampling = 'Off', mcpQuestionMs }: ConnectorDoc) => ({
  ...{ connectorId, sampling },
  questionTimeoutMs: mcpQuestionMs ?? usualQuestionMs,
});

/** A tool that agents are kept from before it was found. */
const blockedAhead = {
  ...{ enabled: false, accepted: null, acceptedDigest: null, offered: null, offeredDigest: null, declinedDigest: null },
};

/** What accepting a tool changes. @throws Fault CONFLICT where it is not what somebody has looked at */
function acceptance(old: McpToolDoc, digest: string | null | undefined): Partial<McpToolDoc> {
  const { offered, offeredDigest } = old;
  if (stateOf(old) === 'Accepted') return { enabled: true };
  if (offeredDigest === null)
    throw new Fault('CONFLICT', `The server has no tool ${old.name} any more.`, {
      hint: 'Look again with POST /api/connectors/{id}/mcp/discover.',
    });
  if (digest !== offeredDigest)
    throw new Fault('CONFLICT', `${old.name} is to be accepted by the digest of its definition of now.`, {
      field: 'digest',
      hint: 'Look at its difference with GET /api/connectors/{id}/mcp/tools; the digest stands there.',
    });
  return { enabled: true, accepted: offered, acceptedDigest: offeredDigest };
}

function discovered(doc: McpToolDoc): McpDiscoveredTool[] {
  if (doc.offered === null) return [];
  const { name, title, description, inputSchema, outputSchema, annotations } = JSON.parse(doc.offered) as Definition;
  const { readOnlyHint = null, destructiveHint = null, idempotentHint = null, openWorldHint = null } = annotations;
  return [
    {
      ...{ name, title, description },
      inputSchemaJson: JSON.stringify(inputSchema),
      outputSchemaJson: outputSchema && JSON.stringify(outputSchema),
      ...{ readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
      enabled: isUsable(doc),
    },
  ];
}

function toDto(doc: McpToolDoc, connector: ConnectorDoc): McpToolDto {
  const { accepted, offered, offeredDigest } = doc;
  const state = stateOf(doc);
  return shown(McpToolDto, doc, {
    state,
    risk: riskOf(JSON.parse(offered ?? accepted ?? '{"annotations":{}}') as Definition),
    waiting: isWaiting(doc),
    toolName: toolName(connector, doc.name),
    digest: offeredDigest,
    acceptedJson: accepted,
    offeredJson: offered,
    difference: state === 'Changed' ? differenceOf(accepted ?? '{}', offered ?? '{}') : null,
  });
}

const laidOut = (text: string) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`;

const differenceOf = (from: string, to: string) =>
  createTwoFilesPatch('accepted', 'offered', laidOut(from), laidOut(to), undefined, undefined, { context: 3 });
