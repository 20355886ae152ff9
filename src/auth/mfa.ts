// Second factors: codes of an authenticator app (TOTP, RFC 6238) and recovery codes; each code works once.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Vault } from '../kernel/vault.ts';
import type { AuthCollections } from './collections.ts';
import type { UserDoc } from './documents.ts';
import { hashSecret } from './keys.ts';

const issuer = 'Rivulet';
const periodSeconds = 30;
/** Accepted time steps before and after now, for clocks with a small error (RFC 6238, 5.2). */
const drift = 1;
const enrolMs = 15 * 60_000;
const recoveryCount = 10;

export interface Enrolment {
  secret: string;
  otpauthUri: string;
  qrSvg: string;
  expiresAt: Date;
}

export interface SecondFactor {
  /** Creates a secret that becomes the second factor with its first code. */
  enrol(user: UserDoc): Promise<Enrolment>;
  /** Turns the second factor on; the recovery codes are returned only here. @throws Fault MFA_INVALID, CONFLICT */
  confirm(user: UserDoc, code: string): Promise<{ recoveryCodes: string[]; enabledAt: Date }>;
  /** Uses a code up. @throws Fault MFA_INVALID for a wrong or used one */
  check(user: UserDoc, code: string): Promise<void>;
  disable(userId: number): Promise<void>;
}

interface Deps {
  auth: Pick<AuthCollections, 'users'>;
  vault: Vault;
  clock: Clock;
}

export const hasSecondFactor = ({ totp }: Pick<UserDoc, 'totp'>): boolean => totp != null;

const totpOf = (secret: Secret, label: string) =>
  new TOTP({ issuer, label, algorithm: 'SHA1', digits: 6, period: periodSeconds, secret });

const plainCode = (code: string) => code.replaceAll(/[\s-]/g, '').toLowerCase();

/** A recovery code: ten letters and digits without look-alikes, about 49 bits, shown as `abcde-12345`. */
function newRecoveryCode(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789a';
  const code = [...randomBytes(10)].map((byte) => alphabet[byte % 32]).join('');
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

const recoveryHash = (userId: number, code: string) => hashSecret(`recovery ${userId} ${plainCode(code)}`);

export function createSecondFactor({ auth: { users }, vault, clock }: Deps): SecondFactor {
  const open = ({ tenantId, username }: UserDoc, sealed: string) =>
    totpOf(Secret.fromBase32(vault.open(tenantId, sealed)), username);

  /** Time step of a code; null for a wrong one. */
  const stepOf = (totp: TOTP, code: string): number | null => {
    const timestamp = clock.now();
    const token = plainCode(code);
    // The library compares bytes, and throws when other letters take more of them.
    const delta = /^\d{6}$/.test(token) ? totp.validate({ token, window: drift, timestamp }) : null;
    return delta === null ? null : Math.floor(timestamp / 1000 / periodSeconds) + delta;
  };

  return {
    async enrol(user) {
      const secret = new Secret({ size: 20 });
      const expiresAt = new Date(clock.now() + enrolMs);
      const totpPending = { sealed: vault.seal(user.tenantId, secret.base32), expiresAt };
      await users.updateOne({ _id: user._id }, { $set: { totpPending } });
      const otpauthUri = totpOf(secret, user.username).toString();
      return { secret: secret.base32, otpauthUri, qrSvg: renderSVG(otpauthUri), expiresAt };
    },

    async confirm(user, code) {
      const pending = user.totpPending;
      if (!pending || pending.expiresAt.getTime() <= clock.now())
        throw new Fault('CONFLICT', 'No second factor waits for its first code.', {
          hint: 'Begin with POST /api/auth/mfa/totp/enroll.',
        });
      const lastStep = stepOf(open(user, pending.sealed), code);
      if (lastStep === null) throw wrong();
      const recoveryCodes = Array.from({ length: recoveryCount }, newRecoveryCode);
      const enabledAt = new Date(clock.now());
      const enabled = await users.updateOne(
        { _id: user._id, 'totpPending.sealed': pending.sealed },
        {
          $set: {
            totp: { sealed: pending.sealed, enabledAt, lastStep },
            totpPending: null,
            recoveryHashes: recoveryCodes.map((one) => recoveryHash(user._id, one)),
          },
        },
      );
      // A concurrent request confirmed or enrolled meanwhile.
      if (enabled.matchedCount === 0) throw wrong();
      return { recoveryCodes, enabledAt };
    },

    async check(user, code) {
      if (!user.totp) throw wrong();
      const step = stepOf(open(user, user.totp.sealed), code);
      const used =
        step === null
          ? await spendRecovery(user._id, code)
          : await users.updateOne(
              { _id: user._id, 'totp.lastStep': { $lt: step } },
              { $set: { 'totp.lastStep': step } },
            );
      if (used.matchedCount === 0) throw wrong();
    },

    async disable(userId) {
      await users.updateOne({ _id: userId }, { $set: { totp: null, totpPending: null, recoveryHashes: [] } });
    },
  };

  function spendRecovery(userId: number, code: string) {
    const hash = recoveryHash(userId, code);
    return users.updateOne({ _id: userId, recoveryHashes: hash }, { $pull: { recoveryHashes: hash } });
  }
}

const wrong = () =>
  new Fault('MFA_INVALID', 'This code is wrong or was used.', {
    hint: 'Wait for the next code of your authenticator app, or send a recovery code.',
  });
