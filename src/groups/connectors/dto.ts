// Connectors, their endpoints and field mappings as they are answered: credentials never are.
import { z } from 'zod';
import {
  AuthMethod,
  ConnectorType,
  EndpointMethod,
  FieldMappingDirection,
  McpProxyStatus,
  McpTransportType,
} from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, jsonObject, string, uuid } from '../../contract/types.ts';

export const ConnectorDto = dto('ConnectorDto', {
  id: int64,
  guid: uuid,
  name: string,
  type: ConnectorType,
  subType: string.nullable(),
  authMethod: AuthMethod,
  baseUrl: string.nullable(),
  enabled: boolean,
  endpointCount: int32,
  /** Ok, AuthFailed, Unreachable, Timeout, Misconfigured or Unverified. */
  lastVerificationStatus: string.nullable(),
  orgUnitId: int64.nullable(),
  orgUnitName: string.nullable(),
  databaseType: string.nullable(),
  description: string.nullable(),
  mcpServiceId: string.nullable(),
  mcpEndpoint: string.nullable(),
  mcpTransportType: McpTransportType,
  mcpStatus: McpProxyStatus,
  mcpToolCount: int32,
  mcpLastDiscoveredAtUtc: dateTime.nullable(),
  mcpLastError: string.nullable(),
  hasCredentials: boolean,
  hasConnectionString: boolean,
  lastVerifiedAtUtc: dateTime.nullable(),
  /** Always null: credentials are kept sealed. */
  credentials: string.nullable(),
  /** Always null: values of headers are kept sealed. */
  headersJson: string.nullable(),
  headerNames: z.array(string).nullable(),
  /** Which parts the credentials have: `{ "fields": ["clientId", "clientSecret"] }`; null where there are none. */
  credentialsSummary: jsonObject.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type ConnectorDto = z.output<typeof ConnectorDto>;

export const ConnectorEndpointDto = dto('ConnectorEndpointDto', {
  id: int64,
  guid: uuid,
  connectorId: int64,
  name: string,
  description: string.nullable(),
  method: EndpointMethod.nullable(),
  path: string.nullable(),
  tableName: string.nullable(),
  schemaName: string.nullable(),
  isStoredProcedure: boolean,
  methodSignature: string.nullable(),
  webhookEventType: string.nullable(),
  sortOrder: int32,
  fieldMappingCount: int32,
  createdAtUtc: dateTime,
  /** Ours: where the other system sends what it tells by itself; null for endpoints that are called. */
  inboundPath: string.nullable(),
});
export type ConnectorEndpointDto = z.output<typeof ConnectorEndpointDto>;

export const FieldMappingDto = dto('FieldMappingDto', {
  id: int64,
  guid: uuid,
  endpointId: int64,
  externalFieldName: string,
  externalFieldPath: string.nullable(),
  internalFieldName: string.nullable(),
  dataType: string.nullable(),
  direction: FieldMappingDirection,
  isRequired: boolean,
  isKey: boolean,
  transformExpression: string.nullable(),
  defaultValue: string.nullable(),
  description: string.nullable(),
  sortOrder: int32,
});
export type FieldMappingDto = z.output<typeof FieldMappingDto>;

export const HeaderEncryptionFailure = dto('HeaderEncryptionFailure', { connectorId: int64, error: string });

export const HeaderEncryptionReport = dto('HeaderEncryptionReport', {
  scanned: int32,
  /** Connectors whose headers were sealed, or sealed anew with the secret of today. */
  encryptedIds: z.array(int64),
  alreadyProtected: int32,
  /** Connectors whose headers are not a JSON object of texts. */
  invalidIds: z.array(int64),
  failed: z.array(HeaderEncryptionFailure),
});
export type HeaderEncryptionReport = z.output<typeof HeaderEncryptionReport>;

/** Ours: where a person lets a connector in. */
export const ConnectorSignInDto = dto('ConnectorSignInDto', {
  connectorId: int64,
  /** To be opened in a browser in which who began is signed in here. */
  authorizationUrl: string,
  /** To be registered at the other side. */
  redirectUri: string,
  expiresAtUtc: dateTime,
});
export type ConnectorSignInDto = z.output<typeof ConnectorSignInDto>;

/** Ours: what a call of an endpoint gave. */
export const EndpointCallDto = dto('EndpointCallDto', {
  endpointId: int64,
  ok: boolean,
  /** As a run would see it. */
  content: string,
  durationMs: int32,
});
export type EndpointCallDto = z.output<typeof EndpointCallDto>;

/** Ours: what came in, without its body. */
export const ConnectorDeliveryDto = dto('ConnectorDeliveryDto', {
  id: int64,
  guid: uuid,
  connectorId: int64,
  endpointId: int64,
  eventType: string,
  bytes: int32,
  /** When its event was told; null where the server stopped before that, and the sender has not sent it again. */
  publishedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type ConnectorDeliveryDto = z.output<typeof ConnectorDeliveryDto>;

/** Ours: what becomes of something that came in. */
export const ConnectorInboundResult = dto('ConnectorInboundResult', {
  accepted: boolean,
  /** The call came before; no event was published again. */
  duplicate: boolean,
  deliveryId: int64,
});
export type ConnectorInboundResult = z.output<typeof ConnectorInboundResult>;

/** Ours: what another system told. */
export const ConnectorWebhookEvent = dto('ConnectorWebhookEvent', {
  deliveryId: int64,
  connectorId: int64,
  connectorName: string,
  endpointId: int64,
  /** The webhookEventType of the endpoint. */
  eventType: string,
  /** The body, as the endpoint's inbound mappings make it. */
  payload: jsonObject,
  receivedAtUtc: dateTime,
});
