// Summaries of runs for lists: the run's own viewers have each event, so a list's update may wait and be merged.

import type { AgentEvent, RunRecord } from '../../records.ts';
import type { Emission } from '../../views/emission.ts';
import type { Core } from './core.ts';

/** Interval in ms at which a run's progress is published to lists. */
const everyMs = 1000;

/** Whether one of the events carries the whole change: the run's progress. */
export const saysProgress = (run: RunRecord, events: readonly AgentEvent[]): boolean =>
  events.some(({ type, message }) => type === 'ProgressUpdated' && message === run.progressSummary);

/** Publishes the run a moment later on the topics that do not carry its events. */
export function tellLists(core: Core, run: RunRecord, emissionOf: (run: RunRecord) => Emission): void {
  const waits = core.summaries.has(run.id);
  core.summaries.set(run.id, run);
  if (waits) return;
  core.clock.after(everyMs, () => {
    const newest = core.summaries.get(run.id);
    core.summaries.delete(run.id);
    // A change of status, which carries the summary too, was published meanwhile.
    if (!newest || core.closing) return;
    const emission = emissionOf(newest);
    const topics = emission.topics.filter((topic) => topic === 'runs' || topic.startsWith('project:'));
    core.sink.publish([{ ...emission, topics, key: null }])?.catch((error) => {
      core.log.debug({ err: error, runId: run.id }, 'a summary was not told');
    });
  });
}
