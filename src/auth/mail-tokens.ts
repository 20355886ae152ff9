// Mailed tokens: to confirm an address, to set a new password, to accept an invitation.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Ids } from '../ports/ids.ts';
import type { AuthCollections } from './collections.ts';
import type { MailTokenDoc, UserDoc } from './documents.ts';
import { hashSecret, newToken } from './keys.ts';

const hour = 3_600_000;
/** Lifetime of each kind in ms. */
const lifetimes: Record<MailTokenDoc['kind'], number> = { confirm: 3 * 24 * hour, reset: hour, invite: 7 * 24 * hour };
/** Interval in ms between two mails of a kind to one address, so that no mailbox is flooded. */
const betweenMs = 60_000;

export interface IssuedMailToken {
  raw: string;
  expiresAt: Date;
}

export interface MailTokens {
  /**
   * Issues a token and ends earlier ones of its kind; null when one was mailed within the interval, unless `always`.
   */
  issue(
    user: UserDoc,
    kind: MailTokenDoc['kind'],
    options?: { always?: boolean },
  ): Promise<(IssuedMailToken & { email: string }) | null>;
  /** Returns a token that may still be used. @throws Fault INVALID_TOKEN */
  find(raw: string, kind: MailTokenDoc['kind']): Promise<MailTokenDoc>;
  /** Uses a token up; of concurrent uses one succeeds. @throws Fault INVALID_TOKEN */
  use(token: MailTokenDoc): Promise<void>;
  /** Restores a used token after its use failed. */
  giveBack(token: MailTokenDoc): Promise<void>;
  /** Ends all tokens of a user: the password was set, or the account closed. */
  forget(userId: number): Promise<void>;
}

interface Deps {
  auth: Pick<AuthCollections, 'mailTokens'>;
  ids: Ids;
  clock: Clock;
}

export function createMailTokens({ auth: { mailTokens }, ids, clock }: Deps): MailTokens {
  return {
    async issue(user, kind, { always = false } = {}) {
      const { _id: userId, tenantId, email } = user;
      if (!email) return null;
      const now = clock.now();
      const recent = { userId, kind, email, createdAt: { $gt: new Date(now - betweenMs) } };
      if (!always && (await mailTokens.findOne(recent))) return null;
      await mailTokens.deleteMany({ userId, kind });
      const raw = newToken('mlt_');
      const expiresAt = new Date(now + lifetimes[kind]);
      await mailTokens.insertOne({
        _id: await ids.next('mail_tokens'),
        tenantId,
        userId,
        kind,
        hash: hashSecret(raw),
        email,
        usedAt: null,
        createdAt: new Date(now),
        expiresAt,
      });
      return { raw, expiresAt, email };
    },
    async find(raw, kind) {
      const token = await mailTokens.findOne({ hash: hashSecret(raw), kind });
      if (!token || token.usedAt !== null || token.expiresAt.getTime() <= clock.now()) throw invalid(kind);
      return token;
    },
    async use({ _id, kind }) {
      const filter = { _id, usedAt: null };
      const used = await mailTokens.updateOne(filter, { $set: { usedAt: new Date(clock.now()) } });
      if (used.matchedCount === 0) throw invalid(kind);
    },
    async giveBack({ _id }) {
      await mailTokens.updateOne({ _id }, { $set: { usedAt: null } });
    },
    async forget(userId) {
      await mailTokens.deleteMany({ userId });
    },
  };
}

const another: Record<MailTokenDoc['kind'], string> = {
  confirm: 'Ask for another mail with POST /api/auth/email/resend.',
  reset: 'Ask for another mail with POST /api/auth/password/forgot.',
  invite: 'Ask for another invitation.',
};

const invalid = (kind: MailTokenDoc['kind']) =>
  new Fault('INVALID_TOKEN', 'This token is not known, was used, or is too old.', { hint: another[kind] });
