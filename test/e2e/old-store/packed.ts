// Documents as JSON holds them: times are `{"$date": ms}`.

const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null;

export function packDocument(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (value instanceof Uint8Array) throw new Error('bytes are not packed');
  if (Array.isArray(value)) return value.map(packDocument);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, packDocument(part)]));
}

export function unpackDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpackDocument);
  if (!isPlain(value)) return value;
  if ('$date' in value) return new Date(Number(value.$date));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unpackDocument(part)]));
}
