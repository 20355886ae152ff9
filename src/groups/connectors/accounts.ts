// Whom calls of a connector speak for: its credentials and headers, and the tokens that a sign-in gave it.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { Account } from '../../outside/authentication.ts';
import type { KeptTokens, Tokens } from '../../outside/oauth.ts';
import type { ConnectorBook } from './book.ts';
import type { ConnectorDoc } from './record.ts';

/** Milliseconds after which a renewal counts as given up: more than a request of the token endpoint may take. */
const leaseMs = 60_000;

interface Deps {
  book: ConnectorBook;
  vault: Vault;
  clock: Clock;
}

export function accountOf(deps: Deps, connector: ConnectorDoc): Account {
  const { tenantId, _id: connectorId, type, authMethod: method } = connector;
  const { credentials, headers } = deps.book.open(connector);
  return { tenantId, connectorId, type, method, credentials, headers, tokens: tokensOf(deps, connector) };
}

/** Tokens as they are sealed. */
export const sealTokens = (vault: Vault, tenantId: number, tokens: Tokens): string =>
  vault.seal(tenantId, JSON.stringify(tokens));

/** Renewals write past the keeper: they change nothing that anybody sees. */
function tokensOf({ book, vault, clock }: Deps, { tenantId, _id }: ConnectorDoc): KeptTokens {
  const connectors = book.connectors.of(tenantId);
  return {
    read: async () => {
      const sealed = (await connectors.findOne({ _id }))?.sealedTokens ?? null;
      return sealed === null ? null : readTokens(vault.open(tenantId, sealed));
    },
    claim: async () => {
      const renewedBy = randomUUID();
      const now = clock.now();
      const isFree = { $or: [{ renewedBy: null }, { renewedUntil: { $lt: new Date(now) } }] };
      const { modifiedCount } = await connectors.updateOne(
        { _id, ...isFree },
        { $set: { renewedBy, renewedUntil: new Date(now + leaseMs) } },
      );
      if (modifiedCount === 0) return null;
      const released = { renewedBy: null, renewedUntil: null };
      return {
        // Who was late, or was given other credentials meanwhile, keeps nothing.
        keep: async (tokens) => {
          const sealedTokens = sealTokens(vault, tenantId, tokens);
          await connectors.updateOne({ _id, renewedBy }, { $set: { sealedTokens, ...released } });
        },
        release: async () => {
          await connectors.updateOne({ _id, renewedBy }, { $set: released });
        },
      };
    },
  };
}

/** Earlier versions kept the refresh token alone. */
export function readTokens(text: string): Tokens {
  return text.startsWith('{') ? (JSON.parse(text) as Tokens) : { accessToken: '', expiresAt: 0, refreshToken: text };
}
