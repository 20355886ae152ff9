// Guarantees that a tenant keeps an owner who can sign in, whatever is disabled, deleted or revoked.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, KeyDoc, UserDoc } from './documents.ts';
import { livePassword } from './live.ts';

/** The access that a change takes away. */
export interface Loss {
  identityId?: number;
  userId?: number;
  keyId?: number;
}

export interface Administrators {
  /**
   * Writes a change unless the tenant would keep no owner who can sign in. Two concurrent changes both see each other,
   * and
   * both are undone then.
   *
   * @throws Fault LAST_OWNER
   */
  guard<T>(tenantId: number, loss: Loss, change: { write: () => Promise<T>; undo: () => Promise<unknown> }): Promise<T>;
}

export function createAdministrators({ auth, clock }: { auth: AuthCollections; clock: Clock }): Administrators {
  /** Whether an identity stays able to act, without an expiry. */
  const lasts = ({ isActive, deletedAt, expiresAt }: IdentityDoc) =>
    isActive && deletedAt === null && expiresAt === null;

  const opens = ({ revokedAt, expiresAt, scopes }: KeyDoc) =>
    revokedAt === null && expiresAt === null && scopes.length === 0;

  const getsIn = async (user: UserDoc, loss: Loss): Promise<boolean> => {
    if (!user.isActive || user._id === loss.userId) return false;
    const own = await auth.identities.find({ tenantId: user.tenantId, userId: user._id }).toArray();
    const lasting = own.filter((one) => lasts(one) && one._id !== loss.identityId).map(({ _id }) => _id);
    if (lasting.length === 0) return false;
    const keys = await auth.keys.find({ tenantId: user.tenantId, identityId: { $in: lasting } }).toArray();
    if (keys.some((key) => opens(key) && key._id !== loss.keyId)) return true;
    const { passwordKeyId } = user;
    if (passwordKeyId != null && passwordKeyId === loss.keyId) return false;
    return (await livePassword(auth, clock, user)) !== null;
  };

  const isSafe = async (tenantId: number, loss: Loss): Promise<boolean> => {
    const owners = await auth.users.find({ tenantId, role: 'Owner' }).toArray();
    for (const owner of owners) if (await getsIn(owner, loss)) return true;
    return false;
  };

  return {
    async guard(tenantId, loss, { write, undo }) {
      if (!(await isSafe(tenantId, loss))) throw lastOwner();
      const result = await write();
      if (await isSafe(tenantId, {})) return result;
      await undo();
      throw lastOwner();
    },
  };
}

const lastOwner = () =>
  new Fault('LAST_OWNER', 'After this no owner could get in any more.', {
    hint: 'Give another owner an identity and a key or password first.',
  });
