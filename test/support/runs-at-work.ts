// Runs whose server is killed again and again: whether each has made a step since, and how it has ended.
import type { AgentRunDto, Client } from '../../src/client/index.ts';

const atWork = new Set<AgentRunDto['status']>(['Pending', 'Queued', 'Running', 'WaitingForChildren']);

/** A run as it stands once it has ended, or after so many ms. */
const within = (api: Client, id: number, timeoutMs: number) =>
  api.agentRuns.wait({ params: { id }, query: { timeoutMs } });
/** How long one look waits at the server, ms. */
const lookMs = 50;

/**
 * Waits until each run has ended or has finished a step that was not there before. A run that loses its owners without
 * one is quarantined for it, and a slow machine is no fault: whoever kills a server calls this before every other kill.
 */
export async function untilAllMoved(api: Client, ids: readonly number[]): Promise<void> {
  const before = await Promise.all(ids.map((id) => within(api, id, 0)));
  // Tokens of settled model calls: a call more is a finished step.
  for (const { id, tokensUsed } of before)
    for (let now = await within(api, id, 0); atWork.has(now.status) && now.tokensUsed <= tokensUsed; )
      now = await within(api, id, lookMs);
}

/** The run once it is at work no more, however slow the machine is: the limit of the test is the only one. */
export async function untilAtRest(api: Client, id: number): Promise<AgentRunDto> {
  let run = await within(api, id, 0);
  while (atWork.has(run.status)) run = await within(api, id, lookMs);
  return run;
}
