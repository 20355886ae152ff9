// Makes clones whole or not at all: one that takes memories or rules along is inactive until it has them, whoever finishes it.
import type { Acting } from '../../../auth/acting.ts';
import { identityRecord } from '../../../auth/collections.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../ports/ids.ts';
import type { By } from '../../../ports/keeper.ts';
import type { Repairs } from '../../../ports/repairs.ts';
import type { Luggage, Packed } from '../../luggage.ts';
import type { NewIdentity, People } from '../people.ts';

export interface CloningDeps {
  people: People;
  acting: Pick<Acting, 'may'>;
  ids: Ids;
  repairs: Repairs;
  /** What the parts that keep things of identities can copy. */
  luggage: readonly Luggage[];
}

type Asked = { [Name in Luggage['askedBy']]?: boolean | null | undefined };

interface Bags {
  own: boolean;
  isAgent: boolean;
  packed: Partial<Record<Luggage['askedBy'], Packed>>;
}

const kind = 'identity.clone';

export function createCloning({ people, acting, ids, repairs, luggage }: CloningDeps) {
  /** What goes along, with the ids of its copies. @throws Fault FORBIDDEN, CONFLICT for more than may */
  async function pack(caller: Caller, source: IdentityDoc, asked: Asked): Promise<Bags | null> {
    const wanted = luggage.filter(({ askedBy }) => asked[askedBy]);
    if (wanted.length === 0) return null;
    for (const { askedBy, plural, needs } of wanted)
      for (const permission of needs) if (!caller.permissions.has(permission)) throw lacks(askedBy, plural, permission);
    const own = await acting.may(caller, source._id);
    const packed: Bags['packed'] = {};
    for (const one of wanted) {
      const found = await one.pick(caller, { identityId: source._id, own }, one.most + 1);
      if (found.length > one.most) throw tooMany(source, one);
      const pairs: [number, number][] = [];
      for (const id of found) pairs.push([id, await ids.next(one.series)]);
      packed[one.askedBy] = pairs;
    }
    return { own, isAgent: caller.role === 'Agent', packed };
  }

  /** Copies what is not there yet, and then lets the clone act. */
  async function finish(by: By, { _id, tenantId }: IdentityDoc): Promise<void> {
    // As it is kept: of a request that is repeated, what its first attempt took along.
    const clone = await people.keeper.of(tenantId).findOne({ _id, deletedAt: null });
    if (clone?.intent?.kind !== kind) return;
    const { packed, ...who } = clone.intent.data as Bags;
    const memories = new Map(packed.includeMemories);
    const about = { tenantId, cloneId: _id, memories, ...who };
    for (const { askedBy, copy } of luggage) {
      const some = packed[askedBy];
      if (some) await copy(by, { ...about, packed: some });
    }
    await people.keeper.change(by, _id, { isActive: true, intent: null });
  }
  repairs.register<IdentityDoc, Bags>({
    collection: identityRecord.spec,
    kind,
    complete: (clone) => finish({ tenantId: clone.tenantId }, clone),
  });

  return async (caller: Caller, source: IdentityDoc, asked: Asked, fresh: NewIdentity): Promise<IdentityDoc> => {
    const bags = await pack(caller, source, asked);
    if (!bags) return people.make(caller, fresh);
    const clone = await people.make(caller, { ...fresh, isActive: false, intent: repairs.intent(kind, bags) });
    await finish(caller, clone);
    return people.get(caller, clone._id);
  };
}
export type Cloning = ReturnType<typeof createCloning>;

const lacks = (field: string, plural: string, permission: string) =>
  new Fault('FORBIDDEN', `You may not copy ${plural}: that needs the permission ${permission}.`, {
    hint: `Leave ${field} out, or ask for ${permission}.`,
  });

const tooMany = ({ displayName }: IdentityDoc, { askedBy, plural, most }: Luggage) =>
  new Fault('CONFLICT', `${displayName} has more than ${most} ${plural}, the most that a clone takes along.`, {
    hint: `Leave ${askedBy} out, or archive and delete what is not needed first.`,
  });
