// Where each source of a hydration looks, and why what it finds is proposed.
import type { HydrationSource } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createFactReading } from '../../memory/facts/reading.ts';
import type { Filter } from '../../ports/db.ts';
import { dueNow } from '../identities/hints/due.ts';
import { hydrates } from '../identities/settings.ts';
import { createInterests } from '../interests/book.ts';
import type { MemoryDoc } from '../memories/record.ts';
import type { SearchMemories } from '../memories/search.ts';
import { shelfOf } from '../memories/shelf.ts';
import type { PartBase } from '../part.ts';
import type { HandoffDoc } from '../session/record.ts';
import type { RuleBook } from '../standing-rules/book.ts';
import { toldOf } from '../standing-rules/briefs.ts';
import { ruleBookOf } from '../standing-rules/part.ts';
import { closedStatuses } from '../task-transitions.ts';
import type { ProjectTaskDoc } from '../tasks/record.ts';
import {
  type Held,
  heldFact,
  inSight,
  type KindName,
  openHandoffs,
  type Session,
  type Shelves,
  seesProject,
} from './kinds.ts';

interface SourceOf<Name extends KindName> {
  kind: Name;
  /** How many it tells at most; 0 turns it off. */
  limit(session: Session): number;
  /** The best first; one more than the limit says that there are more. */
  find(session: Session, limit: number): Promise<Held[Name][]>;
  why(doc: Held[Name], session: Session): string;
}
/** A source of any kind: what it finds is of its own. */
export type Source = { [Name in KindName]: SourceOf<Name> }[KindName];
export type Sources = { readonly [Name in HydrationSource]: Source };

const [mostHints, mostInterests, mostSurfaced, leastWeight] = [5, 8, 10, 0.3];
const source = <Name extends KindName>(one: SourceOf<Name>): Source => one as unknown as Source;
const day = (at: Date) => at.toISOString().slice(0, 10);

interface Deps {
  shelves: Shelves;
  clock: Clock;
  search: SearchMemories;
  rules: RuleBook;
  reading: ReturnType<typeof createFactReading>;
  interests: ReturnType<typeof createInterests>;
}

export function createSources(base: PartBase, shelves: Shelves): Sources {
  const deps: Deps = {
    shelves,
    clock: base.clock,
    search: shelfOf(base).search,
    rules: ruleBookOf(base),
    reading: createFactReading({ ledger: shelves.ledger, words: base.indexes.words }),
    interests: createInterests(base),
  };
  return { ...ofMemories(deps), ...ofQuestion(deps), ...ofWork(deps), ...ofProject(deps), ...ofPerson(deps) };
}

/** Whether a source is told: by preset and configuration, and not where its limit is none. */
export const isEnabled = ({ identity, config }: Session, name: HydrationSource): boolean =>
  hydrates({ hydration: config } as Pick<typeof identity, 'hydration'>, name) &&
  (name !== 'SurfacedMemories' || config.surfacedMemoryEnabled) &&
  (name !== 'StandingRules' || config.standingRulesMode !== 'off');

const live = (session: Session): Filter<MemoryDoc> => ({
  archivedAt: null,
  supersededById: null,
  ...inSight<MemoryDoc>(session),
  ...(session.horizon && { createdAt: { $lte: session.horizon.recordedBy } }),
});

function ofMemories({ shelves: { memories } }: Deps) {
  const own = (session: Session) => ({ identityId: session.identity._id, ...live(session) });
  const important = { importance: -1, _id: -1 } as const;
  return {
    PinnedMemories: source({
      kind: 'memory',
      limit: ({ config }) => config.pinnedMemoryLimit,
      find: (session, limit) =>
        memories(session.tenantId)
          .find({ ...own(session), isPinned: true }, { sort: important, limit })
          .toArray(),
      why: () => 'It is pinned.',
    }),
    IdentityMemories: source({
      kind: 'memory',
      limit: ({ config }) => config.identityMemoryLimit,
      find: (session, limit) => memories(session.tenantId).find(own(session), { sort: important, limit }).toArray(),
      why: ({ importance }) => `Its importance is ${importance} of 10.`,
    }),
    RecentMemories: source({
      kind: 'memory',
      limit: ({ config }) => config.recentMemoryLimit,
      find: (session, limit) =>
        memories(session.tenantId)
          .find(own(session), { sort: { createdAt: -1, _id: -1 }, limit })
          .toArray(),
      why: ({ createdAt }) => `It was written lately, on ${day(createdAt)}.`,
    }),
    ProjectMemories: source({
      kind: 'memory',
      limit: ({ config, projectId }) => (projectId === null ? 0 : config.projectMemoryLimit),
      find: async (session, limit) => {
        // Two walks of the index by importance, one of its own and one of what others share.
        const within = { ...live(session), projectId: session.projectId };
        const [mine, shared] = await Promise.all(
          [{ identityId: session.identity._id }, { isShared: true }].map((whose) =>
            memories(session.tenantId)
              .find({ ...within, ...whose } as Filter<MemoryDoc>, { sort: important, limit })
              .toArray(),
          ),
        );
        const all = new Map([...(mine ?? []), ...(shared ?? [])].map((one) => [one._id, one]));
        return [...all.values()].sort((a, b) => b.importance - a.importance || b._id - a._id).slice(0, limit);
      },
      why: ({ importance }) => `It is about the project; its importance is ${importance} of 10.`,
    }),
  };
}

/** What a search for what the session is about finds. */
function ofQuestion({ shelves: { memories }, search }: Deps) {
  return {
    SurfacedMemories: source({
      kind: 'memory',
      limit: ({ query }) => (query?.trim() ? mostSurfaced : 0),
      find: async (session, limit) => {
        const { tenantId, identity, hidden, query } = session;
        const by = { tenantId, projects: { hidden, readOnly: new Set<number>() } };
        const { results } = await search(by, identity._id, { q: query ?? '', limit }, true);
        for (const hit of results) session.hits.set(hit.memory.id, hit);
        const ids = results.map(({ memory }) => memory.id);
        const found = await memories(tenantId)
          .find({ _id: { $in: ids }, ...live(session) })
          .toArray();
        const place = new Map(ids.map((id, at) => [id, at]));
        return found.sort((a, b) => (place.get(a._id) ?? 0) - (place.get(b._id) ?? 0));
      },
      why: ({ _id }, { hits }) => {
        const hit = hits.get(_id);
        return `A search for what this is about found it: ${hit?.matchedBy ?? 'Link'}, score ${(hit?.score ?? 0).toFixed(2)}.`;
      },
    }),
  };
}

function ofWork({ shelves: { projects, tasks } }: Deps) {
  return {
    Projects: source({
      kind: 'project',
      limit: ({ config }) => config.projectLimit,
      find: async ({ tenantId, identity, projectId, hidden }, limit) => {
        const member = {
          $or: [{ leadIdentityId: identity._id }, { members: { $elemMatch: { identityId: identity._id } } }],
        };
        const all = await projects(tenantId)
          .find({ deletedAt: null, status: 'Active', ...member } as never, {
            sort: { name: 1 },
            limit: limit + hidden.size,
          })
          .toArray();
        const here = projectId === null ? null : await projects(tenantId).findOne({ _id: projectId, deletedAt: null });
        const others = all.filter(({ _id }) => _id !== projectId);
        return [...(here ? [here] : []), ...others].filter(({ _id }) => !hidden.has(_id)).slice(0, limit);
      },
      why: ({ _id }, { projectId }) => (_id === projectId ? 'The session works in it.' : 'The identity works in it.'),
    }),
    Tasks: source({
      kind: 'task',
      limit: ({ config }) => config.taskLimit,
      find: (session, limit) =>
        tasks(session.tenantId)
          .find(
            {
              assigneeIdentityId: session.identity._id,
              status: { $nin: closedStatuses },
              priority: { $gte: session.config.taskMinPriority },
              ...inSight<ProjectTaskDoc>(session),
            } as Filter<ProjectTaskDoc>,
            { sort: { updatedAt: -1 }, limit },
          )
          .toArray(),
      why: ({ priority, status }) => `It is assigned to the identity: ${status}, priority ${priority}.`,
    }),
  };
}

/** What is so, and what binds the work. */
function ofProject({ shelves: { ledger }, clock, reading, rules }: Deps) {
  /** The project, where the session may know of it. */
  const placeOf = (session: Session) => (seesProject(session, session.projectId) ? session.projectId : null);
  return {
    KeyFacts: source({
      kind: 'fact',
      limit: ({ config }) => config.keyFactLimit,
      find: async (session, limit) => {
        const projectId = placeOf(session);
        if (projectId === null) return [];
        const { tenantId, horizon } = session;
        const found = await reading.critical(tenantId, projectId, { horizon, at: new Date(clock.now()), limit });
        return found.map(heldFact);
      },
      why: () => 'It is critical: every run and chat of the project is told.',
    }),
    Facts: source({
      kind: 'fact',
      limit: ({ config }) => config.factLimit,
      find: async (session, limit) => {
        const { tenantId, horizon, config } = session;
        const projectId = placeOf(session);
        if (projectId === null) return [];
        await ledger.catchUp(tenantId, projectId);
        const wanted = { projectId, isCurrent: true, importance: { $gte: config.minFactImportance } };
        const now = await ledger
          .facts(tenantId)
          .find(wanted, { sort: { importance: -1, _id: 1 }, limit: limit + config.keyFactLimit })
          .toArray();
        const plain = now.filter(({ isCritical }) => !isCritical).slice(0, limit);
        if (!horizon) return plain.map(heldFact);
        const ids = plain.map(({ _id }) => _id);
        return (await reading.heldOf(tenantId, ids, { at: new Date(clock.now()), horizon })).map(heldFact);
      },
      why: ({ importance }) => `It holds now; its importance is ${importance}.`,
    }),
    StandingRules: source({
      kind: 'rule',
      limit: () => Number.MAX_SAFE_INTEGER,
      find: async (session) => {
        const { tenantId, identity, projectId, horizon, config } = session;
        const applying = await rules.applying({ tenantId, identityId: identity._id, projectId, horizon });
        const seen = applying.filter((one) => seesProject(session, one.projectId));
        return toldOf(seen, config.standingRulesMode, false);
      },
      why: ({ kind, trigger }) => `A rule of kind ${kind} for ${trigger}.`,
    }),
  };
}

function ofPerson({ shelves: { hints, handoffs, reads }, clock, interests }: Deps) {
  return {
    Personality: source({
      kind: 'identity',
      limit: ({ config }) => (config.generateSystemPrompt ? 1 : 0),
      find: async ({ identity }) => [identity],
      why: () => 'Who the identity is.',
    }),
    Hints: source({
      kind: 'hint',
      limit: () => mostHints,
      find: ({ tenantId, identity }, limit) =>
        hints(tenantId)
          .find({ identityId: identity._id, ...dueNow(clock.now()) }, { sort: { priority: -1, _id: 1 }, limit })
          .toArray(),
      why: ({ priority }) => `It is due; its priority is ${priority}.`,
    }),
    PendingReplies: source({
      kind: 'message',
      limit: ({ config }) => config.pendingReplyLimit,
      find: async (session, limit) => {
        const viewer = { tenantId: session.tenantId, identityId: session.identity._id };
        const asked = { page: 1, pageSize: limit, sort: 'createdAtUtc', awaitsReply: true };
        const { items } = await reads.inbox(viewer, asked);
        return items.filter(({ projectId }) => seesProject(session, projectId));
      },
      why: ({ senderName }) => `${senderName} waits for a reply.`,
    }),
    Interests: source({
      kind: 'interest',
      limit: () => mostInterests,
      find: async ({ tenantId, identity }) =>
        (await interests.of(tenantId, identity._id)).filter(({ weight }) => weight >= leastWeight),
      why: ({ source: said, weight }) => `${said}, with weight ${weight.toFixed(2)}.`,
    }),
    Handoff: source({
      kind: 'handoff',
      limit: () => 1,
      find: (session, limit) =>
        handoffs(session.tenantId)
          .find(
            {
              forIdentityId: session.identity._id,
              ...openHandoffs(clock.now()),
              ...inSight<HandoffDoc>(session),
            } as Filter<HandoffDoc>,
            { sort: { createdAt: -1 }, limit },
          )
          .toArray(),
      why: ({ fromIdentityName }) => `${fromIdentityName} left it, and nobody has taken it over yet.`,
    }),
  };
}
