// What the operations of the OAuth server share: clients, requests, consents.
import type { Authenticator } from '../../auth/authenticator.ts';
import { createConsents } from './authorize.ts';
import { type ClientsDeps, createClients } from './clients.ts';
import type { IssueDeps } from './issue.ts';
import { createRequests } from './requests.ts';

export interface OAuthServerDeps extends Omit<ClientsDeps & IssueDeps, 'requests'> {
  authenticator: Pick<Authenticator, 'authenticate'>;
  /** Base URL that the operator has set; null to go by what a request says. */
  publicUrl: () => string | null;
  /** Base URL where a request does not tell it. */
  localUrl: () => string;
}

export function createOAuthServer(deps: OAuthServerDeps) {
  const clients = createClients(deps);
  const requests = createRequests(deps);
  return { ...deps, clients, requests, consents: createConsents({ ...deps, clients, requests }) };
}
export type OAuthServer = ReturnType<typeof createOAuthServer>;
