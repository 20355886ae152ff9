// Tokens of MCP servers that people sign in to: shown, renewed by one at a time, and what a server says of them is kept.
import type { Clock } from '../../../kernel/clock.ts';
import { type Challenge, type McpSignedIn, renewAuthorization } from '../../../outside/mcp/authorization.ts';
import type { TokenSource } from '../../../outside/oauth.ts';
import type { Outside } from '../../../outside/outside.ts';
import { accountOf } from '../accounts.ts';
import type { ConnectorBook } from '../book.ts';
import type { ConnectorDoc } from '../record.ts';

interface Deps {
  book: ConnectorBook;
  outside: Outside;
  clock: Clock;
  source: TokenSource;
}

/** Bytes of one answer of a server that signs clients in. */
const maxBytes = 1 << 20;

export const signInFetch = ({ door }: Pick<Outside, 'door'>, { tenantId }: Pick<ConnectorDoc, 'tenantId'>) =>
  door.fetch(tenantId, { maxBytes });

export function signedInOf(deps: Deps, connector: ConnectorDoc): McpSignedIn {
  const { book, outside, clock, source } = deps;
  const { tenantId, _id, authMethod, sealedTokens } = connector;
  const account = {
    ...accountOf({ book, vault: outside.vault, clock }, connector),
    renew: (kept: { grant: string; refreshToken: string }) =>
      renewAuthorization(signInFetch(outside, connector), kept, clock.now()),
  };
  const byPerson = authMethod === 'OAuth2AuthorizationCode';
  const isNobody = byPerson && sealedTokens === null && !account.credentials.refreshToken;
  let shown: string | undefined;
  return {
    token: async () => {
      shown = isNobody ? undefined : await source.tokenOf(account);
      return shown;
    },
    challenged: async (mcpChallenge: Challenge) => {
      // Past the keeper: it is for the next sign-in, and nobody sees it.
      if (byPerson) await book.connectors.of(tenantId).updateOne({ _id }, { $set: { mcpChallenge } });
      return !mcpChallenge.wantsMore && shown !== undefined && source.refused(account, shown);
    },
  };
}
