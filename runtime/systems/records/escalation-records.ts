// Escalations in the store: changed by their state table, and published.
import { Fault } from '../../../src/kernel/fault.ts';
import type { RunRecord } from '../../records.ts';
import { type EscalationRecord, escalationClosed, moveEscalation } from '../../state/escalation.ts';
import type { Emission, Told } from '../../views/emission.ts';
import { escalationView } from '../../views/escalation.ts';
import type { Core } from './core.ts';
import { cancelCouncil } from './council-records.ts';

/** The escalation; Fault NOT_FOUND when there is none. */
export async function escalationOf(core: Core, id: number): Promise<EscalationRecord> {
  const found = await core.store.escalations.get(id);
  if (found) return found;
  throw new Fault('NOT_FOUND', `There is no escalation ${id}.`, { hint: 'List them with GET /api/agent/escalations.' });
}

/** Changes an escalation and publishes it; null when `decide` returned null. */
export async function changeEscalation(
  core: Core,
  id: number,
  decide: (now: EscalationRecord) => Partial<EscalationRecord> | null,
): Promise<EscalationRecord | null> {
  let before: EscalationRecord | null = null;
  const changed = await core.store.escalations.update(id, (now) => {
    before = now;
    return decide(now);
  });
  if (changed && changed.status !== (before as EscalationRecord | null)?.status) {
    emitEscalation(core, changed, escalationClosed(changed.status) ? 'escalation.resolved' : 'escalation.updated');
  }
  return changed;
}

type EscalationEvent = Extract<keyof Told, `escalation.${string}`>;

/** Publishes an escalation as the interface shows it. */
export function emitEscalation(core: Core, escalation: EscalationRecord, type: EscalationEvent): void {
  const emission: Emission = {
    tenantId: escalation.tenantId,
    topics: [
      'escalations',
      ...(escalation.runId === null ? [] : [`run:${escalation.runId}`]),
      ...(escalation.projectId === null ? [] : [`project:${escalation.projectId}`]),
    ],
    type,
    data: escalationView(escalation),
    durable: true,
    key: `${type}:${escalation.id}:${escalation.version}`,
  };
  core.sink.publish([emission])?.catch((error) => core.log.warn({ err: error }, 'an escalation was not published'));
}

/** Ends the wait of a connection for an answer that will not come. */
export function letGo(core: Core, escalationId: number): void {
  const held = core.held.get(escalationId);
  core.held.delete(escalationId);
  held?.question.drop();
}

/** Withdraws the open escalations of an ended run and cancels its councils. */
export async function withdrawEscalations(core: Core, run: RunRecord): Promise<void> {
  for (const one of await core.store.escalations.ofRun(run.id)) {
    letGo(core, one.id);
    if (one.delivered) continue;
    await changeEscalation(core, one.id, (now) => {
      if (now.delivered) return null;
      if (escalationClosed(now.status)) return { delivered: true };
      return { status: moveEscalation(now.status, 'withdraw'), resolvedAt: core.clock.now(), delivered: true };
    });
  }
  for (const council of await core.store.councils.ofRun(run.id)) await cancelCouncil(core, council);
}
