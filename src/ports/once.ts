// The request with an Idempotency-Key that is being carried out: what it takes is kept with its claim, so that a repeat
// after a crash makes the same documents and changes nothing twice.
import { AsyncLocalStorage } from 'node:async_hooks';

/** What stores and services may know of the request. */
export interface OnceScope {
  /** Stands for this request in what it changes; the same in every attempt. */
  readonly mark: string;
  /** An earlier attempt may have done a part of the work. */
  readonly repeated: boolean;
  /** The id that an earlier attempt took at this point, else one of `allocate`, which is kept before anybody uses it. */
  id(series: string, allocate: () => Promise<number>): Promise<number>;
  /** Whether this request took the id, so that a document of that id is its own. */
  took(id: unknown): boolean;
}

interface Held {
  /** Null once the request is answered: what goes on in the background is no part of it. */
  scope: OnceScope | null;
}

const storage = new AsyncLocalStorage<Held>();
let open = 0;

/** Carries `work` out as the work of one request. */
export async function carriedOutOnce<R>(scope: OnceScope, work: () => Promise<R>): Promise<R> {
  const held: Held = { scope };
  open++;
  try {
    return await storage.run(held, work);
  } finally {
    held.scope = null;
    open--;
    // Tracking the context slows every promise of the process a little, so it is switched off while no request has a
    // key.
    if (open === 0) storage.disable();
  }
}

/** The request whose work this is, where it came with a key. */
export const onceScope = (): OnceScope | null => (open === 0 ? null : (storage.getStore()?.scope ?? null));

/** The mark of that request, for changes that must not be made twice. */
export const onceMark = (): string | null => onceScope()?.mark ?? null;

/** Requests that a document remembers to have changed it. */
const keptMarks = 20;

/** Whether the request under way has changed the document already: a repeat, after a crash before its answer. */
export function isMarked({ marks }: { marks: readonly string[] }): boolean {
  const mark = onceMark();
  return mark !== null && marks.includes(mark);
}

/** The mark of the request under way as a change of the document; nothing without one. The oldest marks are dropped. */
export function ownMark({ marks }: { marks: readonly string[] }): { marks?: string[] } {
  const mark = onceMark();
  return mark === null ? {} : { marks: [...marks, mark].slice(-keptMarks) };
}
