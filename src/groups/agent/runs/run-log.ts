// The log of a run, as services write to it.
import type { Engine } from '../../../../runtime/engine.ts';
import type { EventDraft } from '../../../../runtime/records.ts';
import { onceScope } from '../../../ports/once.ts';

/** Appends events to the log of a run that exists, also when it has ended. */
export type WriteLog = (runId: number, events: EventDraft[]) => Promise<unknown>;

/** Events among which those of a repeated request are looked for. */
const lookedAt = 500;

/** Writes into logs; what a repeated request has logged before is not logged again. Payloads tell events apart. */
export function createRunLog(engine: Pick<Engine, 'addEvents' | 'events'>): WriteLog {
  return async (runId, drafts) => {
    if (!onceScope()?.repeated) return engine.addEvents(runId, drafts);
    const types = [...new Set(drafts.map((draft) => draft.type))];
    const logged = await engine.events(runId, { types, descending: true, limit: lookedAt });
    const known = new Set(logged.map((event) => `${event.type} ${event.payloadJson}`));
    const missing = drafts.filter((draft) => !known.has(`${draft.type} ${JSON.stringify(draft.payload)}`));
    return missing.length > 0 ? engine.addEvents(runId, missing) : undefined;
  };
}
