// Connectors, their endpoints and field mappings as they are kept.
import type { Challenge } from '../../outside/mcp/authorization.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { ConnectorDeliveryDto, ConnectorDto, ConnectorEndpointDto, FieldMappingDto } from './dto.ts';
import type { McpSampling } from './mcp/dto.ts';

type Secret = 'credentials' | 'headersJson' | 'hasCredentials' | 'hasConnectionString';
type Computed = 'endpointCount' | 'orgUnitName' | 'credentialsSummary';

export interface ConnectorDoc extends Stored<Omit<ConnectorDto, Secret | Computed>> {
  /** Sealed JSON object, as `readCredentials` made it; null without credentials. */
  sealedCredentials: string | null;
  sealedConnectionString: string | null;
  /** Sealed JSON object of name to value; an operator may write plain JSON here, which encrypt-headers seals. */
  headers: string | null;
  /** Tokens that the other side gave, sealed; null where there are none. */
  sealedTokens: string | null;
  /** When somebody signed in last; absent where nobody has since this is kept. */
  signedInAt?: Date | null;
  /** Whether an MCP server may ask models in the middle of a call; absent for Off. */
  mcpSampling?: McpSampling;
  /** Milliseconds that an open call of an MCP server waits for a person; absent for `usualQuestionMs`. */
  mcpQuestionMs?: number;
  /** What an MCP server said last of a token, for the next sign-in. */
  mcpChallenge?: Challenge | null;
  /** Who renews them, and until when the others wait; absent of connectors of earlier versions. */
  renewedBy?: string | null;
  renewedUntil?: Date | null;
}

export const connectorRecord = record<ConnectorDoc>('connectors', {
  noun: 'connector',
  list: 'GET /api/connectors',
  order: 'name',
  staysSmall: true,
  uniqueName: true,
  search: ['name', 'description', 'baseUrl'],
  indexes: [{ keys: { tenantId: 1, type: 1 } }],
});

export interface EndpointDoc extends Stored<Omit<ConnectorEndpointDto, 'fieldMappingCount' | 'inboundPath'>> {}

export const endpointRecord = record<EndpointDoc>('connector_endpoints', {
  noun: 'connector endpoint',
  list: 'GET /api/connectors/{connectorId}/endpoints',
  order: 'sortOrder',
  staysSmall: true,
  unique: 'name',
  search: ['name', 'description', 'path'],
  indexes: [{ keys: { tenantId: 1, connectorId: 1, name: 1 }, unique: true }],
});

export interface MappingDoc extends Stored<FieldMappingDto> {
  createdAt: Date;
}

export const mappingRecord = record<MappingDoc>('connector_field_mappings', {
  noun: 'field mapping',
  list: 'GET /api/connectors/endpoints/{endpointId}/field-mappings',
  order: 'sortOrder',
  staysSmall: true,
  search: ['externalFieldName', 'internalFieldName', 'description'],
  indexes: [{ keys: { tenantId: 1, endpointId: 1 } }],
});

export interface ConnectorDeliveryDoc extends Stored<ConnectorDeliveryDto> {
  /** Of what its proof covers: the same again is the same delivery. */
  key: string;
}

export const deliveryRecord = record<ConnectorDeliveryDoc>('connector_deliveries', {
  noun: 'delivery',
  list: 'GET /api/connectors/{id}/deliveries',
  order: '-id',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { endpointId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, connectorId: 1, createdAt: -1 } },
    { keys: { createdAt: 1 } },
  ],
});
