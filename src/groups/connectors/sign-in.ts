// Signs a connector in at its other side: a person lets it in there, and the code that comes back becomes tokens.
import { createHash } from 'node:crypto';
import { hashSecret, newSecret } from '../../auth/keys.ts';
import type { Caller } from '../../contract/caller.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import type { FileReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Credentials } from '../../outside/credentials.ts';
import { exchangeCode } from '../../outside/oauth.ts';
import type { Outside } from '../../outside/outside.ts';
import { type Db, defineCollection, type Entity } from '../../ports/db.ts';
import { reachedAt } from '../base-url.ts';
import { queryOf, redirectInConfidence } from '../redirect.ts';
import { accountOf, sealTokens } from './accounts.ts';
import type { ConnectorBook } from './book.ts';
import { addressesOf } from './drafts.ts';
import type { ConnectorSignInDto } from './dto.ts';
import { callbackPath, createMcpSignIns } from './mcp/sign-in.ts';
import type { ConnectorDoc } from './record.ts';

/** A sign-in that somebody has begun. */
export interface SignInDoc extends Entity {
  /** Hash of its state. */
  _id: string;
  tenantId: number;
  connectorId: number;
  /** Who began it, and alone may end it. */
  begunBy: string;
  /** Sealed: it proves that the code is for who began. */
  sealedVerifier: string;
  redirectUri: string;
  /** The credentials of then, as they were sealed, and what they were for. */
  sealedCredentials: string | null;
  addresses?: string;
  /** Sealed: by what an MCP server's tokens are asked for; null for others. */
  sealedGrant?: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export const signInSpec = defineCollection<SignInDoc>({
  name: 'connector_sign_ins',
  indexes: [{ keys: { expiresAt: 1 } }],
});

export interface CameBack {
  state: string;
  code?: string | null | undefined;
  error?: string | null | undefined;
  iss?: string | null | undefined;
}

/** Milliseconds that a person may take at the other side. */
const patienceMs = 10 * 60_000;

interface Deps {
  book: ConnectorBook;
  outside: Outside;
  db: Db;
  clock: Clock;
}

/** A person may begin with a key and end in a browser. */
const personOf = ({ userId, keyId }: Caller): string => (userId === null ? `key:${keyId}` : `user:${userId}`);

export function createSignIns(deps: Deps) {
  const { book, outside, db, clock } = deps;
  const { vault, door } = outside;
  const begun = db.collection(signInSpec);
  const mcp = createMcpSignIns(deps);
  /** Where a person is sent, with what proves afterwards that the code is for who began. */
  const ask = (connector: ConnectorDoc, about: Asked) => {
    requireByPerson(connector);
    return connector.type === 'Mcp' ? mcp.begin(connector, about) : askPlainly(book.open(connector).credentials, about);
  };
  return {
    async begin(caller: Caller, id: number, request: RequestInfo): Promise<ConnectorSignInDto> {
      const connector = await book.connectors.get(caller, id);
      const state = newSecret();
      const redirectUri = reachedAt(request, outside) + callbackPath;
      const { url, verifier, grant } = await ask(connector, { state, redirectUri });
      const now = clock.now();
      const expiresAt = new Date(now + patienceMs);
      await begun.insertOne({
        _id: hashSecret(state),
        tenantId: caller.tenantId,
        connectorId: id,
        begunBy: personOf(caller),
        sealedVerifier: vault.seal(caller.tenantId, verifier),
        redirectUri,
        sealedCredentials: connector.sealedCredentials,
        addresses: addressesOf(connector),
        sealedGrant: grant === null ? null : vault.seal(caller.tenantId, grant),
        createdAt: new Date(now),
        expiresAt,
      });
      return { connectorId: id, authorizationUrl: url.href, redirectUri, expiresAtUtc: expiresAt.toISOString() };
    },

    /** Ends a sign-in, once. @throws Fault NOT_FOUND, CONFLICT, CONNECTOR_ERROR */
    async end(caller: Caller, back: CameBack): Promise<ConnectorDoc> {
      const own = { _id: hashSecret(back.state), tenantId: caller.tenantId, begunBy: personOf(caller) };
      const one = await begun.findOneAndDelete(own);
      if (!one || one.expiresAt.getTime() <= clock.now()) throw gone();
      const connector = await book.connectors.get(caller, one.connectorId);
      if (!isAsThen(connector, one)) throw changedMeanwhile();
      const account = accountOf({ book, vault, clock }, connector);
      const { issuer } = account.credentials;
      if (issuer && back.iss && back.iss !== issuer)
        throw refused('The answer is of another server than the issuer of the credentials');
      if (!back.code) throw refused(`The other side let nobody in: ${plainWord(back.error)}`);
      const verifier = vault.open(caller.tenantId, one.sealedVerifier);
      const returned = { code: back.code, verifier, redirectUri: one.redirectUri };
      const tokens = one.sealedGrant
        ? await mcp.end(connector, { ...returned, iss: back.iss, grant: vault.open(caller.tenantId, one.sealedGrant) })
        : await exchangeCode({ door, clock }, account, returned);
      const kept = {
        ...{ sealedTokens: sealTokens(vault, caller.tenantId, tokens), renewedBy: null, renewedUntil: null },
        ...{ lastVerificationStatus: 'Unverified', lastVerifiedAt: null, signedInAt: new Date(clock.now()) },
        ...(one.sealedGrant && { mcpChallenge: null, mcpStatus: 'Disconnected' as const, mcpLastError: null }),
      };
      const change = (old: ConnectorDoc) => {
        if (!isAsThen(old, one)) throw changedMeanwhile();
        return kept;
      };
      const expecting = ['sealedCredentials', 'baseUrl', 'mcpEndpoint'] as const;
      return book.connectors.change(caller, connector._id, change, { expecting: [...expecting] });
    },
  };
}

interface Asked {
  state: string;
  redirectUri: string;
}

/** Whether what somebody signs in for is what it was when they began. */
const isAsThen = (connector: ConnectorDoc, { sealedCredentials, addresses }: SignInDoc): boolean =>
  connector.sealedCredentials === sealedCredentials && (addresses ?? addressesOf(connector)) === addressesOf(connector);

/** At the page that the credentials name. */
function askPlainly(credentials: Credentials, { state, redirectUri }: Asked) {
  const url = authorizationUrlOf(credentials.authorizationUrl);
  const verifier = newSecret();
  const { clientId = '', scope, audience } = credentials;
  const asked = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    ...(scope && { scope }),
    ...(audience && { audience }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return { url, verifier, grant: null };
}

/** Deletes sign-ins that nobody ended in time. */
export async function* pruneSignIns(db: Db, before: number): AsyncGenerator<number> {
  yield (await db.collection(signInSpec).deleteMany({ expiresAt: { $lt: new Date(before) } })).deletedCount;
}

/** Sends the browser on to the page that ends the sign-in as who is signed in here. */
export const toSignInPage = (back: CameBack): FileReply =>
  redirectInConfidence(`/#/connector-sign-in?${queryOf(back)}`);

/** Where the browser is sent; a page of the web and nothing else. @throws Fault NOT_CONFIGURED */
function authorizationUrlOf(text: string | undefined): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw nobodySignsIn();
}

function requireByPerson({ authMethod }: ConnectorDoc): void {
  if (authMethod !== 'OAuth2AuthorizationCode') throw nobodySignsIn();
}

const nobodySignsIn = () =>
  new Fault('NOT_CONFIGURED', 'Nobody can sign in for this connector.', {
    hint: 'Give it the authMethod OAuth2AuthorizationCode; unless it is of the type Mcp also credentials with authorizationUrl (http or https), tokenUrl and clientId.',
  });

const plainWord = (error: string | null | undefined) =>
  (error ?? 'no code').replace(/[^\w .-]/g, '').slice(0, 60) || 'no code';

const again = 'Begin again with POST /api/connectors/{id}/sign-in, as who ends it.';
const gone = () =>
  new Fault('NOT_FOUND', 'There is no such sign-in for you to end: it is over, was used, or is not yours.', {
    hint: again,
  });
const changedMeanwhile = () =>
  new Fault('CONFLICT', 'The credentials of the connector have changed since the sign-in began.', { hint: again });
const refused = (what: string) =>
  new Fault('CONNECTOR_ERROR', `${what}.`, { hint: again, status: 502, field: 'credentials' });
