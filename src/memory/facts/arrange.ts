// Order of a fact's versions in time: which ones a change closes or reopens, and which one holds now.
import type { Collection } from '../../ports/db.ts';
import type { FactDoc } from './records.ts';
import { byTime, endOf, type FactVersion, holdsAt } from './version.ts';

type Place = Pick<FactVersion, 'validFrom' | 'seq'>;

export interface Arranged {
  /** Versions to write: the changed ones, and those whose ends follow from the change. */
  changed: FactVersion[];
  /** The version that holds now; null for none. */
  current: FactVersion | null;
  turnsAt: Date | null;
}

interface Change {
  factId: number;
  /** New and restated versions. */
  written: readonly FactVersion[];
  /** Former starts of restated versions. */
  left: readonly Place[];
  now: Date;
  rev: number;
}

/** Neighbours of a point in time among live versions, with `written` applied. */
export function createNeighbours(
  versions: Collection<FactVersion>,
  factId: number,
  written: ReadonlyMap<number, FactVersion>,
) {
  const best = async (found: AsyncIterable<FactVersion>, fits: (one: FactVersion) => boolean, sign: 1 | -1) => {
    const own = [...written.values()].filter((one) => one.retractedAt === null && fits(one));
    for await (const one of found) {
      if (written.has(one._id) || !fits(one)) continue;
      own.push(one);
      break;
    }
    return own.sort((a, b) => sign * byTime(a, b))[0] ?? null;
  };
  const live = { factId, retractedAt: null };
  return {
    before: (place: Place) =>
      best(
        versions.find({ ...live, validFrom: { $lte: place.validFrom } }, { sort: { validFrom: -1, seq: -1 } }),
        (one) => byTime(one, place) < 0,
        -1,
      ),
    after: (place: Place) =>
      best(
        versions.find({ ...live, validFrom: { $gte: place.validFrom } }, { sort: { validFrom: 1, seq: 1 } }),
        (one) => byTime(one, place) > 0,
        1,
      ),
  };
}

/** Computes what a change of some versions means for the other versions of their fact. */
export async function arrange(versions: Collection<FactVersion>, change: Change): Promise<Arranged> {
  const { factId, now, rev } = change;
  const all = new Map(change.written.map((one) => [one._id, one]));
  const { before, after } = createNeighbours(versions, factId, all);
  for (const one of change.written)
    if (one.retractedAt === null) all.set(one._id, { ...one, validUntil: endOf(one, await after(one)) });
  for (const place of [...change.left, ...change.written]) {
    const earlier = await before(place);
    if (!earlier) continue;
    const validUntil = endOf(earlier, await after(earlier));
    if (validUntil?.getTime() !== earlier.validUntil?.getTime())
      all.set(earlier._id, { ...earlier, validUntil, rev, updatedAt: now });
  }
  const today = { validFrom: now, seq: Number.MAX_SAFE_INTEGER };
  const last = await before(today);
  const current = last && holdsAt(now, last) ? last : null;
  const turnsAt = current ? current.validUntil : ((await after(today))?.validFrom ?? null);
  return { changed: [...all.values()], current, turnsAt };
}

/** Fields in which a fact shows one of its versions. */
export const shownBy = (version: FactVersion, isCurrent: boolean) =>
  ({
    isCurrent,
    versionId: version._id,
    versionGuid: version.guid,
    value: version.value,
    category: version.category,
    importance: version.importance,
    isCritical: version.isCritical,
    provenance: version.provenance,
    temporalSource: version.temporalSource,
    validFrom: version.validFrom,
    validUntil: version.validUntil,
    writtenAt: version.createdAt,
    updatedAt: version.updatedAt,
  }) satisfies Partial<FactDoc>;
