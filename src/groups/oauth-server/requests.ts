// Requests of clients that wait for a person's consent, and the single-use codes that come of it.
import { createHash } from 'node:crypto';
import type { AuthCollections } from '../../auth/collections.ts';
import type { OAuthRequestDoc } from '../../auth/documents.ts';
import { hashSecret, newToken } from '../../auth/keys.ts';
import type { Caller } from '../../contract/caller.ts';
import { OAuthFault } from '../../contract/oauth-failure.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';

/** How long a person may take to answer, and a client to use its code, in ms. */
const consentMs = 10 * 60_000;
const codeMs = 60_000;

export type Wanted = Pick<
  OAuthRequestDoc,
  'clientId' | 'redirectUri' | 'codeChallenge' | 'scopes' | 'resource' | 'issuer' | 'state' | 'nonce'
>;

const gone = () =>
  new Fault('GONE', 'This request is answered already, or has waited for too long.', {
    hint: 'Begin again in the program that asks.',
  });
const badCode = (message = 'This code is not known, was used, or is too old.') =>
  new OAuthFault('invalid_grant', message, { hint: 'Ask the person to connect again.' });

interface Deps {
  collections: Pick<AuthCollections, 'oauthRequests'>;
  clock: Clock;
}

export function createRequests({ collections: { oauthRequests }, clock }: Deps) {
  const later = (ms: number) => new Date(clock.now() + ms);
  return {
    async open(caller: Caller, wanted: Wanted): Promise<{ id: string; expiresAt: Date }> {
      const id = newToken('oar_');
      const expiresAt = later(consentMs);
      await oauthRequests.insertOne({
        ...wanted,
        _id: hashSecret(id),
        tenantId: caller.tenantId,
        userId: caller.userId ?? 0,
        decidedAt: null,
        codeHash: null,
        codeUsedAt: null,
        sessionId: null,
        expiresAt,
      });
      return { id, expiresAt };
    },
    /** A request that this person has not answered yet. @throws Fault NOT_FOUND, GONE */
    async find(id: string, caller: Caller): Promise<OAuthRequestDoc> {
      const own = { _id: hashSecret(id), tenantId: caller.tenantId, userId: caller.userId ?? 0 };
      const request = await oauthRequests.findOne(own);
      if (!request)
        throw new Fault('NOT_FOUND', 'There is no such request for you to answer.', {
          hint: 'Begin again in the program that asks.',
        });
      if (request.decidedAt || request.expiresAt.getTime() <= clock.now()) throw gone();
      return request;
    },
    /** Answers a request; of concurrent answers one counts. @throws Fault GONE */
    async decide({ _id }: OAuthRequestDoc): Promise<void> {
      const result = await oauthRequests.updateOne({ _id, decidedAt: null }, { $set: { decidedAt: later(0) } });
      if (result.modifiedCount === 0) throw gone();
    },
    async giveCode({ _id }: OAuthRequestDoc, sessionId: number): Promise<string> {
      const code = newToken('oac_');
      await oauthRequests.updateOne(
        { _id },
        { $set: { codeHash: hashSecret(code), sessionId, expiresAt: later(codeMs) } },
      );
      return code;
    },
    /**
     * Uses a code up; of concurrent uses one succeeds.
     *
     * @param end Ends the grant of a code that is used again, or by somebody who does not have what it was asked with
     * @throws OAuthFault invalid_grant
     */
    async redeem(
      given: { code: string; clientId: string; redirectUri: string | null; verifier: string | null },
      end: (sessionId: number) => Promise<void>,
    ): Promise<OAuthRequestDoc & { sessionId: number }> {
      const known = await oauthRequests.findOne({ codeHash: hashSecret(given.code) });
      if (!known || known.sessionId === null || known.clientId !== given.clientId) throw badCode();
      const fresh = { _id: known._id, codeUsedAt: null, expiresAt: { $gt: later(0) } };
      const used = await oauthRequests.updateOne(fresh, { $set: { codeUsedAt: later(0) } });
      const isWrong =
        used.modifiedCount === 0 ||
        given.redirectUri !== known.redirectUri ||
        !given.verifier ||
        challengeOf(given.verifier) !== known.codeChallenge;
      if (!isWrong) return { ...known, sessionId: known.sessionId };
      await end(known.sessionId);
      throw badCode(used.modifiedCount === 0 ? undefined : 'redirect_uri or code_verifier is not of this code.');
    },
  };
}
export type Requests = ReturnType<typeof createRequests>;

/** RFC 7636: S256. */
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
