// Which hints are due.
import type { Filter } from '../../../ports/db.ts';
import type { HintDoc } from './record.ts';

/** Open hints whose time has come at `at`, ms since 1970 UTC; those without a time are always due. */
export const dueNow = (at: number): Filter<HintDoc> => ({
  open: true,
  $or: [{ triggerAt: null }, { triggerAt: { $lte: new Date(at) } }],
});
