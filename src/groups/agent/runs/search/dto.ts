// What the search in events answers.
import { z } from 'zod';
import { AgentEventType, SystemLogLevel } from '../../../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../../../contract/types.ts';

/** A piece of a text of an event, and where the words stand in it, in UTF-16 units as JavaScript counts them. */
const Excerpt = dto('AgentEventExcerptDto', {
  /** `title`, `message`, `tool`, `model`, or the name of a field of the payload. */
  field: string,
  text: string,
  marks: z.array(dto('TextMarkDto', { at: int32, length: int32 })),
});

const Hit = dto('AgentEventHitDto', {
  runId: int64,
  seq: int64,
  type: AgentEventType,
  level: SystemLogLevel,
  iteration: int32.nullable(),
  title: string,
  toolName: string.nullable(),
  toolCallId: string.nullable(),
  createdAtUtc: dateTime,
  excerpts: z.array(Excerpt),
});
export type AgentEventHitDto = z.output<typeof Hit>;

export const AgentEventHitsDto = dto('AgentEventHitsDto', {
  items: z.array(Hit),
  /** Where the search stopped: the next one goes on from there, also in a run that has gone on meanwhile. */
  cursor: string,
  /** Whether there are events that were not looked at. */
  hasMore: boolean,
  /** Number of events that were looked at. */
  searched: int32,
});
export type AgentEventHitsDto = z.output<typeof AgentEventHitsDto>;
