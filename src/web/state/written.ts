// What the server answers to a write is what pages show of it at once, before they have loaded anything again.
type Entity = Readonly<Record<string, unknown>> & { guid: string };

/** Each says which of two states of an entity is the later one: it only grows. */
const marks = ['updatedAtUtc', 'version', 'eventCount'];
/** Levels of what a page shows that are looked through: pages of lists, and a few lists beside each other. */
const maxDepth = 5;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
const isEntity = (value: unknown): value is Entity => isRecord(value) && typeof value.guid === 'string';

/** The entities that an answer tells: itself, or what it names. */
export function entitiesIn(answer: unknown): Entity[] {
  if (!isRecord(answer)) return [];
  return isEntity(answer) ? [answer] : Object.values(answer).filter(isEntity);
}

function isOlder(one: Entity, other: Entity): boolean {
  const mark = marks.find((name) => name in one && name in other);
  return mark !== undefined && (one[mark] as string | number) < (other[mark] as string | number);
}

/** Lists may show less of an entity than the write has answered. */
function merged(shown: Entity, written: Entity): Entity {
  if (isOlder(written, shown)) return shown;
  const known = Object.entries(written).filter(([name]) => name in shown);
  return { ...shown, ...Object.fromEntries(known) } as Entity;
}

/** What is shown, with the entity as it was written wherever it stands in it; the same object where it does not. */
export function withWritten<T>(shown: T, written: Entity, depth = maxDepth): T {
  if (depth === 0) return shown;
  if (Array.isArray(shown)) {
    const items = shown.map((item) => withWritten(item, written, depth - 1));
    return items.some((item, index) => item !== shown[index]) ? (items as T) : shown;
  }
  if (!isRecord(shown)) return shown;
  if (shown.guid === written.guid) return merged(shown as Entity, written) as T;
  const changed = Object.entries(shown).flatMap(([name, value]) => {
    const now = withWritten(value, written, depth - 1);
    return now === value ? [] : [[name, now]];
  });
  return changed.length === 0 ? shown : { ...shown, ...Object.fromEntries(changed) };
}

/** Changes what one place shows. */
export type Shown = (change: <T>(data: T) => T) => void;

const places = new Set<Shown>();

/** Has what a place shows follow each write of this page. Answers how to stop. */
export function followWrites(place: Shown): () => void {
  places.add(place);
  return () => void places.delete(place);
}

/** Takes the answer of a write. */
export function noteWritten(answer: unknown): void {
  for (const entity of entitiesIn(answer)) for (const place of places) place((data) => withWritten(data, entity));
}
