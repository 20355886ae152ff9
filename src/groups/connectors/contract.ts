// Connectors: other systems, with their endpoints and how fields of both sides are mapped.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import {
  AuthMethod,
  ConnectorType,
  EndpointMethod,
  FieldMappingDirection,
  McpProxyStatus,
  McpTransportType,
} from '../../contract/enums.ts';
import { named } from '../../contract/named.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int32, int64, jsonObject, nothing, string } from '../../contract/types.ts';
import {
  ConnectorDeliveryDto,
  ConnectorDto,
  ConnectorEndpointDto,
  ConnectorInboundResult,
  ConnectorSignInDto,
  EndpointCallDto,
  FieldMappingDto,
  HeaderEncryptionReport,
} from './dto.ts';

const read = 'ConnectorsRead';
const write = 'ConnectorsWrite';
const name = string.trim().min(1).max(100);
const subType = string.trim().min(1).max(50);
/** http and https for servers, s3+http(s) is written as http(s), file for folders. */
const baseUrl = z.url({ protocol: /^(https?|file)$/ }).max(2000);
const databaseType = string.trim().min(1).max(50);
const description = string.max(2000);
const mcpServiceId = string.trim().min(1).max(200);
const mcpEndpoint = string.trim().min(1).max(2000);
const credentials = string.min(1).max(50_000);
const connectionString = string.min(1).max(4000);
/** What the other side of a sign-in says. */
const back = string.min(1).max(4000);
const headersJson = string.max(10_000);
const timeoutMs = int32.min(1000).max(25_000);

/** What says where a connector leads, apart from its name and type. */
const optional = {
  subType: subType.nullish(),
  baseUrl: baseUrl.nullish(),
  orgUnitId: int64.nullish(),
  databaseType: databaseType.nullish(),
  description: description.nullish(),
  mcpServiceId: mcpServiceId.nullish(),
  mcpEndpoint: mcpEndpoint.nullish(),
  mcpTransportType: McpTransportType.nullish(),
  credentials: credentials.nullish(),
  connectionString: connectionString.nullish(),
};

const basis = crud({
  noun: 'connector',
  dto: ConnectorDto,
  read,
  write,
  sorts: ['name', 'type', 'createdAtUtc', 'updatedAtUtc', 'id'],
  filters: {
    q: string.max(200).optional(),
    type: ConnectorType.optional(),
    subType: subType.optional(),
    enabled: boolean.optional(),
    orgUnitId: int64.optional(),
    mcpStatus: McpProxyStatus.optional(),
  },
  create: {
    name,
    type: ConnectorType,
    authMethod: AuthMethod.nullish(),
    enabled: boolean.nullish(),
    headersJson: headersJson.nullish(),
    ...optional,
  },
  patch: {
    name: name.optional(),
    authMethod: AuthMethod.optional(),
    enabled: boolean.optional(),
    ...optional,
    clearCredentials: boolean.nullish(),
  },
  docs: {
    create:
      'Create a connector. Credentials are a text, or a JSON object as its authMethod needs; they are kept sealed and never answered.',
    patch:
      'Change some fields of a connector. A new address needs the credentials again; clearCredentials forgets them and the connection string.',
    remove: 'Delete a connector with its endpoints and their field mappings.',
  },
});

const sortOrder = int32.min(0);
const endpointFields = {
  description: description.nullish(),
  method: EndpointMethod.nullish(),
  path: string.max(2000).nullish(),
  tableName: string.trim().min(1).max(200).nullish(),
  schemaName: string.trim().min(1).max(200).nullish(),
  methodSignature: string.trim().min(1).max(20_000).nullish(),
  webhookEventType: string.trim().min(1).max(200).nullish(),
};
const endpointBasis = crud({
  noun: 'connector endpoint',
  dto: ConnectorEndpointDto,
  at: '/{connectorId}/endpoints',
  one: '/endpoints/{id}',
  read,
  write,
  sorts: ['sortOrder', 'name', 'createdAtUtc', 'id'],
  filters: { q: string.max(200).optional(), method: EndpointMethod.optional() },
  create: { name, isStoredProcedure: boolean.nullish(), sortOrder: sortOrder.nullish(), ...endpointFields },
  patch: {},
  docs: {
    create:
      'Add an endpoint, which runs and chats may call as connector__endpoint: a path template below baseUrl, a GraphQL document or a statement as methodSignature, or a table.',
  },
});
const mappingFields = {
  externalFieldPath: string.trim().min(1).max(500).nullish(),
  internalFieldName: string
    .trim()
    .regex(/^[A-Za-z_][\w-]{0,63}$/)
    .nullish(),
  dataType: string.trim().min(1).max(50).nullish(),
  transformExpression: string.min(1).max(4000).nullish(),
  defaultValue: string.max(4000).nullish(),
  description: description.nullish(),
};
const externalFieldName = string.trim().min(1).max(200);
const mappingBasis = crud({
  noun: 'field mapping',
  dto: FieldMappingDto,
  at: '/endpoints/{endpointId}/field-mappings',
  one: '/field-mappings/{id}',
  read,
  write,
  sorts: ['sortOrder', 'externalFieldName', 'id'],
  filters: { q: string.max(200).optional(), direction: FieldMappingDirection.optional() },
  create: {
    externalFieldName,
    direction: FieldMappingDirection.nullish(),
    isRequired: boolean.nullish(),
    isKey: boolean.nullish(),
    sortOrder: sortOrder.nullish(),
    ...mappingFields,
  },
  patch: {},
  docs: {
    create:
      'Map a field: Outbound ones are what a call takes, Inbound ones what is told of the answer. transformExpression is JSONata.',
  },
});
const { patch: _, ...endpointOperations } = endpointBasis;
const { patch: __, ...mappingOperations } = mappingBasis;

export const connectors = group(
  'Connectors',
  { base: '/api/connectors', doc: 'Other systems that agents act on: REST, GraphQL, databases, files, MCP, mail.' },
  {
    list: basis.list,
    create: basis.create,
    encryptHeaders: op.post('/maintenance/encrypt-headers', {
      doc: 'Seal headers that are not, and seal anew those of an earlier secret; with dryRun only the report.',
      needs: write,
      body: fields({ dryRun: boolean.nullish(), connectorIds: z.array(int64).max(1000).nullish() }),
      data: HeaderEncryptionReport,
    }),
    get: basis.get,
    patch: basis.patch,
    replace: op.put('/{id}', {
      doc: 'Replace a connector. Its type stays; credentials and connection string stay where they are left out, unless its address changes.',
      needs: write,
      body: fields({ name, type: ConnectorType, authMethod: AuthMethod, enabled: boolean, ...optional }),
      data: ConnectorDto,
    }),
    remove: basis.remove,
    setHeaders: op.put('/{id}/headers', {
      doc: 'Replace the headers of a connector, given as JSON text or as an object; null or {} for none.',
      needs: write,
      body: fields({
        headersJson: headersJson.nullish(),
        headers: z.record(string.max(200), string.max(8000)).nullish(),
      }),
      data: ConnectorDto,
    }),
    verify: op.post('/{id}/verify', {
      doc: 'Try a connector: lastVerificationStatus says what is wrong.',
      needs: write,
      body: fields({ timeoutMs: timeoutMs.nullish() }),
      data: ConnectorDto,
    }),
    beginSignIn: op.post('/{id}/sign-in', {
      doc: 'Begin to sign a connector in by OAuth2AuthorizationCode with PKCE: the answer says which page a person lets it in at. Whoever began ends it, within ten minutes.',
      needs: write,
      idempotent: false,
      data: ConnectorSignInDto,
    }),
    signInCallback: op.get('/oauth/callback', {
      doc: 'Take a browser back from the other side of a sign-in, and send it to the page that ends it as who is signed in there.',
      needs: 'public',
      // A server ignores what it does not know of such an answer (RFC 6749, 4.1.2).
      query: z.object({ state: back, code: back.optional(), error: back.optional(), iss: back.optional() }),
      data: nothing,
      orFile: true,
      mediaType: 'text/html',
    }),
    endSignIn: op.post('/oauth/sign-in', {
      doc: 'End a sign-in that I began, with what the other side gave the browser; its state works once. Tokens are kept sealed.',
      needs: write,
      idempotent: false,
      body: fields({ state: back, code: back.nullish(), error: back.nullish(), iss: back.nullish() }),
      data: ConnectorDto,
    }),
    ...named('Endpoint', {
      ...endpointOperations,
      replace: op.put('/endpoints/{id}', {
        doc: 'Replace an endpoint; what is left out is cleared.',
        needs: write,
        body: fields({ name, isStoredProcedure: boolean, sortOrder, ...endpointFields }),
        data: ConnectorEndpointDto,
      }),
    }),
    inboundEndpoint: op.post('/endpoints/{id}/inbound', {
      doc: 'Take what another system tells by itself: verified by the credentials of its connector, taken once, and told as connector.webhook, which routines can be woken by. JSON, or a form.',
      needs: 'public',
      takesBytes: true,
      // Deliveries say what came in; a caller of ours there is none.
      audit: false,
      idempotent: false,
      maxBodyBytes: 256 * 1024,
      body: jsonObject,
      data: ConnectorInboundResult,
    }),
    listDeliveries: op.get('/{id}/deliveries', {
      doc: 'List what came in at the endpoints of a connector in the last 30 days, newest first.',
      needs: read,
      query: listQuery(['createdAtUtc', 'id'], { endpointId: int64.optional() }),
      data: page(ConnectorDeliveryDto),
    }),
    callEndpoint: op.post('/endpoints/{id}/call', {
      doc: 'Call an endpoint as a run would, and see what it is told.',
      needs: write,
      body: fields({ input: jsonObject.nullish() }),
      data: EndpointCallDto,
    }),
    ...named('FieldMapping', {
      ...mappingOperations,
      replace: op.put('/field-mappings/{id}', {
        doc: 'Replace a field mapping; what is left out is cleared.',
        needs: write,
        body: fields({
          externalFieldName,
          direction: FieldMappingDirection,
          isRequired: boolean,
          isKey: boolean,
          sortOrder,
          ...mappingFields,
        }),
        data: FieldMappingDto,
      }),
    }),
  },
);
