// When the next digest of a log subscription is sent: soon after a quiet time, later and later while lines keep coming.

/** Milliseconds in which lines gather for the first digest after a quiet time. */
export const gatherMs = 5000;
/** Milliseconds between two digests: at first, and at most. */
export const firstSpacing = 60_000;
const longestSpacing = 3_600_000;

interface Pace {
  sentAt: Date | null;
  spacing: number;
}

/** When a digest is due whose first line was written at `since`; ms since 1970 UTC. */
export const dueAt = ({ sentAt, spacing }: Pace, since: number): number =>
  Math.max(since + gatherMs, sentAt === null ? 0 : sentAt.getTime() + spacing);

/** The pace after a digest that is sent now. Where it was quiet for as long as the spacing, it begins anew. */
export function paceAfter({ sentAt, spacing }: Pace, since: number, now: number): Pace {
  const wasQuiet = sentAt === null || since - sentAt.getTime() > spacing;
  return { sentAt: new Date(now), spacing: wasQuiet ? firstSpacing : Math.min(2 * spacing, longestSpacing) };
}
