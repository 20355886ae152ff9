// Shares as a part of the server; their services stand beside runs and chats, in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { part } from '../part.ts';
import { shareRecord } from './record.ts';

/** Longer than any link holds. */
const keptMs = 120 * 86_400_000;

export const sharesPart = part({
  records: [shareRecord],
  contracts: [],
  serve: () => [],
  retention: (base) => ({
    rules: [{ name: 'expired links', keptMs, prune: (before) => pruneByDate(base.db, shareRecord.spec, before) }],
  }),
  samples: [],
});
