// Serves connectors.
import type { Caller } from '../../contract/caller.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Outside } from '../../outside/outside.ts';
import { checkExpression } from '../../outside/transforms.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ListRequest } from '../../ports/keeper.ts';
import type { Draft } from '../../ports/record.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import { defined, given } from '../fields.ts';
import { kept, keptAs } from '../kept.ts';
import { isAgent } from './a2a/kind.ts';
import type { ConnectorBook } from './book.ts';
import type { Calls } from './calls.ts';
import { connectors as contract } from './contract.ts';
import {
  checkBaseUrl,
  checkType,
  requireSameServer,
  type Secrets,
  sealHeaders,
  sealSecrets,
  signInAfter,
} from './drafts.ts';
import { ConnectorEndpointDto, FieldMappingDto } from './dto.ts';
import { encryptHeaders } from './header-report.ts';
import { createInbound } from './inbound.ts';
import { checkEndpoint, checkMapping } from './plans.ts';
import type { ConnectorDoc, EndpointDoc, MappingDoc } from './record.ts';
import { type CameBack, createSignIns, toSignInPage } from './sign-in.ts';

export interface ConnectorServiceDeps {
  book: ConnectorBook;
  outside: Outside;
  calls: Calls;
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  units: Pick<UnitsOfTenants, 'require'>;
}

const plain = {
  ...{ subType: null, baseUrl: null, orgUnitId: null, databaseType: null, description: null },
  ...{ mcpServiceId: null, mcpEndpoint: null, mcpTransportType: 'None' as const },
};
const unverified = { lastVerificationStatus: 'Unverified', lastVerifiedAt: null };
const noSecrets = {
  sealedCredentials: null,
  sealedConnectionString: null,
  sealedTokens: null,
  renewedBy: null,
  renewedUntil: null,
};
const unconnected = { mcpToolCount: 0, mcpLastDiscoveredAt: null, mcpLastError: null };

const usualVerifyMs = 10_000;

async function verify(
  { book, calls, clock }: Pick<ConnectorServiceDeps, 'book' | 'calls' | 'clock'>,
  caller: Caller,
  id: number,
  timeoutMs: number | null | undefined,
) {
  const connector = await book.connectors.get(caller, id);
  const status = await calls.verify(connector, timeoutMs ?? usualVerifyMs);
  if (status === null) return book.show(connector);
  const verified = { lastVerificationStatus: status, lastVerifiedAt: new Date(clock.now()) };
  return book.show(await book.connectors.change(caller, id, verified));
}

/** Fields of a changed connector: what says where it leads makes it unverified. */
function changing(vault: Vault) {
  return (old: ConnectorDoc, to: Partial<ConnectorDoc>, secrets: Secrets) => {
    checkType({ ...old, ...to }, to.authMethod ?? old.authMethod);
    checkBaseUrl(old.type, to.baseUrl);
    requireSameServer(old, to, secrets);
    const sealed = sealSecrets(vault, { ...old, ...to }, secrets);
    const isElsewhere = ['baseUrl', 'authMethod', 'databaseType', 'mcpEndpoint', 'mcpTransportType'].some(
      (name) => name in to && to[name as keyof ConnectorDoc] !== old[name as keyof ConnectorDoc],
    );
    const isOther = isElsewhere || Object.keys(sealed).length > 0;
    return { ...to, ...signInAfter(old, to), ...sealed, ...(isOther && unverified), ...mcpAfter(old, to, isOther) };
  };
}

export const connectorsService = implement(contract, (deps: ConnectorServiceDeps) => {
  const { book, outside, calls, clock } = deps;
  const { connectors, show } = book;
  const { vault } = outside;

  const changed = changing(vault);
  return {
    ...kept(contract, connectors, {
      show,
      expecting: ['baseUrl', 'authMethod', 'headers', 'sealedCredentials'],
      draft: async ({ credentials, connectionString, headersJson, ...body }, { tenantId }) => {
        const { type, authMethod = null, enabled } = body;
        checkType(body, authMethod ?? 'None');
        checkBaseUrl(type, body.baseUrl);
        await deps.units.require(tenantId, body.orgUnitId);
        const about = { tenantId, type, authMethod: authMethod ?? ('None' as const) };
        return {
          ...{ ...plain, ...unverified, ...unconnected, ...noSecrets },
          ...defined(body),
          name: body.name,
          ...{ ...about, enabled: enabled ?? true, mcpTransportType: body.mcpTransportType ?? 'None' },
          mcpStatus: type === 'Mcp' || isAgent(body) ? ('Disconnected' as const) : ('NotConfigured' as const),
          ...sealSecrets(vault, about, { credentials, connectionString }),
          ...sealHeaders(vault, tenantId, headersJson ?? null),
        };
      },
      change: async ({ credentials, connectionString, clearCredentials, mcpTransportType, ...body }, old) => {
        await deps.units.require(old.tenantId, body.orgUnitId);
        const secrets = clearCredentials
          ? { credentials: null, connectionString: null }
          : { credentials, connectionString };
        const to = defined(body);
        return changed(old, { ...to, ...(mcpTransportType !== undefined && transport(mcpTransportType)) }, secrets);
      },
      replace: async ({ credentials, connectionString, type, mcpTransportType, ...body }, old) => {
        await deps.units.require(old.tenantId, body.orgUnitId);
        if (type !== old.type)
          throw new Fault('VALIDATION_FAILED', `This connector is of the type ${old.type}, which stays.`, {
            field: 'type',
            hint: 'Make another connector with POST /api/connectors.',
          });
        const to = { ...plain, ...defined(body), ...transport(mcpTransportType) };
        return changed(old, to, { credentials, connectionString });
      },
    }),
    remove: async ({ caller, params: { id } }) => {
      await connectors.get(caller, id);
      await removeWhole(book, caller, id);
      return null;
    },
    setHeaders: async ({ caller, params, body: { headersJson, headers } }) => {
      if (headersJson != null && headers != null)
        throw new Fault('VALIDATION_FAILED', 'headersJson and headers say the same.', { hint: 'Send one of them.' });
      const json = headers ? JSON.stringify(headers) : (headersJson ?? null);
      const fields = { ...sealHeaders(vault, caller.tenantId, json), ...unverified };
      return show(await connectors.change(caller, params.id, (old) => ({ ...fields, ...mcpAfter(old, {}, true) })));
    },
    verify: ({ caller, params, body }) => verify({ book, calls, clock }, caller, params.id, body.timeoutMs),
    ...inboundHandlers(deps),
    ...signInHandlers(deps),
    ...endpointHandlers(book, calls, clock),
    ...mappingHandlers(book),
    encryptHeaders: ({ caller, body }) => encryptHeaders(book, vault, caller, body),
  };
});

function inboundHandlers(deps: Pick<ConnectorServiceDeps, 'book' | 'db' | 'ids' | 'clock' | 'publisher'>) {
  const inbound = createInbound(deps);
  type Of = Pick<CallInput, 'caller' | 'params'>;
  return {
    inboundEndpoint: ({ params, request }: Pick<CallInput, 'params' | 'request'>) =>
      inbound.receive(params.id, request),
    listDeliveries: ({ caller, params, query }: Of & { query: ListRequest }) => inbound.list(caller, params.id, query),
  };
}

function signInHandlers(deps: Pick<ConnectorServiceDeps, 'book' | 'outside' | 'db' | 'clock'>) {
  const signIns = createSignIns(deps);
  return {
    beginSignIn: ({ caller, params, request }: Pick<CallInput, 'caller' | 'params' | 'request'>) =>
      signIns.begin(caller, params.id, request),
    signInCallback: ({ query }: { query: CameBack }) => toSignInPage(query),
    endSignIn: async ({ caller, body }: { caller: Caller; body: CameBack }) =>
      deps.book.show(await signIns.end(caller, body)),
  };
}

function endpointHandlers(book: ConnectorBook, calls: Calls, clock: Clock) {
  const { connectors, endpoints, mappings } = book;
  const fieldsOf = (body: Partial<Draft<EndpointDoc>>) => {
    return { ...plainEndpoint, ...given(body) } as Omit<Draft<EndpointDoc>, 'connectorId' | 'name'>;
  };
  return {
    ...keptAs(contract, 'Endpoint', endpoints, {
      below: { param: 'connectorId', parent: (caller: Caller, id: number) => connectors.get(caller, id) },
      show: async (doc: EndpointDoc) => {
        const fieldMappingCount = await mappings.of(doc.tenantId).countDocuments({ endpointId: doc._id });
        const inboundPath = doc.webhookEventType === null ? null : `/api/connectors/endpoints/${doc._id}/inbound`;
        return shown(ConnectorEndpointDto, doc, { fieldMappingCount, inboundPath });
      },
      draft: (body, _caller, connector) => {
        const draft = { ...fieldsOf(body as never), name: body.name, connectorId: connector._id };
        checkEndpoint(connector, draft);
        return draft;
      },
      replace: async (body, old, caller) => {
        const draft = { ...fieldsOf(body as never), name: body.name };
        checkEndpoint(await connectors.get(caller, old.connectorId), draft);
        return draft;
      },
      wrote: async (doc, caller, verb) => {
        if (verb === 'remove') await mappings.of(caller.tenantId).deleteMany({ endpointId: doc._id });
      },
    }),
    callEndpoint: async ({ caller, params: { id }, body, request }: CallInput) => {
      const endpoint = await endpoints.get(caller, id);
      const connector = await connectors.get(caller, endpoint.connectorId);
      const own = await mappings.of(caller.tenantId).find({ endpointId: id }).sort({ sortOrder: 1, _id: 1 }).toArray();
      const start = clock.steady();
      const { content, isError } = await calls.call({ connector, endpoint, mappings: own }, body.input ?? {}, {
        signal: request.signal,
      });
      return { endpointId: id, ok: !isError, content, durationMs: Math.round(clock.steady() - start) };
    },
  };
}

interface CallInput {
  caller: Caller;
  params: { id: number };
  body: { input?: Record<string, unknown> | null | undefined };
  request: RequestInfo;
}

const plainEndpoint = {
  ...{ description: null, method: null, path: null, tableName: null, schemaName: null, isStoredProcedure: false },
  ...{ methodSignature: null, webhookEventType: null, sortOrder: 0 },
};
const plainMapping = {
  ...{ externalFieldPath: null, internalFieldName: null, dataType: null, direction: 'Bidirectional' as const },
  ...{
    isRequired: false,
    isKey: false,
    transformExpression: null,
    defaultValue: null,
    description: null,
    sortOrder: 0,
  },
};

function mappingHandlers({ endpoints, mappings }: ConnectorBook) {
  const fieldsOf = (body: object) => {
    const fields = { ...plainMapping, ...given(body) } as Omit<Draft<MappingDoc>, 'endpointId'>;
    checkMapping(fields);
    if (fields.transformExpression !== null) checkExpression(fields.transformExpression);
    return fields;
  };
  return keptAs(contract, 'FieldMapping', mappings, {
    below: { param: 'endpointId', parent: (caller: Caller, id: number) => endpoints.get(caller, id) },
    show: (doc: MappingDoc) => shown(FieldMappingDto, doc),
    draft: (body, _caller, endpoint) => ({ ...fieldsOf(body), endpointId: endpoint._id }),
    replace: (body) => fieldsOf(body),
  });
}

const transport = (type: ConnectorDoc['mcpTransportType'] | null | undefined) => ({
  mcpTransportType: type ?? ('None' as const),
});

/** What a change means for the connection to an MCP server. */
function mcpAfter(
  { type, subType, enabled: was, mcpStatus }: ConnectorDoc,
  { enabled = was }: Partial<ConnectorDoc>,
  isOther: boolean,
) {
  if (type !== 'Mcp' && !isAgent({ type, subType })) return {};
  if (!enabled) return mcpStatus === 'Disabled' ? {} : { mcpStatus: 'Disabled' as const };
  return was && !isOther ? {} : { mcpStatus: 'Disconnected' as const, mcpLastError: null };
}

/** Its endpoints first: a removal that stops half-way can be repeated. */
async function removeWhole(book: ConnectorBook, caller: Caller, connectorId: number): Promise<void> {
  const { endpoints, mappings, mcpTools } = book;
  const { tenantId } = caller;
  await mcpTools(tenantId).deleteMany({ connectorId });
  for (const { _id: endpointId } of await endpoints.of(tenantId).find({ connectorId }).toArray()) {
    await mappings.of(tenantId).deleteMany({ endpointId });
    await endpoints.remove(caller, endpointId);
  }
  await book.connectors.remove(caller, connectorId);
}
