// When documents expire that may: each has an end, so that an index finds those that have not.
import type { Filter } from '../ports/db.ts';

export interface Expiring {
  /** When it expires; far away for one that does not. */
  endsAt: Date;
}

const never = new Date(Date.UTC(9999, 0));

export const endsAt = (expiresAt: Date | null | undefined): Date => expiresAt ?? never;

/** Those that have not expired at `now` (ms since 1970 UTC). */
export const unexpired = <Doc extends Expiring>(now: number): Filter<Doc> =>
  ({ endsAt: { $gt: new Date(now) } }) as Filter<Doc>;
