// Facts as they are answered and published.
import type { z } from 'zod';
import { Provenance } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

const brief = {
  id: int64,
  guid: uuid,
  projectId: int64,
  key: string,
  category: string.nullable(),
  /** 1 to 10. */
  importance: int32,
  provenance: Provenance,
  /** Whether it holds now: one version of a key at most does. */
  isCurrent: boolean,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const FactDto = dto('FactDto', {
  ...brief,
  value: string,
  /** Critical facts are told to every run and chat of the project. */
  isCritical: boolean,
  validFromUtc: dateTime,
  /** When it ceased or ceases to hold; null while nothing says so. */
  validUntilUtc: dateTime.nullable(),
  temporalSource: string.nullable(),
  /** Ours: since when this counts as never true, because it was corrected or taken back; null while it counts. */
  retractedAtUtc: dateTime.nullable(),
});
export type FactDto = z.output<typeof FactDto>;

export const FactWriteDto = dto('FactWriteDto', { ...brief, valueLength: int32 });
export type FactWriteDto = z.output<typeof FactWriteDto>;
