// Spans of time as filters.

/**
 * What was made in a span of time; nothing for one without ends.
 *
 * @param timeOf - a time as the collection keeps it
 */
export function during(
  fromUtc: string | null | undefined,
  toUtc: string | null | undefined,
  timeOf: (text: string) => Date | number = (text) => new Date(text),
) {
  const from = fromUtc == null ? {} : { $gte: timeOf(fromUtc) };
  const to = toUtc == null ? {} : { $lte: timeOf(toUtc) };
  return fromUtc == null && toUtc == null ? {} : { createdAt: { ...from, ...to } };
}
