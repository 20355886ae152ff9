// Standing rules that a clone of an identity takes along, with the memories that they stand on.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { unindexed } from '../../memory/kinds.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { Versions } from '../../ports/versions.ts';
import { type Luggage, type Packing, takenFrom } from '../luggage.ts';
import type { MemoryDoc } from '../memories/record.ts';
import type { RuleBook } from './book.ts';
import { type RuleDoc, type RuleLink, ruleRecord } from './record.ts';

interface Deps {
  rules: Keeper<RuleDoc>;
  memories: Keeper<MemoryDoc>;
  book: Pick<RuleBook, 'finder'>;
  versions: Pick<Versions, 'bump'>;
  clock: Clock;
}

/** Rules of one clone at most. */
const mostRules = 200;

export function createRuleLuggage(deps: Deps): Luggage {
  const { rules, book, versions } = deps;
  return {
    askedBy: 'includeRules',
    plural: 'standing rules',
    needs: ['RulesRead', 'RulesWrite'],
    series: ruleRecord.spec.name,
    most: mostRules,
    async pick(caller, { identityId }, limit) {
      const live = {
        identityId,
        status: { $in: ['Proposed', 'Active', 'UnderReview'] },
        ...takenFrom<RuleDoc>(caller),
      };
      const found = await rules
        .of(caller.tenantId)
        .find(live as Filter<RuleDoc>, { sort: { createdAt: 1, _id: 1 }, limit })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async copy(by, packing) {
      const { tenantId } = packing;
      const ids = new Map(packing.packed);
      const of = rules.of(tenantId);
      const [sources, copies] = await Promise.all(
        [[...ids.keys()], [...ids.values()]].map((some) => of.find({ _id: { $in: some } }).toArray()),
      );
      const there = new Set(copies?.map(({ _id }) => _id));
      for (const source of sources ?? []) {
        const _id = ids.get(source._id);
        if (_id === undefined || there.has(_id)) continue;
        const copy = await copyOf(deps, source, _id, packing);
        try {
          await of.insertOne(copy);
        } catch (error) {
          if (isDuplicate(error)) continue;
          throw error;
        }
        noteWrite(by, { kind: ruleRecord.noun, how: 'created', doc: copy, before: null });
        await book.finder.index(copy);
      }
      await versions.bump(tenantId, 'standing_rules');
    },
  };
}

async function copyOf(deps: Deps, source: RuleDoc, _id: number, packing: Packing): Promise<RuleDoc> {
  const now = new Date(deps.clock.now());
  const links = await linksOf(deps, source.links, packing);
  return {
    ...source,
    ...unindexed,
    _id,
    guid: randomUUID(),
    identityId: packing.cloneId,
    // An agent proposes; people make rules hold.
    status: packing.isAgent ? 'Proposed' : source.status,
    since: now,
    createdAt: now,
    updatedAt: now,
    earlier: [],
    marks: [],
    supersededById: null,
    sourceEscalationId: null,
    surfacedCount: 0,
    lastSurfacedAt: null,
    links,
    groundingCount: links.filter(({ kind }) => kind === 'Grounding').length,
    evidenceCount: links.filter(({ kind }) => kind === 'Evidence').length,
  };
}

/** A rule stands on the clone's own memories, where those came along, and else on what its maker may know of. */
async function linksOf({ memories }: Deps, links: readonly RuleLink[], { tenantId, own, memories: copies }: Packing) {
  const left = links.map(({ memoryId }) => memoryId).filter((id) => !copies.has(id));
  const there = await memories
    .of(tenantId)
    .find({ _id: { $in: left } })
    .toArray();
  const open = new Set(there.filter(({ isShared }) => own || isShared).map(({ _id }) => _id));
  return links
    .map((link) => ({ ...link, memoryId: copies.get(link.memoryId) ?? link.memoryId }))
    .filter(({ memoryId }, at) => copies.has(links[at]?.memoryId ?? 0) || open.has(memoryId));
}
