// Provisions, adopts and clones identities, and says what they are up to.

import type { AuthCollections } from '../../../auth/collections.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Ranks } from '../../../auth/rank.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { Fault } from '../../../kernel/fault.ts';
import { toIdentityDto } from '../to-dto.ts';
import type { Children } from './children.ts';
import type { Cloning } from './cloning.ts';
import { swarm } from './contract.ts';
import { createProvision, type ProvisionDeps } from './provision.ts';
import type { Summaries } from './summary.ts';
import { tagCounts } from './tags.ts';

export interface SwarmDeps extends ProvisionDeps {
  ranks: Ranks;
  auth: Pick<AuthCollections, 'users'>;
  children: Children;
  summaries: Summaries;
  cloning: Cloning;
}

const day = 86_400_000;
const summaryDays = 30;
const listedChildren = 50;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const swarmService = implement(swarm, (deps: SwarmDeps) => {
  const { people, acting, clock, auth, ranks } = deps;
  const provision = createProvision(deps);

  /** Who takes an identity over: themselves, or somebody who may do at least as much as it. */
  const adopterOf = async (caller: Caller, identity: IdentityDoc, wanted: number | null | undefined) => {
    const id = wanted ?? caller.userId;
    const [user, own] = await Promise.all([
      id === null ? null : auth.users.findOne({ _id: id, tenantId: caller.tenantId }),
      auth.users.findOne({ _id: identity.userId, tenantId: caller.tenantId }),
    ]);
    if (user?.type !== 'Human' || !user.isActive)
      throw new Fault('NOT_FOUND', `There is no active person ${id ?? 'behind you'}.`, {
        hint: 'Name a person in userId; list them with GET /api/users.',
      });
    if (own && (await ranks.reaches({ rank: (await ranks.standing(user)).rank }, own))) return user;
    throw new Fault('FORBIDDEN', `${identity.displayName} ranks above user ${user._id}.`, {
      hint: 'Let somebody of a higher role adopt it.',
    });
  };

  const partsOf = (source: IdentityDoc, body: Parts) => ({
    ...(body.includePersonality === false
      ? {}
      : { personality: source.personality as never, bio: source.bio, soul: source.soul ?? null }),
    ...(body.includeToolProfile === false ? {} : { tools: source.tools ?? null, work: source.work ?? null }),
    ...(body.includeConfigs === false
      ? {}
      : { messaging: source.messaging ?? null, memory: source.memory ?? null, hydration: source.hydration ?? null }),
  });

  return {
    provision: ({ caller, body }) => provision(caller, body),
    adopt: async ({ caller, params, body }) => {
      const { identity } = await people.getToWrite(caller, params.id);
      await acting.allow(caller, params.id);
      if (identity.type === 'Human')
        throw new Fault('CONFLICT', `${identity.displayName} is a person, whom nobody adopts.`, {
          hint: 'Adopt identities of agents; list them with GET /api/identities?type=AI.',
        });
      const user = await adopterOf(caller, identity, body.userId);
      const adopted = await people.change(caller, params.id, {
        stewardUserId: user._id,
        adoptedAt: new Date(clock.now()),
        ...(body.displayName == null ? {} : { displayName: body.displayName }),
        ...(body.clearExpiry && mayOutlive(caller) ? { expiresAt: null } : {}),
      });
      return toIdentityDto(adopted);
    },
    clone: async ({ caller, params, body }) => {
      const source = await people.get(caller, params.id);
      const clone = await deps.cloning(caller, source, body, {
        name: body.name,
        displayName: body.displayName,
        type: body.type ?? source.type,
        origin: `A clone of ${source.name}.`,
        tags: source.tags,
        expiresAt: body.expiresAtUtc == null ? null : new Date(body.expiresAtUtc),
        ...partsOf(source, body),
      });
      return toIdentityDto(clone);
    },
    children: async ({ caller, params, query: { liveOnly = true, tag, limit = listedChildren } }) =>
      deps.children(await people.get(caller, params.identityId), { liveOnly, tag, limit }),
    summary: async ({ caller, params, query: { days = summaryDays } }) =>
      deps.summaries(caller, await people.get(caller, params.identityId), { days, from: clock.now() - days * day }),
    tags: async ({ caller, query: { page, pageSize, sort = '-count', q } }) => {
      const wanted = q?.toLowerCase() ?? '';
      const all = (await tagCounts(people.keeper.of(caller.tenantId), { deletedAt: null }))
        .filter(({ tag }) => tag.toLowerCase().includes(wanted))
        .sort(orders[sort]);
      return toPage(all.slice((page - 1) * pageSize, page * pageSize), all.length, { page, pageSize });
    },
  };
});

interface Parts {
  includePersonality?: boolean | null | undefined;
  includeToolProfile?: boolean | null | undefined;
  includeConfigs?: boolean | null | undefined;
}

type Counted = { tag: string; count: number };
const byTag = (a: Counted, b: Counted) => (a.tag < b.tag ? -1 : Number(a.tag > b.tag));
const byCount = (a: Counted, b: Counted) => a.count - b.count || byTag(a, b);
const orders: Record<string, (a: Counted, b: Counted) => number> = {
  tag: byTag,
  '-tag': (a, b) => byTag(b, a),
  count: byCount,
  '-count': (a, b) => b.count - a.count || byTag(a, b),
};

/** What ends with a key makes nothing that outlives it. */
function mayOutlive({ lendsUntil }: Caller): boolean {
  if (lendsUntil === null) return true;
  throw new Fault('FORBIDDEN', 'Your own key ends, so you may not take the end of another identity away.', {
    hint: 'Leave clearExpiry out.',
  });
}
