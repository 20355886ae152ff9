// Connectors as other groups and the service use them: found, with their secrets opened, and told of when they change.
import type { Vault } from '../../kernel/vault.ts';
import type { Credentials } from '../../outside/credentials.ts';
import { createKeeper, type Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';
import type { PartBase } from '../part.ts';
import { ConnectorDto } from './dto.ts';
import { type McpToolDoc, mcpToolRecord } from './mcp/record.ts';
import {
  type ConnectorDoc,
  connectorRecord,
  type EndpointDoc,
  endpointRecord,
  type MappingDoc,
  mappingRecord,
} from './record.ts';

/** What a connector shows to the other side; never logged, told or answered. */
export interface Opened {
  /** Parts by name, as `readCredentials` made them; empty without credentials. */
  credentials: Credentials;
  connectionString: string | null;
  headers: Readonly<Record<string, string>>;
}

export interface ConnectorBook {
  connectors: Keeper<ConnectorDoc>;
  endpoints: Keeper<EndpointDoc>;
  mappings: Keeper<MappingDoc>;
  /** Tools of MCP servers, which go with their connector. */
  mcpTools: PerTenant<McpToolDoc>;
  /** Its secrets. @throws Fault INTERNAL_ERROR where the server's secret of then is not known any more */
  open(doc: ConnectorDoc): Opened;
  show(doc: ConnectorDoc): Promise<ConnectorDto>;
}

/**
 * @example
 * const { connectors, open } = createConnectorBook(base);
 * const { credentials } = open(await connectors.get(caller, id));
 */
export function createConnectorBook(
  base: Pick<PartBase, 'db' | 'ids' | 'clock' | 'publisher' | 'versions' | 'outside' | 'units'>,
): ConnectorBook {
  const { db, ids, clock, publisher, versions } = base;
  const { vault } = base.outside;
  const endpoints = createKeeper(endpointRecord, {
    ...{ db, ids, clock },
    told: ({ doc }) => versions.bump(doc.tenantId, 'connector_endpoints'),
  });
  const mappings = createKeeper(mappingRecord, {
    ...{ db, ids, clock },
    told: ({ doc }) => versions.bump(doc.tenantId, 'connector_field_mappings'),
  });
  const show = async (doc: ConnectorDoc) => {
    const { tenantId, _id: connectorId } = doc;
    const endpointCount = await endpoints.of(tenantId).countDocuments({ connectorId });
    const unit = doc.orgUnitId == null ? null : (await base.units.treeOf(tenantId)).units.get(doc.orgUnitId);
    return toConnectorDto(doc, vault, { endpointCount, orgUnitName: unit?.name ?? null });
  };
  const connectors = createKeeper(connectorRecord, {
    ...{ db, ids, clock },
    told: async ({ doc, how }) => {
      const { tenantId } = doc;
      await versions.bump(tenantId, 'connectors');
      const data = { ...(await show(doc)), ...(how === 'removed' && { enabled: false }) };
      await publisher.publish({ tenantId, topics: ['connectors'], type: 'connector.updated', data });
    },
  });
  return {
    ...{ connectors, endpoints, mappings, show },
    mcpTools: perTenant(db.collection(mcpToolRecord.spec)),
    open: (doc) => {
      const text = (sealed: string | null) => (sealed === null ? null : vault.open(doc.tenantId, sealed));
      return {
        credentials: JSON.parse(text(doc.sealedCredentials) ?? '{}') as Credentials,
        connectionString: text(doc.sealedConnectionString),
        headers: headersIn(doc, vault),
      };
    },
  };
}

export const isSealed = (text: string): boolean => text.startsWith('v1.');

const headersIn = ({ tenantId, headers }: ConnectorDoc, vault: Vault): Record<string, string> =>
  headers === null ? {} : JSON.parse(isSealed(headers) ? vault.open(tenantId, headers) : headers);

function toConnectorDto(
  doc: ConnectorDoc,
  vault: Vault,
  computed: Pick<ConnectorDto, 'endpointCount' | 'orgUnitName'>,
): ConnectorDto {
  return shown(ConnectorDto, doc, {
    ...computed,
    hasCredentials: doc.sealedCredentials !== null,
    hasConnectionString: doc.sealedConnectionString !== null,
    credentials: null,
    headersJson: null,
    credentialsSummary: summaryOf(doc, vault),
  });
}

/** Names of the parts, never their values. */
function summaryOf({ tenantId, authMethod, sealedCredentials, sealedTokens }: ConnectorDoc, vault: Vault) {
  const signedIn = sealedTokens !== null;
  // Who signs in to an MCP server may need no credentials for that.
  if (sealedCredentials === null) return authMethod === 'OAuth2AuthorizationCode' ? { fields: [], signedIn } : null;
  try {
    const fields = Object.keys(JSON.parse(vault.open(tenantId, sealedCredentials)));
    return { fields, signedIn };
  } catch {
    return { fields: [], error: 'The secret that sealed them is not known any more: enter them again.' };
  }
}
