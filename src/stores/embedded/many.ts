// Changes of many documents, some at a time.
import { setImmediate } from 'node:timers/promises';
import type { PlainObject } from '../subset/values.ts';
import type { Query, Reader } from './query.ts';
import type { Found } from './recent.ts';
import type { Sqlite } from './sqlite.ts';

/** Documents that one transaction takes, and those that are looked at in one turn of the event loop. */
const manyAtOnce = 200;

const all = (filter: PlainObject): Query => ({ filter, sort: undefined, skip: 0, limit: 0 });

/**
 * Changes all that match a filter, by `change` inside a write. Of many, some at a time: others have their turn of the
 * event loop between two transactions. On MongoDB, too, such a change is not atomic, and takes what matched at its
 * beginning and still does.
 */
export async function changeMany<R>(
  { sqlite, reader }: { sqlite: Sqlite; reader: Reader },
  filter: PlainObject,
  change: (found: readonly Found[]) => R,
): Promise<R[]> {
  const few = await sqlite.write(() =>
    sqlite.atomic(() => {
      const found = reader.find({ ...all(filter), limit: manyAtOnce + 1 });
      return found.length > manyAtOnce ? null : [change(found)];
    }),
  );
  if (few) return few;
  const ids: unknown[] = [];
  for (const { _id } of reader.walk(all(filter))) {
    ids.push(_id);
    if (ids.length % manyAtOnce === 0) await setImmediate();
  }
  const done: R[] = [];
  for (let at = 0; at < ids.length; at += manyAtOnce) {
    const some = { $and: [{ _id: { $in: ids.slice(at, at + manyAtOnce) } }, filter] };
    const part = () => {
      const found = reader.find(all(some));
      return found.length === 0 ? [] : [change(found)];
    };
    done.push(...(await sqlite.write(() => sqlite.atomic(part))));
  }
  return done;
}
