// What a fact is made of: versions that are only ever added to, each with the time for which it holds and the time when that was learnt.
import type { Provenance } from '../../contract/enums.ts';
import type { KeptDoc } from '../../ports/record.ts';

/** What somebody said of a fact; a correction replaces it and keeps the old one. */
export interface Statement {
  value: string;
  category: string | null;
  /** 1 to 10. */
  importance: number;
  isCritical: boolean;
  provenance: Provenance;
  /** Where the time comes from: `stated`, `observed`, `document` or `assumed`. */
  temporalSource: string | null;
  validFrom: Date;
  /** As it was said; what follows may end it earlier. Null for no end. */
  statedUntil: Date | null;
  /** Since when it counts as never true; null while it counts. */
  retractedAt: Date | null;
  /** When this was written down. */
  recordedAt: Date;
  /** Order of writing within the fact: of two that begin at one moment the later counts. */
  seq: number;
  /** The tree of runs, the run or the chat that wrote it. */
  sourceRootRunId: number | null;
  sourceRunId: number | null;
  sourceChatSessionId: number | null;
}

/** One value of a fact with all that was ever said of it. */
export interface FactVersion extends KeptDoc, Statement {
  guid: string;
  factId: number;
  projectId: number;
  key: string;
  /** The end in effect: the stated one, or the beginning of what follows, whichever is earlier. */
  validUntil: Date | null;
  updatedAt: Date;
  /** Whether any statement of it was critical. */
  wasCritical: boolean;
  /** What was said before, oldest first. */
  earlier: Statement[];
  /** The change of the fact that wrote this; an older one never overwrites it. */
  rev: number;
  /** Of the tool call that wrote it, so that the call is made once. */
  onceKey: string | null;
}

/** Who may know what: everything that was written by a moment, and what one tree of runs wrote since. */
export interface Horizon {
  recordedBy: Date;
  rootRunId?: number | null;
}

type Placed = Pick<Statement, 'validFrom' | 'seq'>;

/** Order in which versions of a fact follow each other. */
export const byTime = (a: Placed, b: Placed) => a.validFrom.getTime() - b.validFrom.getTime() || a.seq - b.seq;

/** The end of a statement, given what follows it. */
export function endOf({ statedUntil }: Pick<Statement, 'statedUntil'>, next: Placed | null): Date | null {
  if (!next) return statedUntil;
  return statedUntil && statedUntil < next.validFrom ? statedUntil : next.validFrom;
}

export const holdsAt = (at: Date, { validFrom, validUntil }: { validFrom: Date; validUntil: Date | null }) =>
  validFrom <= at && (validUntil === null || validUntil > at);

/** A version as it was known; null where nothing was known of it. */
export function knownOf(version: FactVersion, horizon: Horizon | null): FactVersion | null {
  if (!horizon) return version;
  const isKnown = ({ recordedAt, sourceRootRunId }: Statement) =>
    recordedAt <= horizon.recordedBy || (horizon.rootRunId != null && sourceRootRunId === horizon.rootRunId);
  const statement = [...version.earlier, version].findLast(isKnown);
  return statement ? { ...version, ...statementOf(statement) } : null;
}

/** What held at a moment, among versions as they are or were known. The end that is answered is the one then known. */
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
  ...['retractedAt', 'recordedAt', 'seq', 'sourceRootRunId', 'sourceRunId', 'sourceChatSessionId'],
] as const;

/** What a version says, without what it says it of. */
export const statementOf = (one: Statement): Statement =>
  Object.fromEntries(parts.map((name) => [name, one[name as keyof Statement]])) as unknown as Statement;

/** A version that says something else from now on, and keeps what it said. */
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
