// The deliverable contract: a run that has one cannot complete before its check passes.

import { commitDeferred, commitOwned } from '../records/commits.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';

/** What the deliverable lacks, as text for the model; null when the run may complete. */
export async function unmetContract(core: Core, live: LiveRun, deliverable: string | null): Promise<string | null> {
  const { run } = live;
  const wanted = run.contractDeliverable ?? run.contractDestination;
  if (!wanted || !core.contracts) return null;
  await commitDeferred(core, live);
  const check = await core.contracts.check(run, deliverable, live.abort.signal).catch((error) => {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    return { met: false, detail: `The check could not be made: ${(error as Error).message}` };
  });
  await commitOwned(core, live, () => ({
    events: [
      {
        type: 'DeliverableChecked',
        level: check.met ? 'Information' : 'Warning',
        title: check.met ? 'The deliverable contract is met' : 'The deliverable contract is not met',
        message: check.detail,
      },
    ],
  }));
  if (check.met) return null;
  return `The run cannot complete: its deliverable contract (${wanted}) is not met. ${check.detail ?? ''}`.trim();
}
