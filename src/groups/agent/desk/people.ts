// Who answers for a run: the people that it asks.
import type { RunRecord } from '../../../../runtime/records.ts';
import type { IdentityDoc, UserDoc } from '../../../auth/documents.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';

interface Deps {
  identities: PerTenant<IdentityDoc>;
  users: PerTenant<UserDoc>;
}

/** A run, or something else that has a maker; of neither a person nor an identity it is the administrators’. */
type Answered = Pick<RunRecord, 'tenantId' | 'startedByUserId'> & { identityId: number | null };

/** How far up the line of provisioning identities a person is looked for; breaks rings. */
const maxSteps = 10;

/**
 * Finds the people to ask about a run: who started it, else the nearest person up the line of identities that
 * provisioned its own, else the tenant's owners and administrators. Empty when none of them is active.
 */
export function findPeopleFor({ identities, users }: Deps): (run: Answered) => Promise<IdentityDoc[]> {
  const personOf = ({ tenantId, userId }: { tenantId: number; userId: number }): Promise<IdentityDoc | null> =>
    identities(tenantId).findOne({ userId, type: 'Human', isActive: true, deletedAt: null }, { sort: { _id: 1 } });

  const steward = async ({
    tenantId,
    identityId,
  }: Pick<Answered, 'tenantId' | 'identityId'>): Promise<IdentityDoc | null> => {
    let id: number | null = identityId;
    for (let step = 0; id !== null && step < maxSteps; step++) {
      const identity: IdentityDoc | null = await identities(tenantId).findOne({ _id: id });
      if (identity?.type === 'Human' && identity.isActive && !identity.deletedAt) return identity;
      id = identity?.provisionedByIdentityId ?? null;
    }
    return null;
  };

  const administrators = async (tenantId: number): Promise<IdentityDoc[]> => {
    const found = await users(tenantId)
      .find({ role: { $in: ['Owner', 'Admin'] }, isActive: true })
      .toArray();
    const people = await Promise.all(found.map((user) => personOf({ tenantId, userId: user._id })));
    return people.filter((one) => one !== null);
  };

  return async (run) => {
    const { tenantId, startedByUserId: userId } = run;
    const starter = userId === null ? null : await personOf({ tenantId, userId });
    const nearest = starter ?? (await steward(run));
    return nearest ? [nearest] : administrators(tenantId);
  };
}
