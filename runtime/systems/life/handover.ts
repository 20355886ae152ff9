// Handover of a run's files: they are committed and handed over once, before the run's result is delivered.
import type { Handover } from '../../ports.ts';
import type { HandoverOutcome, HandoverRecord, RunRecord } from '../../records.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { aliveNodes } from './leases.ts';

/** Timeout in ms of a handover: the parent must not wait for ever. */
const patienceMs = 300_000;

/**
 * Hands an ended run's files over and stores the outcome together with its events. Safe to repeat at any time and from
 * any node: `not-yet` says that another node is working on it.
 */
export async function handOver(core: Core, run: RunRecord): Promise<'done' | 'not-yet'> {
  if (!core.handover) return 'done';
  if (core.handingOver.has(run.id)) return 'not-yet';
  core.handingOver.add(run.id);
  try {
    const state = await begin(core, run);
    if (state !== 'mine') return state;
    const { events, ...outcome } = await conclude(core, core.handover, run);
    await commit(core, run.id, (now) =>
      isSame(now, run) && isBegunBy(now.handover, core.node)
        ? { set: { handover: { state: 'done', ...outcome } }, events }
        : null,
    );
    return 'done';
  } finally {
    core.handingOver.delete(run.id);
  }
}

/** Outcome of a run's handover, once done. */
export async function handedOver(core: Core, run: RunRecord) {
  const handover = (await core.store.runs.get(run.id))?.handover;
  return handover?.state === 'done' ? handover : null;
}

const isSame = (now: RunRecord, run: RunRecord) => now.owner === null && now.restarts === run.restarts;
const isBegunBy = (handover: HandoverRecord | null | undefined, node: string) =>
  handover?.state === 'begun' && handover.node === node;

/** Claims the handover, unless it is done or a living node has it. */
async function begin(core: Core, run: RunRecord): Promise<'mine' | 'done' | 'not-yet'> {
  const alive = await aliveNodes(core);
  let state: 'mine' | 'done' | 'not-yet' = 'done';
  await commit(core, run.id, (now) => {
    const { handover } = now;
    const other = handover?.state === 'begun' && handover.node !== core.node && alive.includes(handover.node);
    state = handover?.state === 'done' || !isSame(now, run) ? 'done' : other ? 'not-yet' : 'mine';
    return state === 'mine' ? { set: { handover: { state: 'begun', node: core.node } } } : null;
  });
  return state;
}

/** Converts a failure to a note, so that the result is still delivered; the files stay where they are. */
async function conclude(core: Core, handover: Handover, run: RunRecord): Promise<HandoverOutcome> {
  const parent = run.parentRunId === null ? null : await core.store.runs.get(run.parentRunId);
  let cancelTimer = () => {};
  const tooLong = new Promise<never>((_, reject) => {
    cancelTimer = core.clock.after(patienceMs, () => reject(new Error(`It took longer than ${patienceMs / 1000} s.`)));
  });
  try {
    return await Promise.race([handover.conclude(run, parent), tooLong]);
  } catch (error) {
    core.log.warn({ err: error, runId: run.id }, 'the files of a run were not handed over');
    const title = `The files of run ${run.id} were not handed over`;
    const message = error instanceof Error ? error.message : String(error);
    const payload = { fromRunId: run.id, branch: run.reviewBranch, conflicts: [] };
    const event = { type: 'ReviewReady', level: 'Warning', title, message, payload } as const;
    const note = `${title}: ${message} They stay in its own workspace.`;
    return { events: [event], parentEvents: [event], parentPlace: null, note };
  } finally {
    cancelTimer();
  }
}
