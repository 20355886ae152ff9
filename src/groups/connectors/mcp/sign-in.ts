// Signs a connector in to an MCP server, which says itself who lets its clients in.
import type { RequestInfo } from '../../../contract/operation.ts';
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import {
  beginAuthorization,
  type Challenge,
  clientMetadata,
  endAuthorization,
  type OwnClient,
  readGrant,
} from '../../../outside/mcp/authorization.ts';
import { connectMcp } from '../../../outside/mcp/connection.ts';
import type { Tokens } from '../../../outside/oauth.ts';
import type { Outside } from '../../../outside/outside.ts';
import { reachedAt } from '../../base-url.ts';
import { readTokens } from '../accounts.ts';
import type { ConnectorBook } from '../book.ts';
import type { ConnectorDoc } from '../record.ts';
import { mcpClient } from './contract.ts';
import { signInFetch } from './signed-in.ts';
import { targetOf } from './target.ts';

interface Deps {
  book: ConnectorBook;
  outside: Outside;
  clock: Clock;
}

interface Begin {
  state: string;
  redirectUri: string;
}

interface End {
  grant: string;
  code: string;
  iss: string | null | undefined;
  verifier: string;
  redirectUri: string;
}

export const callbackPath = '/api/connectors/oauth/callback';
const clientPath = '/client-metadata.json';

export function createMcpSignIns({ book, outside, clock }: Deps) {
  return {
    /** @throws Fault CONNECTOR_ERROR, or NOT_CONFIGURED for a connector without an address */
    async begin(connector: ConnectorDoc, { state, redirectUri }: Begin) {
      const opened = book.open(connector);
      const target = targetOf(
        connector,
        opened,
        nobody(() => {}),
      );
      if (target.kind === 'Stdio') throw new Error('a program is not signed in to');
      const { credentials } = opened;
      const kept = keptOf(connector, outside);
      const { mcpChallenge } = connector;
      const challenge = mcpChallenge?.wantsMore ? mcpChallenge : await knock({ ...outside, clock }, connector, target);
      const had = kept?.grant === undefined ? null : readGrant(kept.grant);
      const { authorizationUrl, verifier, grant } = await beginAuthorization(signInFetch(outside, connector), {
        ...{ serverUrl: target.url, redirectUri, state, challenge },
        scopes: [credentials.scope, ...(challenge?.wantsMore ? [had?.scope] : [])],
        own: ownClient(credentials, had?.metadata?.issuer),
        clientUrl: clientUrlOf(outside),
      });
      return { url: authorizationUrl, verifier, grant: JSON.stringify(grant) };
    },
    end: (connector: ConnectorDoc, { grant, ...returned }: End): Promise<Tokens> =>
      endAuthorization(signInFetch(outside, connector), { ...returned, grant: readGrant(grant), now: clock.now() }),
  };
}
export type McpSignIns = ReturnType<typeof createMcpSignIns>;

/** Shows no token, and tells what the server says to that. */
const nobody = (told: (challenge: Challenge) => void) => ({
  token: async () => undefined,
  challenged: async (challenge: Challenge) => {
    told(challenge);
    return false;
  },
});

/** What the server says to who has no token; null where it says nothing of that. */
async function knock(
  { door, programs, clock }: Outside & Pick<Deps, 'clock'>,
  { tenantId }: ConnectorDoc,
  target: Extract<ReturnType<typeof targetOf>, { url: URL }>,
): Promise<Challenge | null> {
  let said: Challenge | null = null;
  const signedIn = nobody((challenge) => {
    said = challenge;
  });
  const ways = { fetch: door.fetch(tenantId, { maxBytes: 1 << 20 }), programs, clock };
  const connection = await connectMcp(ways, { ...target, signedIn }).catch(() => null);
  await connection?.close();
  return said;
}

const keptOf = ({ tenantId, sealedTokens }: ConnectorDoc, { vault }: Outside): Tokens | null =>
  sealedTokens === null ? null : readTokens(vault.open(tenantId, sealedTokens));

/** A client that was registered by hand: for the issuer that the credentials name, else for that of its first sign-in. */
function ownClient(
  { clientId, clientSecret, issuer }: Readonly<Record<string, string>>,
  firstIssuer: string | undefined,
): OwnClient | null {
  if (!clientId) return null;
  const knownTo = issuer ?? firstIssuer;
  return {
    client_id: clientId,
    ...(clientSecret && { client_secret: clientSecret }),
    ...(knownTo !== undefined && { issuer: knownTo }),
  };
}

/** Servers read it over TLS or not at all. */
const clientUrlOf = (outside: Outside): string | null => {
  const base = outside.publicUrl();
  return base?.startsWith('https:') ? base + clientPath : null;
};

/** Says who this server is as a client of others (Client ID Metadata Document). */
export const mcpClientService = implement(mcpClient, ({ outside }: Pick<Deps, 'outside'>) => ({
  describe: ({ request }: { request: RequestInfo }) => {
    const base = reachedAt(request, outside);
    return {
      ...{ client_id: base + clientPath, client_uri: base, token_endpoint_auth_method: 'none' },
      ...clientMetadata(base + callbackPath),
    };
  },
}));
