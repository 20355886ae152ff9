// Tools of MCP servers as they are kept: what was accepted beside what is offered.
import { record } from '../../../ports/record.ts';
import type { McpToolState } from './dto.ts';

export interface McpToolDoc {
  _id: number;
  tenantId: number;
  connectorId: number;
  name: string;
  enabled: boolean;
  /** Definitions as `textOf` writes them, with their digests. */
  accepted: string | null;
  acceptedDigest: string | null;
  offered: string | null;
  offeredDigest: string | null;
  /** What somebody looked at and did not accept: it waits for nobody any more. */
  declinedDigest: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const mcpToolRecord = record<McpToolDoc>('connector_mcp_tools', {
  noun: 'tool of an MCP server',
  list: 'GET /api/connectors/{id}/mcp/tools',
  order: 'name',
  staysSmall: true,
  indexes: [{ keys: { tenantId: 1, connectorId: 1, name: 1 }, unique: true }],
});

export function stateOf({ acceptedDigest, offeredDigest }: McpToolDoc): McpToolState {
  if (offeredDigest === null) return 'Gone';
  if (acceptedDigest === null) return 'New';
  return acceptedDigest === offeredDigest ? 'Accepted' : 'Changed';
}

/** Whether somebody has to look at it. */
export const isWaiting = (doc: McpToolDoc): boolean => {
  const state = stateOf(doc);
  return (state === 'New' || state === 'Changed') && doc.offeredDigest !== doc.declinedDigest;
};

/** Whether agents may call it. */
export const isUsable = (doc: McpToolDoc): boolean => doc.enabled && stateOf(doc) === 'Accepted';
