// What a new or changed connector is made of: addresses are judged, secrets sealed, and none follows to another server.
import type { AuthMethod, ConnectorType } from '../../contract/enums.ts';
import { isServerAddress, literalAddress } from '../../kernel/addresses.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import { readCredentials } from '../../outside/credentials.ts';
import { parseHeaders } from '../ai-router/providers/provider-address.ts';
import type { ConnectorDoc } from './record.ts';

export interface Secrets {
  credentials?: string | null | undefined;
  connectionString?: string | null | undefined;
}

type SealedSecrets = Partial<
  Pick<ConnectorDoc, 'sealedCredentials' | 'sealedConnectionString' | 'sealedTokens' | 'renewedBy'>
>;

/** Credentials and connection string, sealed; those that are absent stay as they are, null clears. */
export function sealSecrets(
  vault: Vault,
  { tenantId, type, authMethod }: { tenantId: number; type: ConnectorType; authMethod: AuthMethod },
  { credentials, connectionString }: Secrets,
): SealedSecrets {
  const seal = (text: string | null) => (text === null ? null : vault.seal(tenantId, text));
  const read = credentials == null ? null : JSON.stringify(readCredentials(type, authMethod, credentials));
  return {
    ...(credentials !== undefined && { sealedCredentials: seal(read), sealedTokens: null, renewedBy: null }),
    ...(connectionString !== undefined && { sealedConnectionString: seal(connectionString) }),
  };
}

/** Headers, sealed, with their names. @throws Fault VALIDATION_FAILED */
export function sealHeaders(vault: Vault, tenantId: number, json: string | null) {
  const headers = json === null ? {} : parseHeaders(json);
  const headerNames = Object.keys(headers);
  return { headerNames, headers: headerNames.length === 0 ? null : vault.seal(tenantId, JSON.stringify(headers)) };
}

/** @throws Fault VALIDATION_FAILED for an address with credentials in it, of a cloud's metadata, or of another type */
export function checkBaseUrl(type: ConnectorType, baseUrl: string | null | undefined): void {
  if (baseUrl == null) return;
  const url = new URL(baseUrl);
  if (url.username || url.password || url.hash)
    throw new Fault('VALIDATION_FAILED', 'baseUrl must hold neither credentials nor a fragment.', {
      field: 'baseUrl',
      hint: 'Give them as credentials or headersJson; those are kept sealed.',
    });
  if ((url.protocol === 'file:') !== (type === 'FileSystem'))
    throw new Fault('VALIDATION_FAILED', `A connector of the type ${type} cannot have this address.`, {
      field: 'baseUrl',
      hint: 'Give file:///folder for FileSystem, and http or https for all others.',
    });
  const address = literalAddress(url);
  if (address !== null && !isServerAddress(address))
    throw new Fault('VALIDATION_FAILED', 'This address belongs to the cloud or to no server.', {
      field: 'baseUrl',
      hint: 'Give the address of the system that you want to connect.',
    });
}

/** The addresses that a connector's secrets are for. */
const addressesOf = ({ baseUrl, mcpEndpoint, mcpServiceId }: Partial<ConnectorDoc>) =>
  JSON.stringify([baseUrl && new URL(baseUrl).origin, mcpEndpoint ?? null, mcpServiceId ?? null]);

/**
 * Secrets are for the server that they were given for.
 *
 * @throws Fault VALIDATION_FAILED where a change would send kept secrets to another one
 */
export function requireSameServer(old: ConnectorDoc, to: Partial<ConnectorDoc>, secrets: Secrets): void {
  if (addressesOf(old) === addressesOf({ ...old, ...to })) return;
  const lacking = [
    ...(old.sealedCredentials !== null && secrets.credentials === undefined ? ['credentials'] : []),
    ...(old.headers !== null ? ['headers'] : []),
  ];
  if (lacking.length === 0) return;
  throw new Fault('VALIDATION_FAILED', `Another address needs the ${lacking.join(' and ')} again.`, {
    field: 'baseUrl',
    hint: 'Send credentials with it (null for none); clear headers first with PUT /api/connectors/{id}/headers.',
  });
}
