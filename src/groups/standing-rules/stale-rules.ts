// Which rules should be looked at again; those that ask for it by their watch come under review by themselves.
import type { Clock } from '../../kernel/clock.ts';
import type { Ledger } from '../../memory/facts/ledger.ts';
import { type Evidence, isWatched, type Staleness, stalenessOf } from '../../memory/rules/stale.ts';
import { moveRule } from '../../memory/rules/transitions.ts';
import type { Db } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { LinkDoc, MemoryDoc } from '../memories/record.ts';
import { mostRules, type RuleBook } from './book.ts';
import { type RuleDoc, ruleRecord } from './record.ts';

interface Deps {
  db: Db;
  rules: Keeper<RuleDoc>;
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  ledger: Pick<Ledger, 'facts'>;
  book: RuleBook;
  clock: Clock;
}

export type StaleRule = Staleness & { rule: RuleDoc };

const batch = 500;

/** What is known of what some rules stand on: one look for all of them. */
function createEvidence({ memories, links, ledger }: Deps) {
  return async function evidenceOf(tenantId: number, those: readonly RuleDoc[]): Promise<Evidence> {
    const ids = [...new Set(those.flatMap((one) => one.links.map(({ memoryId }) => memoryId)))];
    const found =
      ids.length === 0
        ? []
        : await memories
            .of(tenantId)
            .find({ _id: { $in: ids } })
            .toArray();
    const byId = new Map(found.map((one) => [one._id, one]));
    const against = new Map<number, Date>();
    const toThem =
      ids.length === 0
        ? []
        : await links
            .of(tenantId)
            .find({ toMemoryId: { $in: ids } }, { limit: 10_000 })
            .toArray();
    for (const { type, toMemoryId, createdAt } of toThem)
      if (type === 'Contradicts' && (against.get(toMemoryId) ?? createdAt) <= createdAt)
        against.set(toMemoryId, createdAt);
    const watching = those.filter(({ watchKindId, projectId }) => watchKindId === 'FactChanged' && projectId !== null);
    const facts = new Map<number, { key: string; updatedAt: Date }[]>();
    for (const projectId of new Set(watching.map((one) => one.projectId as number)))
      facts.set(projectId, await ledger.facts(tenantId).find({ projectId }, { limit: 5000 }).toArray());
    return {
      memory: (id) => byId.get(id),
      contradictedAt: (id) => against.get(id) ?? null,
      factChangedAt: ({ projectId, assertion, rationale }) => {
        const named = (facts.get(projectId ?? 0) ?? []).filter(({ key }) =>
          `${assertion} ${rationale ?? ''}`.includes(key),
        );
        return named.reduce<Date | null>((last, { updatedAt }) => (last && last > updatedAt ? last : updatedAt), null);
      },
    };
  };
}

export function createStaleRules(deps: Deps) {
  const { db, rules, book, clock } = deps;
  const evidenceOf = createEvidence(deps);

  return {
    /** Stale rules of a tenant that hold, or held until they expired; the most pressing reason first. */
    async of(tenantId: number): Promise<StaleRule[]> {
      const status = { $in: ['Active' as const, 'UnderReview' as const, 'Expired' as const] };
      const all = await rules
        .of(tenantId)
        .find({ status }, { sort: { _id: 1 }, limit: mostRules })
        .toArray();
      const evidence = await evidenceOf(tenantId, all);
      const now = new Date(clock.now());
      return all
        .flatMap((rule) => stalenessOf(rule, now, evidence).map((why) => ({ ...why, rule })))
        .sort((one, other) => one.since.getTime() - other.since.getTime() || one.rule._id - other.rule._id);
    },
    /** The background work: ends what has expired, and puts under review what its watch has something to say of. */
    async round(): Promise<void> {
      const all = db.collection(ruleRecord.spec);
      for (let after = 0; ; ) {
        const some = await all
          .find({ status: { $in: ['Active', 'UnderReview'] }, _id: { $gt: after } }, { sort: { _id: 1 }, limit: batch })
          .toArray();
        if (some.length === 0) return;
        for (const tenantId of new Set(some.map((one) => one.tenantId)))
          await look(
            tenantId,
            some.filter((one) => one.tenantId === tenantId),
          );
        after = some.at(-1)?._id ?? after;
      }
    },
  };

  async function look(tenantId: number, those: readonly RuleDoc[]): Promise<void> {
    const evidence = await evidenceOf(tenantId, those);
    const now = new Date(clock.now());
    for (const rule of those) {
      const reasons = stalenessOf(rule, now, evidence);
      const expired = reasons.find(({ reason }) => reason === 'Expired');
      const why = expired ?? reasons.find((one) => isWatched(rule, one));
      const status = expired ? 'Expired' : 'UnderReview';
      if (!why || rule.status === status) continue;
      const statusReason = [why.reason, why.detail].filter(Boolean).join(': ');
      await book.change({ tenantId }, rule._id, (old) =>
        // Somebody was faster: a rule that was confirmed or withdrawn meanwhile stays so.
        old.since.getTime() === rule.since.getTime() ? { status: moveRule(old.status, status), statusReason } : {},
      );
    }
  }
}
export type StaleRules = ReturnType<typeof createStaleRules>;
