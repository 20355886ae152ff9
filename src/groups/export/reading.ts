// Reads collections in pages, so that an export takes the same memory whatever it holds.
import { setImmediate } from 'node:timers/promises';
import type { RunDocuments } from '../../../runtime/ports.ts';
import type { AgentEvent } from '../../../runtime/records.ts';
import type { Collection, Filter, FindOptions } from '../../ports/db.ts';

interface Numbered {
  _id: number;
  createdAt: Date | number;
}

/** Documents that are read at once. */
const plainPage = 500;

/**
 * Documents by their ids, page after page. What is made after `until` is left out: an export tells of one moment, and ends
 * while others write.
 */
export async function* pagesOf<Doc extends Numbered>(
  of: Collection<Doc>,
  filter: Filter<Doc>,
  until: Date,
  { pageSize = plainPage, ...options }: Pick<FindOptions<Doc>, 'projection'> & { pageSize?: number } = {},
): AsyncGenerator<Doc[]> {
  for (let after = 0; ; ) {
    const within = { ...filter, _id: { $gt: after } } as Filter<Doc>;
    const found = await of
      .find(within, { ...options, sort: { _id: 1 }, limit: pageSize } as FindOptions<Doc>)
      .toArray();
    const known = found.filter(({ createdAt }) => Number(createdAt) <= until.getTime());
    if (known.length > 0) yield known;
    if (found.length < pageSize) return;
    // A page of an embedded store is read at once: others have their turn of the event loop before the next one.
    await setImmediate();
    after = found.at(-1)?._id ?? after;
  }
}

export type EventsOf = RunDocuments['events'];

/** What a run has told until then, page after page. */
export async function* eventPagesOf(eventsOf: EventsOf, runId: number, until: Date): AsyncGenerator<AgentEvent[]> {
  for (let afterSeq = 0; ; ) {
    const found = await eventsOf(runId, { afterSeq, limit: plainPage });
    const known = found.filter(({ createdAt }) => createdAt <= until.getTime());
    if (known.length > 0) yield known;
    if (found.length < plainPage) return;
    await setImmediate();
    afterSeq = found.at(-1)?.seq ?? afterSeq;
  }
}

/** Reads of documents no more than pages are made by. */
export const idOnly = { projection: { _id: 1, createdAt: 1 } } as const;

/** Ids in ascending order: eight bytes each, found by halving. */
export function ascendingIds() {
  let ids = new Float64Array(1024);
  let count = 0;
  return {
    add(id: number): void {
      if (count === ids.length) {
        const wider = new Float64Array(2 * count);
        wider.set(ids);
        ids = wider;
      }
      ids[count++] = id;
    },
    has(id: number): boolean {
      let [low, high] = [0, count - 1];
      while (low <= high) {
        const middle = (low + high) >>> 1;
        const found = ids[middle] as number;
        if (found === id) return true;
        if (found < id) low = middle + 1;
        else high = middle - 1;
      }
      return false;
    },
    /** All of them, so many at a time. */
    *slices(size: number): Generator<number[]> {
      for (let at = 0; at < count; at += size) yield [...ids.subarray(at, Math.min(count, at + size))];
    },
  };
}
export type AscendingIds = ReturnType<typeof ascendingIds>;

/** The fields of a document that are named, with its times as text; whatever else it has stays where it is. */
export function fieldsOf<Doc extends object>(
  doc: Doc,
  names: readonly (keyof Doc & string)[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => {
      const value = doc[name] as unknown;
      const isTime = value instanceof Date || (name.endsWith('At') && typeof value === 'number');
      const shown = isTime ? new Date(value as Date | number).toISOString() : (value ?? null);
      return [name === '_id' ? 'id' : name.endsWith('At') ? `${name}Utc` : name, shown];
    }),
  );
}

/** Documents as the rows of a list: the named fields, and what else is said of each. */
export async function* rowsOf<Doc extends object>(
  pages: AsyncIterable<readonly Doc[]>,
  names: readonly (keyof Doc & string)[],
  also: (doc: Doc) => object = () => ({}),
): AsyncGenerator<object> {
  for await (const page of pages) for (const doc of page) yield { ...fieldsOf(doc, names), ...also(doc) };
}

/** Ids in the document of what others point to, of those that are meant. */
export async function guidsOf<Doc extends { _id: number; guid: string }>(
  of: Pick<Collection<Doc>, 'find'>,
  ids: readonly (number | null)[],
  within: object = {},
): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const filter = { _id: { $in: wanted }, ...within } as unknown as Filter<Doc>;
  const found = await of.find(filter, { projection: { _id: 1, guid: 1 } } as never).toArray();
  return new Map(found.map(({ _id, guid }) => [_id, guid]));
}

/** What has no id of its own has that of what it belongs to, with a number in its place. */
export const numbered = (guid: string, number: number) =>
  `${guid.slice(0, 24)}${number.toString(16).padStart(12, '0')}`;
