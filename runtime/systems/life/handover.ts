// The end of a run's files: what it made is kept and handed over, once, before anybody hears of its result.
import type { Handover } from '../../ports.ts';
import type { HandoverOutcome, HandoverRecord, RunRecord } from '../../records.ts';
import { commit } from '../records/commits.ts';
import type { Bag } from '../records/core.ts';
import { aliveNodes } from './leases.ts';

/** What takes longer, in ms, is given up: its parent must not wait for ever. */
const patienceMs = 300_000;

/**
 * Hands an ended run's files over and writes down what came of it together with the events that tell it. Safe to call
 * again at any time and from any node: `not-yet` says that somebody else is at it.
 */
export async function handOver(bag: Bag, run: RunRecord): Promise<'done' | 'not-yet'> {
  if (!bag.handover) return 'done';
  if (bag.handingOver.has(run.id)) return 'not-yet';
  bag.handingOver.add(run.id);
  try {
    const state = await begin(bag, run);
    if (state !== 'mine') return state;
    const { events, ...outcome } = await conclude(bag, bag.handover, run);
    await commit(bag, run.id, (now) =>
      isSame(now, run) && isBegunBy(now.handover, bag.node)
        ? { set: { handover: { state: 'done', ...outcome } }, events }
        : null,
    );
    return 'done';
  } finally {
    bag.handingOver.delete(run.id);
  }
}

/** What became of the files of a run that has handed them over. */
export async function handedOver(bag: Bag, run: RunRecord) {
  const handover = (await bag.store.runs.get(run.id))?.handover;
  return handover?.state === 'done' ? handover : null;
}

const isSame = (now: RunRecord, run: RunRecord) => now.owner === null && now.restarts === run.restarts;
const isBegunBy = (handover: HandoverRecord | null | undefined, node: string) =>
  handover?.state === 'begun' && handover.node === node;

/** Takes the handover on, unless it is done or a living node has. */
async function begin(bag: Bag, run: RunRecord): Promise<'mine' | 'done' | 'not-yet'> {
  const alive = await aliveNodes(bag);
  let state: 'mine' | 'done' | 'not-yet' = 'done';
  await commit(bag, run.id, (now) => {
    const { handover } = now;
    const other = handover?.state === 'begun' && handover.node !== bag.node && alive.includes(handover.node);
    state = handover?.state === 'done' || !isSame(now, run) ? 'done' : other ? 'not-yet' : 'mine';
    return state === 'mine' ? { set: { handover: { state: 'begun', node: bag.node } } } : null;
  });
  return state;
}

/** Whatever goes wrong is told, and does not keep the result from being delivered: the files stay where they are. */
async function conclude(bag: Bag, handover: Handover, run: RunRecord): Promise<HandoverOutcome> {
  const parent = run.parentRunId === null ? null : await bag.store.runs.get(run.parentRunId);
  let cancelTimer = () => {};
  const tooLong = new Promise<never>((_, reject) => {
    cancelTimer = bag.clock.after(patienceMs, () => reject(new Error(`It took longer than ${patienceMs / 1000} s.`)));
  });
  try {
    return await Promise.race([handover.conclude(run, parent), tooLong]);
  } catch (error) {
    bag.log.warn({ err: error, runId: run.id }, 'the files of a run were not handed over');
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
