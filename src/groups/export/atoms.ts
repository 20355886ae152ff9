// What identities know, as atoms of the portable format: memories, facts, rules and links, read page by page.
import type { FactDoc } from '../../memory/facts/records.ts';
import { factRecord, versionRecord } from '../../memory/facts/records.ts';
import type { FactVersion } from '../../memory/facts/version.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { linkRecord, type MemoryDoc, memoryRecord } from '../memories/record.ts';
import { type RuleDoc, ruleRecord } from '../standing-rules/record.ts';
import type { PortableFact, PortableLink, PortableMemory, PortableRule } from './portable.ts';
import type { Reach, ReachedIdentity } from './reach.ts';
import { type AscendingIds, ascendingIds, idOnly, pagesOf } from './reading.ts';

export const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;
/** Links that are read at once. */
const linksAtOnce = 1000;
/** Memories whose links are asked for at once. */
const linkedAtOnce = 500;

export const memoriesOf = ({ caller, archived }: Reach, { identity, whole }: ReachedIdentity): Filter<MemoryDoc> => ({
  identityId: identity._id,
  ...(whole ? {} : { isShared: true }),
  ...(archived ? {} : { archivedAt: null }),
  ...visibleTo<MemoryDoc>(caller),
});

export function createAtoms({ db }: { db: Db }) {
  const memories = perTenant(db.collection(memoryRecord.spec));
  const links = perTenant(db.collection(linkRecord.spec));
  const guidsAmong = createGuids({ db });

  async function* linksAmong(reach: Reach, ids: readonly number[], has: (id: number) => boolean) {
    const { tenantId } = reach.caller;
    for (let after = 0; ; ) {
      const from = { fromMemoryId: { $in: [...ids] }, _id: { $gt: after } };
      const found = await links(tenantId)
        .find(from, { sort: { _id: 1 }, limit: linksAtOnce })
        .toArray();
      yield found.filter((one) => has(one.toMemoryId) && one.createdAt <= reach.at);
      if (found.length < linksAtOnce) return;
      after = found.at(-1)?._id ?? after;
    }
  }

  return {
    /** `seen` is given the ids of what goes along, for the links between them. */
    async *memories(
      reach: Reach,
      of: ReachedIdentity,
      seen: Pick<AscendingIds, 'add'>,
    ): AsyncGenerator<PortableMemory> {
      const own = memories(reach.caller.tenantId);
      for await (const page of pagesOf(own, memoriesOf(reach, of), reach.at))
        for (const memory of page) {
          seen.add(memory._id);
          yield memoryAtom(reach, memory);
        }
    },
    /** How many there are, by the index alone. */
    countMemories: (reach: Reach, of: ReachedIdentity): Promise<number> =>
      memories(reach.caller.tenantId).countDocuments(memoriesOf(reach, of)),
    /** Ids of the memories that go along. */
    async memoryIds(reach: Reach, of: ReachedIdentity): Promise<AscendingIds> {
      const ids = ascendingIds();
      for await (const page of pagesOf(memories(reach.caller.tenantId), memoriesOf(reach, of), reach.at, idOnly))
        for (const { _id } of page) ids.add(_id);
      return ids;
    },
    /** Links whose ends are both among these memories. */
    async *links(reach: Reach, inside: AscendingIds): AsyncGenerator<PortableLink> {
      const own = memories(reach.caller.tenantId);
      for (const ids of inside.slices(linkedAtOnce))
        for await (const found of linksAmong(reach, ids, inside.has)) {
          if (found.length === 0) continue;
          const ends = { _id: { $in: [...new Set(found.flatMap((one) => [one.fromMemoryId, one.toMemoryId]))] } };
          const named = await own.find(ends, { projection: { _id: 1, guid: 1 } }).toArray();
          const guids = new Map(named.map(({ _id, guid }) => [_id, guid]));
          for (const { fromMemoryId, toMemoryId, type, strength, coActivationCount, createdAt } of found) {
            const [from, to] = [guids.get(fromMemoryId), guids.get(toMemoryId)];
            if (from && to)
              yield {
                kind: 'link',
                from,
                to,
                type,
                strength,
                coActivationCount,
                createdAtUtc: createdAt.toISOString(),
              };
          }
        }
    },
    rules: createRuleAtoms({ db, guidsAmong }),
    guidsAmong,
    facts: createFactAtoms({ db }),
  };
}
export type Atoms = ReturnType<typeof createAtoms>;

/** Of these memories the ones that go along, by their ids in the document. */
function createGuids({ db }: { db: Db }) {
  const memories = perTenant(db.collection(memoryRecord.spec));
  return async (reach: Reach, of: ReachedIdentity, ids: readonly number[]): Promise<Map<number, string>> => {
    if (ids.length === 0) return new Map();
    const filter = { $and: [memoriesOf(reach, of), { _id: { $in: [...ids] } }] } as Filter<MemoryDoc>;
    const found = await memories(reach.caller.tenantId)
      .find(filter, { projection: { _id: 1, guid: 1, createdAt: 1 } })
      .toArray();
    return new Map(found.filter(({ createdAt }) => createdAt <= reach.at).map(({ _id, guid }) => [_id, guid]));
  };
}

/** Rules of an identity, with what they stand on of what goes along; everybody's, where none is named. */
function createRuleAtoms({ db, guidsAmong }: { db: Db; guidsAmong: ReturnType<typeof createGuids> }) {
  const rules = perTenant(db.collection(ruleRecord.spec));
  return async function* (reach: Reach, of: ReachedIdentity | null): AsyncGenerator<PortableRule> {
    const filter = { identityId: of?.identity._id ?? null, ...visibleTo<RuleDoc>(reach.caller) } as Filter<RuleDoc>;
    for await (const page of pagesOf(rules(reach.caller.tenantId), filter, reach.at)) {
      const ids = [...new Set(page.flatMap(({ links }) => links.map(({ memoryId }) => memoryId)))];
      const guids = of ? await guidsAmong(reach, of, ids) : new Map<number, string>();
      for (const rule of page) if (reach.archived || isInForce(rule)) yield ruleAtom(reach, rule, guids);
    }
  };
}

/** Facts of the projects that go along: what holds now, and with archived things what held. */
function createFactAtoms({ db }: { db: Db }) {
  const facts = perTenant(db.collection(factRecord.spec));
  const versions = perTenant(db.collection(versionRecord.spec));
  return async function* of(reach: Reach): AsyncGenerator<PortableFact> {
    const { tenantId } = reach.caller;
    for (const { project } of reach.projects)
      for await (const page of pagesOf(facts(tenantId), { projectId: project._id }, reach.at)) {
        for (const fact of page) if (fact.isCurrent) yield currentAtom(project.key, fact);
        if (!reach.archived) continue;
        const shown = new Set(page.filter(({ isCurrent }) => isCurrent).map(({ versionId }) => versionId));
        const earlier = { factId: { $in: page.map(({ _id }) => _id) }, retractedAt: null } as Filter<FactVersion>;
        for await (const some of pagesOf(versions(tenantId), earlier, reach.at))
          for (const version of some) if (!shown.has(version._id)) yield versionAtom(project.key, version);
      }
  };
}

const isInForce = ({ status }: RuleDoc) => status === 'Active' || status === 'Proposed' || status === 'UnderReview';

const memoryAtom = ({ keyOf }: Reach, memory: MemoryDoc): PortableMemory => ({
  kind: 'memory',
  id: memory.guid,
  title: memory.title,
  content: memory.content,
  type: memory.type,
  provenance: memory.provenance,
  importance: memory.importance,
  isPinned: memory.isPinned,
  isShared: memory.isShared,
  tags: memory.tags,
  project: keyOf(memory.projectId),
  accessCount: memory.accessCount,
  readByOthersCount: memory.readByOthersCount,
  lastAccessedAtUtc: iso(memory.lastAccessedAt),
  archivedAtUtc: iso(memory.archivedAt),
  archivedReason: memory.archivedReason,
  createdAtUtc: memory.createdAt.toISOString(),
  updatedAtUtc: memory.updatedAt.toISOString(),
});

const ruleAtom = ({ keyOf }: Reach, rule: RuleDoc, guidOf: ReadonlyMap<number, string>): PortableRule => ({
  kind: 'rule',
  id: rule.guid,
  content: rule.assertion,
  rationale: rule.rationale,
  ruleKind: rule.kind,
  trigger: rule.trigger,
  status: rule.status,
  statusReason: rule.statusReason,
  watchKindId: rule.watchKindId,
  project: keyOf(rule.projectId),
  reviewByUtc: iso(rule.reviewBy),
  expiresAtUtc: iso(rule.expiresAt),
  links: rule.links.flatMap(({ memoryId, kind, note }) => {
    const memory = guidOf.get(memoryId);
    return memory ? [{ memory, kind, note }] : [];
  }),
  createdAtUtc: rule.createdAt.toISOString(),
  updatedAtUtc: rule.updatedAt.toISOString(),
});

type Told = Pick<
  FactDoc,
  | 'key'
  | 'value'
  | 'category'
  | 'importance'
  | 'isCritical'
  | 'provenance'
  | 'temporalSource'
  | 'validFrom'
  | 'validUntil'
>;

const factAtom = (
  project: string,
  fact: Told,
): Omit<PortableFact, 'id' | 'isCurrent' | 'createdAtUtc' | 'updatedAtUtc'> => ({
  kind: 'fact',
  project,
  key: fact.key,
  value: fact.value,
  category: fact.category,
  importance: fact.importance,
  isCritical: fact.isCritical,
  provenance: fact.provenance,
  temporalSource: fact.temporalSource,
  validFromUtc: fact.validFrom.toISOString(),
  validUntilUtc: iso(fact.validUntil),
});

const currentAtom = (project: string, fact: FactDoc): PortableFact => ({
  ...factAtom(project, fact),
  id: fact.versionGuid,
  isCurrent: true,
  createdAtUtc: fact.writtenAt.toISOString(),
  updatedAtUtc: fact.updatedAt.toISOString(),
});

const versionAtom = (project: string, version: FactVersion): PortableFact => ({
  ...factAtom(project, version),
  id: version.guid,
  isCurrent: false,
  createdAtUtc: version.createdAt.toISOString(),
  updatedAtUtc: version.updatedAt.toISOString(),
});
