// Serves connectors.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Outside } from '../../outside/outside.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import { requireNoUnit } from '../projects/draft.ts';
import type { ConnectorBook } from './book.ts';
import { connectors as contract } from './contract.ts';
import { checkBaseUrl, requireSameServer, type Secrets, sealHeaders, sealSecrets } from './drafts.ts';
import { encryptHeaders } from './header-report.ts';
import type { ConnectorDoc } from './record.ts';

export interface ConnectorServiceDeps {
  book: ConnectorBook;
  outside: Outside;
}

const plain = {
  ...{ subType: null, baseUrl: null, orgUnitId: null, databaseType: null, description: null },
  ...{ mcpServiceId: null, mcpEndpoint: null, mcpTransportType: 'None' as const },
};
const unverified = { lastVerificationStatus: 'Unverified', lastVerifiedAt: null };
const noSecrets = { sealedCredentials: null, sealedConnectionString: null, sealedTokens: null };
const unconnected = { mcpToolCount: 0, mcpLastDiscoveredAt: null, mcpLastError: null };

export const connectorsService = implement(contract, ({ book, outside }: ConnectorServiceDeps) => {
  const { connectors, show } = book;
  const { vault } = outside;

  /** Fields of a changed connector: what says where it leads makes it unverified. */
  const changed = (old: ConnectorDoc, to: Partial<ConnectorDoc>, secrets: Secrets) => {
    checkBaseUrl(old.type, to.baseUrl);
    requireNoUnit(to.orgUnitId);
    requireSameServer(old, to, secrets);
    const sealed = sealSecrets(vault, { ...old, ...to }, secrets);
    const isElsewhere = ['baseUrl', 'authMethod', 'databaseType'].some(
      (name) => name in to && to[name as keyof ConnectorDoc] !== old[name as keyof ConnectorDoc],
    );
    return { ...to, ...sealed, ...((isElsewhere || Object.keys(sealed).length > 0) && unverified) };
  };
  return {
    ...kept(contract, connectors, {
      show,
      expecting: ['baseUrl', 'authMethod', 'headers', 'sealedCredentials'],
      draft: ({ credentials, connectionString, headersJson, ...body }, { tenantId }) => {
        const { type, authMethod = null, enabled } = body;
        checkBaseUrl(type, body.baseUrl);
        requireNoUnit(body.orgUnitId);
        const about = { tenantId, type, authMethod: authMethod ?? ('None' as const) };
        return {
          ...{ ...plain, ...unverified, ...unconnected, ...noSecrets },
          ...defined(body),
          name: body.name,
          ...{ ...about, enabled: enabled ?? true, mcpTransportType: body.mcpTransportType ?? 'None' },
          mcpStatus: type === 'Mcp' ? ('Disconnected' as const) : ('NotConfigured' as const),
          ...sealSecrets(vault, about, { credentials, connectionString }),
          ...sealHeaders(vault, tenantId, headersJson ?? null),
        };
      },
      change: ({ credentials, connectionString, clearCredentials, mcpTransportType, ...body }, old) => {
        const secrets = clearCredentials
          ? { credentials: null, connectionString: null }
          : { credentials, connectionString };
        const to = defined(body);
        return changed(old, { ...to, ...(mcpTransportType !== undefined && transport(mcpTransportType)) }, secrets);
      },
      replace: ({ credentials, connectionString, type, mcpTransportType, ...body }, old) => {
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
      // Its endpoints first: a removal that stops half-way can be repeated.
      await removeBelow(book, caller, id);
      await connectors.remove(caller, id);
      return null;
    },
    setHeaders: async ({ caller, params, body: { headersJson, headers } }) => {
      if (headersJson != null && headers != null)
        throw new Fault('VALIDATION_FAILED', 'headersJson and headers say the same.', { hint: 'Send one of them.' });
      const json = headers ? JSON.stringify(headers) : (headersJson ?? null);
      const fields = { ...sealHeaders(vault, caller.tenantId, json), ...unverified };
      return show(await connectors.change(caller, params.id, fields));
    },
    encryptHeaders: ({ caller, body }) => encryptHeaders(book, vault, caller, body),
  };
});

const transport = (type: ConnectorDoc['mcpTransportType'] | null | undefined) => ({
  mcpTransportType: type ?? ('None' as const),
});

async function removeBelow({ endpoints, mappings }: ConnectorBook, caller: Caller, connectorId: number): Promise<void> {
  const { tenantId } = caller;
  for (const { _id: endpointId } of await endpoints.of(tenantId).find({ connectorId }).toArray()) {
    await mappings.of(tenantId).deleteMany({ endpointId });
    await endpoints.remove(caller, endpointId);
  }
}
