// Endings: how an owned run completes, fails, waits or returns to the queue.
import type { RunChange } from '../../ports.ts';
import type { InboxItem, RunResult, SpentLimit } from '../../records.ts';
import { type MoveDetails, moveRun, type RunCommand } from '../../state/run.ts';
import { shortageOf } from '../../state/spent.ts';
import { commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { treeNow } from '../records/known-trees.ts';
import { wakeIfMet } from './joins.ts';

/** Brings an owned run to rest by `command`, after its pool settlements. */
export async function rest(
  core: Core,
  live: LiveRun,
  command: RunCommand,
  details: Omit<MoveDetails, 'now' | 'owner'> = {},
  also: RunChange = {},
): Promise<'rest'> {
  await commitOwned(core, live, (now) => {
    const merged = { ...now, ...also.set };
    const move = moveRun(merged, command, { now: core.clock.now(), ...details });
    const change: RunChange = { events: [...(also.events ?? []), ...(move.events ?? [])] };
    if (also.messages) change.messages = also.messages;
    if (also.toolCalls) change.toolCalls = also.toolCalls;
    // A child whose result came before the run's rest must not leave it waiting for ever.
    Object.assign(move.set, wakeIfMet({ ...merged, ...move.set }, core.clock.now()));
    change.set = { ...also.set, ...move.set };
    return change;
  });
  return 'rest';
}

/** Completes the run, with `also`, unless its inbox holds something that `isNews`. */
export async function completeUnlessNews(
  core: Core,
  live: LiveRun,
  result: RunResult,
  isNews: (item: InboxItem) => boolean = () => true,
  also: RunChange = {},
): Promise<'rest' | 'go-on'> {
  let news = false;
  await commitOwned(core, live, (now) => {
    news = now.inbox.some(isNews);
    if (news) return {};
    const move = moveRun({ ...now, ...also.set }, 'complete', { now: core.clock.now(), result });
    return { ...also, set: { ...also.set, ...move.set }, events: [...(also.events ?? []), ...(move.events ?? [])] };
  });
  return news ? 'go-on' : 'rest';
}

export const fail = (core: Core, live: LiveRun, reason: string, also: RunChange = {}) =>
  rest(core, live, 'fail', { reason }, also);

export const timeOut = (core: Core, live: LiveRun, command: 'time-out' | 'pass-deadline') =>
  rest(core, live, command, { reason: command === 'time-out' ? timeReason : deadlineReason });

export const timeReason = 'Its wall-clock budget is used up.';

export const deadlineReason = 'The deadline of its tree has passed.';

/** Ends the attempt because a limit is spent; an exhausted pool also exhausts waiting ancestors. */
export function exhaust(core: Core, live: LiveRun, spent: SpentLimit): Promise<'rest'> {
  const reason = shortageOf(spent, live.run, treeNow(core, live.run.rootRunId) ?? null)?.message ?? spent.limit;
  return rest(core, live, 'exhaust', { reason, spent }, { set: { duties: ['pass-exhaustion'] } });
}
