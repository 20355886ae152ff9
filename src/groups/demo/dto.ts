// What the demo has made, as it is answered.
import { z } from 'zod';
import { DemoSize } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';

/** Kinds of things and how many of each. */
const counts = z.record(string, int32);

export const DemoStatusDto = dto('DemoStatusDto', {
  /** True also while the demo is being removed. */
  seeded: boolean,
  size: DemoSize.nullable(),
  createdCounts: counts,
  removedCounts: counts,
  demoUsername: string.nullable(),
  /** Told by the seed alone. */
  demoPassword: string.nullable(),
  projectId: int64.nullable(),
  /** Runs of the demo that have not ended. */
  activeDemoRunIds: z.array(int64),
  seededAtUtc: dateTime.nullable(),
});
export type DemoStatusDto = z.output<typeof DemoStatusDto>;
