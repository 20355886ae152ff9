// What was taken back, as it is answered.
import { z } from 'zod';
import { dto, int64 } from '../../contract/types.ts';

const ids = z.array(int64);

/** Ours. */
export const UnlearnResultDto = dto('UnlearnResultDto', {
  runId: int64,
  /** Memories that are gone. */
  memoryIds: ids,
  /** Memories that the run had changed, and that say again what they said. */
  revertedMemoryIds: ids,
  /** Memories that those which are gone had superseded. */
  restoredMemoryIds: ids,
  /** Links that are gone. */
  linkIds: ids,
  /** Versions of facts that were taken back, or say again what they said. */
  factIds: ids,
  agentMemoryIds: ids,
});
export type UnlearnResultDto = z.output<typeof UnlearnResultDto>;
