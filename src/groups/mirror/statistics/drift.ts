// Persona drift: the share of pulls that an identity resisted while it had each of its souls. Pure.
import type { CompulsionType } from '../../../contract/enums.ts';

export interface SoulSince {
  id: number;
  number: number;
  since: Date;
}

export interface Pull {
  at: Date;
  wasResisted: boolean;
  compulsionType: CompulsionType;
}

/** Of a normal distribution, for 95 %. */
const z = 1.96;

/** The interval in which a share lies with 95 % confidence, after Wilson (1927): sound for few cases, too. */
export function wilson(hits: number, all: number): { low: number; high: number } {
  const share = hits / all;
  const scale = 1 + (z * z) / all;
  const middle = (share + (z * z) / (2 * all)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * @param souls - the oldest first
 * @param pulls - in any order; those of before the first soul that is kept are told apart
 */
export function driftOf(souls: readonly SoulSince[], pulls: readonly Pull[]) {
  const before = { soul: null as SoulSince | null, from: null as Date | null, to: souls[0]?.since ?? null };
  const spans = [before, ...souls.map((soul, at) => ({ soul, from: soul.since, to: souls[at + 1]?.since ?? null }))];
  const told = spans.map(({ soul, from, to }) => {
    const own = pulls.filter(({ at }) => (from === null || at >= from) && (to === null || at < to));
    const resisted = own.filter(({ wasResisted }) => wasResisted).length;
    const compulsionBreakdown: Record<string, number> = {};
    for (const { compulsionType } of own)
      compulsionBreakdown[compulsionType] = (compulsionBreakdown[compulsionType] ?? 0) + 1;
    const rate = own.length === 0 ? { low: null, high: null } : wilson(resisted, own.length);
    return {
      ...{ soulVersionId: soul?.id ?? null, soulNumber: soul?.number ?? null, reflections: own.length, resisted },
      ...{ fromUtc: from?.toISOString() ?? null, toUtc: to?.toISOString() ?? null, compulsionBreakdown },
      ...{ resistanceRate: own.length === 0 ? null : resisted / own.length, ...rate },
    };
  });
  // Nothing is known of the time before the first soul, unless something was felt then.
  return told.filter(({ soulNumber, reflections }) => soulNumber !== null || reflections > 0);
}
