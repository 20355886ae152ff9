// Expiry of documents: each has an end, so that an index finds those that have not expired.
import type { Filter } from '../ports/db.ts';

export interface Expiring {
  /** Time of expiry; far in the future for a document without one. */
  endsAt: Date;
}

const never = new Date(Date.UTC(9999, 0));

export const endsAt = (expiresAt: Date | null | undefined): Date => expiresAt ?? never;

/** Filter of documents that have not expired at `now` (ms since 1970 UTC). */
export const unexpired = <Doc extends Expiring>(now: number): Filter<Doc> =>
  ({ endsAt: { $gt: new Date(now) } }) as Filter<Doc>;
