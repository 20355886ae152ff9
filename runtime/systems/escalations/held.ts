// Questions that hang on a connection of one node: that node goes on with the run, and the question ends with the connection.
import type { HeldQuestion } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { type EscalationRecord, hasOutcome, moveEscalation } from '../../state/escalation.ts';
import { hasEnded } from '../../state/run.ts';
import type { Core } from '../records/core.ts';
import { changeEscalation, escalationOf, letGo } from '../records/escalation-records.ts';
import { deliver } from './decisions.ts';

/** Remembers what an escalation hangs on; it ends when that is over. */
export function hold(core: Core, { id, runId }: EscalationRecord, question: HeldQuestion): void {
  core.held.set(id, { runId, question });
  const end = () => {
    if (core.held.get(id)?.question !== question || core.closing) return;
    lapse(core, id).catch((error) => core.log.warn({ err: error, id }, 'a lost question is left to repair'));
  };
  if (question.over.aborted) end();
  else question.over.addEventListener('abort', end, { once: true });
}

/** Withdraws a question that can be answered no more, and lets its run go on without the answer. */
async function lapse(core: Core, id: number): Promise<void> {
  const lapsed = await changeEscalation(core, id, (now) => {
    if (hasOutcome(now.status)) return null;
    return {
      status: moveEscalation(now.status, 'withdraw'),
      decisionNotes: 'It was lost with the connection that it hung on.',
      resolvedAt: core.clock.now(),
      delivered: false,
    };
  });
  if (lapsed) await deliver(core, lapsed);
}

/** Ends a question of a node that is gone. */
export async function endLost(core: Core, { id, heldBy = '' }: EscalationRecord): Promise<void> {
  if (heldBy !== core.node && !core.heard.has(heldBy)) await lapse(core, id);
}

/** The questions that hang on connections of this node. */
export const heldHere = ({ held }: Core): { id: number }[] => [...held.keys()].map((id) => ({ id }));

/** Ends a question whose connection is over, and a connection whose run waits for its question no more. */
export async function endIdle(core: Core, id: number): Promise<void> {
  const held = core.held.get(id);
  if (!held) return;
  const { runId, question } = held;
  if (question.over.aborted) await lapse(core, id);
  else if (runId === null) {
    const escalation = await core.store.escalations.get(id);
    if (escalation?.status === 'Withdrawn') letGo(core, id);
  } else if (!core.live.has(runId) && !waitsFor(await core.store.runs.get(runId), id) && !core.live.has(runId))
    letGo(core, id);
}

/** Goes on with a chat whose question another node was told the answer of. */
export async function decidedElsewhere(core: Core, id: number): Promise<void> {
  if (!core.held.has(id) || core.closing) return;
  try {
    await deliver(core, await escalationOf(core, id));
  } catch (error) {
    core.log.warn({ err: error, id }, 'a decision is left to repair');
  }
}

const waitsFor = (run: RunRecord | null, id: number) =>
  run !== null && !hasEnded(run.status) && run.waiting.some((one) => one.for === 'decision' && one.escalationId === id);

/** Whether a living node other than this one has a connection that the run goes on with. */
export const isHeldElsewhere = (core: Core, { waiting }: RunRecord): boolean =>
  waiting.some(
    (one) =>
      one.for === 'decision' && one.heldBy !== undefined && one.heldBy !== core.node && core.heard.has(one.heldBy),
  );

/** Whether a run waits for a question that hangs on a connection of this node. */
export const isHeldHere = (core: Core, runId: number): boolean =>
  [...core.held.values()].some((one) => one.runId === runId);
