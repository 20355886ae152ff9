// Reads of facts: what held when, as known at a given time, and search by words.
import type { Words } from '../../ports/words.ts';
import { wordsOf } from '../recall/words.ts';
import { factKind, type Ledger, scopeOf } from './ledger.ts';
import type { FactDoc } from './records.ts';
import { type FactVersion, type Horizon, heldAt } from './version.ts';

export interface FactHit {
  version: FactVersion;
  isCurrent: boolean;
  /** Score relative to the best hit's, 0 to 1. */
  score: number;
}

/** Question of what held at a moment, within the caller's horizon. */
export interface Looked {
  at: Date;
  horizon: Horizon | null;
}

interface Search {
  tenantId: number;
  projectIds: readonly number[];
  question: string;
  limit: number;
  currentOnly: boolean;
  category?: string | undefined;
  minScore?: number | undefined;
}

export function createFactReading({ ledger, words }: { ledger: Ledger; words: Words }) {
  /** All versions of a fact, in the order of writing. */
  const versionsOf = ({ tenantId, _id }: FactDoc) =>
    ledger
      .versions(tenantId)
      .find({ factId: _id }, { sort: { seq: 1 } })
      .toArray();

  /** Versions that held of some facts, in the order of the facts. */
  const heldOf = async (tenantId: number, factIds: readonly number[], { at, horizon }: Looked) => {
    const all = await ledger
      .versions(tenantId)
      .find({ factId: { $in: [...factIds] } })
      .toArray();
    const of = (id: number) => all.filter(({ factId }) => factId === id);
    return factIds.flatMap((id) => heldAt(of(id), at, horizon) ?? []);
  };

  return {
    versionsOf,
    heldOf,
    /** Versions that held at a moment; with a horizon, as known by then. */
    async asOf(tenantId: number, projectId: number, key: string, at: Date, horizon: Horizon | null) {
      const fact = await ledger.find(tenantId, projectId, key);
      if (!fact) return null;
      const version = heldAt(await versionsOf(fact), at, horizon);
      return version && { fact, version };
    },
    /** Critical facts of a project, most important first. */
    async critical(tenantId: number, projectId: number, { horizon, at, limit }: Looked & { limit: number }) {
      await ledger.catchUp(tenantId, projectId);
      const sort = { importance: -1, _id: 1 } as const;
      if (!horizon) {
        const wanted = { projectId, isCurrent: true, isCritical: true };
        return ledger.facts(tenantId).find(wanted, { sort, limit }).toArray();
      }
      const once = await ledger.versions(tenantId).find({ projectId, wasCritical: true }).toArray();
      const ids = [...new Set(once.map(({ factId }) => factId))];
      const held = await heldOf(tenantId, ids, { horizon, at });
      return held
        .filter(({ isCritical }) => isCritical)
        .sort((a, b) => b.importance - a.importance || a.factId - b.factId)
        .slice(0, limit);
    },
    currentOf: createCurrentOf(ledger),
    search: createSearch(ledger, words),
  };
}
export type FactReading = ReturnType<typeof createFactReading>;

/** Versions, of those given, that hold now. */
const createCurrentOf =
  (ledger: Ledger) =>
  async (tenantId: number, versions: readonly FactVersion[]): Promise<Set<number>> => {
    const ids = [...new Set(versions.map(({ factId }) => factId))];
    if (ids.length === 0) return new Set();
    const facts = await ledger
      .facts(tenantId)
      .find({ _id: { $in: ids } })
      .toArray();
    return new Set(facts.filter(({ isCurrent }) => isCurrent).map(({ versionId }) => versionId));
  };

/** Best facts of some projects, by words. */
function createSearch(ledger: Ledger, words: Words) {
  const currentOf = createCurrentOf(ledger);
  return async ({ tenantId, projectIds, question, limit, ...ask }: Search): Promise<FactHit[]> => {
    const [only, ...others] = projectIds;
    if (only !== undefined && others.length === 0) await ledger.catchUp(tenantId, only);
    const wanted = wordsOf(question.replace(/[._\-/:]/g, ' '));
    const scopes = projectIds.flatMap((id) => [scopeOf(id, false), ...(ask.currentOnly ? [] : [scopeOf(id, true)])]);
    const proposed = await words.search(factKind, { tenantId, scopes, words: wanted, limit: limit * 4 + 20 });
    const ids = proposed.map(({ id }) => id);
    const found = await ledger
      .versions(tenantId)
      .find({ _id: { $in: ids }, projectId: { $in: [...projectIds] }, retractedAt: null })
      .toArray();
    // Of several projects only those with hits are updated.
    if (others.length > 0)
      for (const id of new Set(found.map((one) => one.projectId))) await ledger.catchUp(tenantId, id);
    const current = await currentOf(tenantId, found);
    const best = proposed[0]?.score ?? 1;
    const byId = new Map(found.map((one) => [one._id, one]));
    return proposed
      .flatMap(({ id, score }) => {
        const version = byId.get(id);
        return version ? [{ version, score: score / best, isCurrent: current.has(id) }] : [];
      })
      .filter(({ version, isCurrent, score }) => {
        if (ask.currentOnly && !isCurrent) return false;
        return (ask.category === undefined || version.category === ask.category) && score >= (ask.minScore ?? 0);
      })
      .slice(0, limit);
  };
}
