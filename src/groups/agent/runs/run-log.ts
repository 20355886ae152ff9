// The log of a run, as services write to it.
import type { EventDraft } from '../../../../runtime/records.ts';

/** Appends events to the log of a run that exists, also when it has ended. */
export type WriteLog = (runId: number, events: EventDraft[]) => Promise<unknown>;
