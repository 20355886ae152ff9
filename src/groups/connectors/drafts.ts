// What a new or changed connector is made of: addresses are judged, secrets sealed, and none follows to another server.
import type { AuthMethod, ConnectorType } from '../../contract/enums.ts';
import { isServerAddress, literalAddress } from '../../kernel/addresses.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import { readCredentials } from '../../outside/credentials.ts';
import { verifiable } from '../../outside/inbound.ts';
import { parseHeaders } from '../ai-router/providers/provider-address.ts';
import { isAgent } from './a2a/kind.ts';
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

/** What the interface names and this server does not speak, with what does instead. */
const unspoken: Partial<Record<ConnectorType, string>> = {
  Soap: 'Use RestApi: an endpoint with the method Post and a field at body.$ for the envelope.',
  MessageQueue: 'Put a bridge with HTTP before the queue: RestApi to send, Webhook to receive.',
  Custom: 'Use RestApi, GraphQl, Mcp or Webhook, whichever the other system speaks, or the subType A2A for an agent.',
};

/** @throws Fault VALIDATION_FAILED for a type that nothing would come of, or a webhook that could verify nothing */
export function checkType(
  { type, subType }: { type: ConnectorType; subType?: string | null | undefined },
  authMethod: AuthMethod,
): void {
  const instead = isAgent({ type, subType }) ? undefined : unspoken[type];
  if (instead !== undefined)
    throw new Fault('VALIDATION_FAILED', `Connectors of the type ${type} are not supported.`, {
      field: 'type',
      hint: instead,
    });
  if (type !== 'Webhook' || verifiable.has(authMethod)) return;
  throw new Fault('VALIDATION_FAILED', 'A connector of the type Webhook has to verify what is sent to it.', {
    field: 'authMethod',
    hint: `Give it one of ${[...verifiable].join(', ')} with its credentials.`,
  });
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
export const addressesOf = ({ baseUrl, mcpEndpoint, mcpServiceId }: Partial<ConnectorDoc>) =>
  JSON.stringify([baseUrl && new URL(baseUrl).origin, mcpEndpoint ?? null, mcpServiceId ?? null]);

/** What a change leaves of a sign-in: tokens are for one server, too, and may be there without credentials. */
export const signInAfter = (old: ConnectorDoc, to: Partial<ConnectorDoc>) =>
  addressesOf(old) === addressesOf({ ...old, ...to }) && (to.authMethod ?? old.authMethod) === old.authMethod
    ? {}
    : { sealedTokens: null, renewedBy: null, signedInAt: null, mcpChallenge: null };

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
