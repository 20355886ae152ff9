// How many live children an identity may have: each holds a place before it is made, so that no two take the last one.
import { randomUUID } from 'node:crypto';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Filter } from '../../../ports/db.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';

/** Milliseconds after which a place that was never used is free again: its process has died. */
const heldMs = 60_000;

interface Deps {
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
  /** The ceiling that the tenant and the identity's unit set. */
  ceilingOf: (tenantId: number, identityId: number) => Promise<number>;
}

export type Ceiling = ReturnType<typeof createCeiling>;

/** Children that count: an adopted one is nobody's child any more. */
export function liveChildren(parentId: number, now: number): Filter<IdentityDoc> {
  return {
    provisionedByIdentityId: parentId,
    deletedAt: null,
    isActive: true,
    adoptedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date(now) } }],
  };
}

export function createCeiling({ identities, clock, ceilingOf }: Deps) {
  /** Takes a place in the parent's document, as long as that is as it was read. Null when somebody else was faster. */
  const take = async (parent: IdentityDoc, nameKey: string, ceiling: number): Promise<string | null> => {
    const { _id, tenantId, expectedChildren = [], placesTaken = 0 } = parent;
    const now = clock.now();
    const held = expectedChildren.filter(({ until }) => until.getTime() > now);
    const others = held.map((one) => one.nameKey);
    const live = await identities(tenantId).countDocuments({ ...liveChildren(_id, now), nameKey: { $nin: others } });
    if (live + held.length >= ceiling)
      throw new Fault(
        'SWARM_CEILING_REACHED',
        `${parent.displayName} has ${live} live children, and may have ${ceiling}.`,
        {
          hint: 'Delete or deactivate one, let one expire, or have a person adopt one with POST /api/identities/{id}/adopt.',
        },
      );
    const token = randomUUID();
    const place = { token, nameKey, until: new Date(now + heldMs) };
    const taken = await identities(tenantId).updateOne(
      { _id, ...(placesTaken === 0 ? { placesTaken: { $in: [null, 0] } } : { placesTaken }) },
      { $set: { expectedChildren: [...held, place], placesTaken: placesTaken + 1 } },
    );
    return taken.matchedCount > 0 ? token : null;
  };

  return {
    of: ceilingOf,
    /** Makes a child in a place below the ceiling. @throws Fault SWARM_CEILING_REACHED */
    async within<T>(parent: Pick<IdentityDoc, '_id' | 'tenantId'>, name: string, make: () => Promise<T>): Promise<T> {
      const { _id, tenantId } = parent;
      const ceiling = await ceilingOf(tenantId, _id);
      for (;;) {
        const current = await identities(tenantId).findOne({ _id, deletedAt: null });
        if (!current) throw new Fault('NOT_FOUND', `There is no identity ${_id}.`, { hint: 'Name another parent.' });
        const token = await take(current, name.toLowerCase(), ceiling);
        if (token === null) continue;
        try {
          return await make();
        } finally {
          await identities(tenantId).updateOne({ _id }, { $pull: { expectedChildren: { token } } });
        }
      }
    },
  };
}
