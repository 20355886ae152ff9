// Versions of a fact, never deleted by a change: each has the time for which it holds and the time at which it was
// learnt.
import type { Provenance } from '../../contract/enums.ts';
import type { KeptDoc } from '../../ports/record.ts';

/** A statement on a fact; a correction replaces it and keeps the old one. */
export interface Statement {
  value: string;
  category: string | null;
  /** Importance, 1 to 10. */
  importance: number;
  isCritical: boolean;
  provenance: Provenance;
  /** Source of the time: `stated`, `observed`, `document` or `assumed`. */
  temporalSource: string | null;
  validFrom: Date;
  /** Stated end; a later version may end it earlier. Null for no end. */
  statedUntil: Date | null;
  /** Time since which it counts as never true; null while it counts. */
  retractedAt: Date | null;
  /** Time of writing. */
  recordedAt: Date;
  /** Number of the write within the fact: of two versions with the same start, the later write counts. */
  seq: number;
  /** Tree of runs, run or chat that wrote it. */
  sourceRootRunId: number | null;
  sourceRunId: number | null;
  sourceChatSessionId: number | null;
  /** The import that brought it; absent where none did. */
  sourceImportId?: number | null;
}

/** One value of a fact with all its statements. */
export interface FactVersion extends KeptDoc, Statement {
  guid: string;
  factId: number;
  projectId: number;
  key: string;
  /** Effective end: the stated one, or the start of the next version, whichever is earlier. */
  validUntil: Date | null;
  updatedAt: Date;
  /** True when any of its statements was critical. */
  wasCritical: boolean;
  /** Earlier statements, oldest first. */
  earlier: Statement[];
  /** Number of the fact's change that wrote it; an older change never overwrites it. */
  rev: number;
  /** Key of the tool call that wrote it, so that the call takes effect once. */
  onceKey: string | null;
}

/** Horizon of a reader: everything written by a moment, and what one tree of runs wrote since. */
export interface Horizon {
  recordedBy: Date;
  rootRunId?: number | null;
}

type Placed = Pick<Statement, 'validFrom' | 'seq'>;

/** Order in which versions of a fact follow each other. */
export const byTime = (a: Placed, b: Placed) => a.validFrom.getTime() - b.validFrom.getTime() || a.seq - b.seq;

/** End of a statement, given the next version. */
export function endOf({ statedUntil }: Pick<Statement, 'statedUntil'>, next: Placed | null): Date | null {
  if (!next) return statedUntil;
  return statedUntil && statedUntil < next.validFrom ? statedUntil : next.validFrom;
}

export const holdsAt = (at: Date, { validFrom, validUntil }: { validFrom: Date; validUntil: Date | null }) =>
  validFrom <= at && (validUntil === null || validUntil > at);

/** A version as known within a horizon; null where it was not known. */
export function knownOf(version: FactVersion, horizon: Horizon | null): FactVersion | null {
  if (!horizon) return version;
  const isKnown = ({ recordedAt, sourceRootRunId }: Statement) =>
    recordedAt <= horizon.recordedBy || (horizon.rootRunId != null && sourceRootRunId === horizon.rootRunId);
  const statement = [...version.earlier, version].findLast(isKnown);
  return statement ? { ...version, ...statementOf(statement) } : null;
}

/** The version that held at a moment, among versions as known. Its end is the one known then. */
export function heldAt(versions: readonly FactVersion[], at: Date, horizon: Horizon | null): FactVersion | null {
  const known = versions.flatMap((one) => knownOf(one, horizon) ?? []).filter((one) => one.retractedAt === null);
  known.sort(byTime);
  const index = known.findLastIndex(({ validFrom }) => validFrom <= at);
  const found = known[index];
  if (!found) return null;
  const whole = { ...found, validUntil: endOf(found, known[index + 1] ?? null) };
  return holdsAt(at, whole) ? whole : null;
}

const parts = [
  ...['value', 'category', 'importance', 'isCritical', 'provenance', 'temporalSource', 'validFrom', 'statedUntil'],
  ...['retractedAt', 'recordedAt', 'seq', 'sourceRootRunId', 'sourceRunId', 'sourceChatSessionId', 'sourceImportId'],
] as const;

/** Value of a version, without the fact's key. Null says of each source that it is none: a statement takes none over. */
export const statementOf = (one: Statement): Statement =>
  Object.fromEntries(parts.map((name) => [name, one[name as keyof Statement] ?? null])) as unknown as Statement;

/** A version with a new statement, which keeps the old one. */
export function restated(
  old: FactVersion,
  change: Partial<Statement>,
  at: { recordedAt: Date; rev: number },
): FactVersion {
  const now = { ...statementOf(old), ...change, recordedAt: at.recordedAt };
  return {
    ...old,
    ...now,
    rev: at.rev,
    updatedAt: at.recordedAt,
    wasCritical: old.wasCritical || now.isCritical,
    earlier: [...old.earlier, statementOf(old)],
  };
}
