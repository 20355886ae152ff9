// A store that dies in the middle of work, as that of a killed process does.
import type { Collection, Db, Entity } from '../../src/ports/db.ts';

/** A store that fails for good, with the error `killed`, after so many calls. */
export function mortal(db: Db, fuse: { left: number }): Db {
  const counted = <T extends Entity>(inner: Collection<T>): Collection<T> =>
    new Proxy(inner, {
      get: (target, name: keyof Collection<T>) => {
        const member = target[name];
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (--fuse.left < 0) throw new Error('killed');
          return (member as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { ...db, collection: (source) => counted(db.collection(source as never)) } as Db;
}
