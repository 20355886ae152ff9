// Rules with their indexes and their memory: every change goes through here; what applies is answered without asking the store.
import type { Clock } from '../../kernel/clock.ts';
import { createLru } from '../../kernel/lru.ts';
import type { Horizon } from '../../memory/facts/version.ts';
import { createFinder } from '../../memory/finder.ts';
import { reworded } from '../../memory/kinds.ts';
import type { Indexes } from '../../memory/ports.ts';
import { byWeight, concerns, holds, type Place, standOf, stated, stoodAt } from '../../memory/rules/rule.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { Versions } from '../../ports/versions.ts';
import { type RuleDoc, ruleKind } from './record.ts';

export interface BookDeps {
  rules: Keeper<RuleDoc>;
  versions: Versions;
  indexes: Indexes;
  clock: Clock;
}

export interface Asked extends Place {
  tenantId: number;
  /** What a fork may know; null for what is known now. */
  horizon: Horizon | null;
}

/** Rules of a tenant that count at once, and versions of one that are kept. */
export const mostRules = 2000;
const mostStands = 200;

interface Held {
  version: number;
  /** Rules that hold, and for forks all that ever did. */
  now: RuleDoc[];
  all: RuleDoc[] | null;
}

export function createRuleBook({ rules, versions, indexes, clock }: BookDeps) {
  const finder = createFinder<RuleDoc>({ ...indexes, clock }, ruleKind);
  const held = createLru<number, Held>(1000);

  async function heldOf(tenantId: number): Promise<Held> {
    const version = await versions.of(tenantId, 'standing_rules');
    const known = held.get(tenantId);
    if (known?.version === version) return known;
    const status = { $in: ['Active' as const, 'UnderReview' as const] };
    const now = await rules
      .of(tenantId)
      .find({ status }, { sort: { _id: 1 }, limit: mostRules })
      .toArray();
    const made = { version, now: now.sort(byWeight), all: null };
    held.set(tenantId, made);
    return made;
  }

  async function everOf(tenantId: number): Promise<RuleDoc[]> {
    const known = await heldOf(tenantId);
    known.all ??= await rules
      .of(tenantId)
      .find({}, { sort: { _id: 1 }, limit: mostRules })
      .toArray();
    return known.all;
  }

  return {
    finder,
    /** The rules that hold for somebody, the strictest first; as a fork knew them. */
    async applying({ tenantId, horizon, ...place }: Asked): Promise<RuleDoc[]> {
      const { now } = await heldOf(tenantId);
      if (now.length === 0 && !horizon) return now;
      const all = horizon
        ? (await everOf(tenantId)).flatMap((one) => stoodAt(one, horizon.recordedBy) ?? []).sort(byWeight)
        : now;
      return all.filter((one) => holds(one, clock.now()) && concerns(one, place));
    },
    /** Changes a rule; what it said before stays with it. */
    async change(by: By, id: number, to: (old: RuleDoc) => Partial<RuleDoc>): Promise<RuleDoc> {
      const work = (old: RuleDoc): Partial<RuleDoc> => {
        const fields = to(old);
        const differs = (name: keyof RuleDoc) => name in fields && String(fields[name]) !== String(old[name]);
        const moved = differs('status') ? { statusChangedAt: new Date(clock.now()) } : {};
        const words = differs('assertion') || differs('rationale') ? reworded(old) : {};
        if (!stated.some(differs)) return { ...fields, ...words };
        const earlier = [...old.earlier, standOf(old)].slice(-mostStands);
        return { ...fields, ...moved, ...words, since: new Date(clock.now()), earlier };
      };
      const changed = await rules.change(by, id, work, { expecting: ['since', 'revision', 'links'] });
      if (changed.pending) await finder.index(changed);
      return changed;
    },
    /** Counts that rules came up. */
    async surfaced(tenantId: number, ids: readonly number[]): Promise<void> {
      if (ids.length === 0) return;
      const $set = { lastSurfacedAt: new Date(clock.now()) };
      await rules.of(tenantId).updateMany({ _id: { $in: [...ids] } }, { $set, $inc: { surfacedCount: 1 } });
    },
  };
}
export type RuleBook = ReturnType<typeof createRuleBook>;
