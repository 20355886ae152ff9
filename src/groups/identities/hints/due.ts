// Which hints are due.
import type { Filter } from '../../../ports/db.ts';
import type { HintDoc } from './record.ts';

/** Open hints whose time has come at `at`, ms since 1970 UTC; those without a time are due once they are left. */
export const dueNow = (at: number): Filter<HintDoc> => ({
  open: true,
  dueAt: { $lte: new Date(at) },
});
