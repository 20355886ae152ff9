// Activity of the runs of a list since the page was opened, from the list's own stream: one stream for all runs.
import type { AgentRunDto, RunBudgetDto } from '../../client/index.ts';
import { createTrack, type Track } from '../river/track.ts';

/** A step that ended is drawn at most this long, ms: the list's stream does not say when it started. */
const stepMs = 2500;
/** Runs that are remembered; those without news the longest are forgotten. */
const most = 500;

export interface Activity {
  /** As a track that can be drawn; a run that nothing was heard of yet has a stream without blocks. */
  of(run: Pick<AgentRunDto, 'id' | 'parentRunId' | 'status' | 'startedAtUtc' | 'createdAtUtc'>): Track;
  /** Takes the figures of a run after a step. */
  note(budget: Pick<RunBudgetDto, 'runId' | 'iterationsUsed'>, at: number): void;
}

export function createActivity(): Activity {
  const steps = new Map<number, { iterations: number; ends: number[] }>();
  return {
    note({ runId, iterationsUsed }, at) {
      const known = steps.get(runId);
      steps.delete(runId);
      const isNew = known !== undefined && iterationsUsed > known.iterations;
      const ends = isNew ? [...known.ends.slice(-60), at] : (known?.ends ?? []);
      steps.set(runId, { iterations: iterationsUsed, ends });
      if (steps.size > most) steps.delete(steps.keys().next().value as number);
    },
    of({ id, parentRunId, status, startedAtUtc, createdAtUtc }) {
      const track = createTrack(id, parentRunId, Date.parse(startedAtUtc ?? createdAtUtc));
      let before = track.from;
      track.blocks = (steps.get(id)?.ends ?? []).map((to, index) => {
        const from = Math.max(before, to - stepMs);
        before = to;
        return {
          kind: 'model',
          id: String(index),
          from,
          to,
          label: '',
          failed: false,
          sandboxed: false,
          flow: 0,
          seq: 0,
        };
      });
      if (status === 'WaitingForDecision')
        track.gates.push({ id: '', from: before, to: null, timeoutAt: null, label: '', seq: 0 });
      return track;
    },
  };
}
