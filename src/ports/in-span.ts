// Spans of time as filters of lists.

type InSpan<Field extends string> = { [F in Field]?: { $gte?: Date; $lt?: Date } };

/**
 * Documents whose time is in a span: from one moment on, and before another one. Without either there is no condition.
 *
 * @example const within = { channelId, ...inSpan('createdAt', fromUtc, toUtc) };
 */
export function inSpan<const Field extends string>(
  field: Field,
  fromUtc: string | undefined,
  toUtc: string | undefined,
): InSpan<Field> {
  if (fromUtc === undefined && toUtc === undefined) return {};
  const from = fromUtc === undefined ? {} : { $gte: new Date(fromUtc) };
  const to = toUtc === undefined ? {} : { $lt: new Date(toUtc) };
  return { [field]: { ...from, ...to } } as InSpan<Field>;
}
