// Tools of MCP servers: as a discovery answers them, and as they are kept and accepted.
import { z } from 'zod';
import { McpProxyStatus, ToolRisk } from '../../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../../contract/types.ts';

export const McpDiscoveredTool = dto('McpDiscoveredTool', {
  name: string,
  title: string.nullable(),
  description: string.nullable(),
  inputSchemaJson: string.nullable(),
  outputSchemaJson: string.nullable(),
  readOnlyHint: boolean.nullable(),
  destructiveHint: boolean.nullable(),
  idempotentHint: boolean.nullable(),
  openWorldHint: boolean.nullable(),
  /** Whether agents may use it: switched on, and as somebody has accepted it. */
  enabled: boolean,
});
export type McpDiscoveredTool = z.output<typeof McpDiscoveredTool>;

export const McpDiscoveryDto = dto('McpDiscoveryDto', {
  connectorId: int64,
  status: McpProxyStatus,
  toolCount: int32,
  tools: z.array(McpDiscoveredTool),
  error: string.nullable(),
});
export type McpDiscoveryDto = z.output<typeof McpDiscoveryDto>;

/** Ours: how what a server offers stands to what somebody accepted. */
export const McpToolState = z.enum(['Accepted', 'New', 'Changed', 'Gone']).meta({ id: 'McpToolState' });
export type McpToolState = z.output<typeof McpToolState>;

/** Ours: a tool of an MCP server, with what is to be looked at before agents may use it. */
export const McpToolDto = dto('McpToolDto', {
  id: int64,
  connectorId: int64,
  name: string,
  /** As runs and chats call it: `<connector>__<tool>`. */
  toolName: string,
  enabled: boolean,
  state: McpToolState,
  /** As the definition says it that the server gives now; of a tool that is gone, the accepted one. */
  risk: ToolRisk,
  /** Whether somebody has to look at it before agents may use it. */
  waiting: boolean,
  /** SHA-256 of the definition that the server gives now, to accept exactly that; null when it gives none. */
  digest: string.nullable(),
  /** The accepted definition as JSON; null for a new tool. */
  acceptedJson: string.nullable(),
  /** What the server gives now. */
  offeredJson: string.nullable(),
  /** From the one to the other, as a unified diff; null unless it has changed. */
  difference: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type McpToolDto = z.output<typeof McpToolDto>;

/** Ours: this server as a client of others, in the words of RFC 7591. */
export const McpClientDocument = dto('McpClientDocument', {
  client_id: string,
  client_name: string,
  client_uri: string,
  redirect_uris: z.array(string),
  grant_types: z.array(string),
  response_types: z.array(string),
  token_endpoint_auth_method: string,
});

/** Ours: whether a server may ask models in the middle of a call of a run, and whether a person looks at it first. */
export const McpSampling = z.enum(['Off', 'Ask', 'Allow']).meta({ id: 'McpSampling' });
export type McpSampling = z.output<typeof McpSampling>;

/** Ours: what an MCP server may do beside answering. */
export const McpSettingsDto = dto('McpSettingsDto', {
  connectorId: int64,
  sampling: McpSampling,
  questionTimeoutMs: int32,
});
export type McpSettingsDto = z.output<typeof McpSettingsDto>;
