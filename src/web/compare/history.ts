// What a run did, from its stored events; a fork begins with what it has taken over from the run that it was forked from.
import type { AgentEventDto, AgentRunDto } from '../../client/index.ts';
import { client } from '../state/app.ts';
import { createTimeline, type Line } from '../timeline/timeline.ts';
import { type Edits, type Origin, originOf } from './source.ts';
import { type Step, stepsOf } from './steps.ts';

export interface History {
  run: AgentRunDto;
  steps: Step[];
  /** The run that it was forked from. */
  forkedFrom: number | null;
  /** How its state was edited before it went on. */
  edits: Edits | null;
  /** What it said at its end. */
  result: string | null;
  /** The run has more events than are compared. */
  isCut: boolean;
}

const pageSize = 500;
/** Events of one run that are read at most. */
const mostEvents = 20_000;
/** Forks of forks that are followed up. */
const mostForks = 8;

async function eventsOf(runId: number, signal: AbortSignal) {
  const events: AgentEventDto[] = [];
  while (events.length < mostEvents) {
    const query = { afterSeq: events.at(-1)?.seq ?? 0, limit: pageSize };
    const page = await client.agentRuns.events({ params: { runId }, query, signal });
    events.push(...page);
    if (page.length < pageSize) return { events, isCut: false };
  }
  return { events, isCut: true };
}

function read(events: readonly AgentEventDto[]) {
  const timeline = createTimeline();
  for (const event of events) timeline.push(event);
  return timeline.entries;
}

/** Steps that a fork has taken over; none where the run that it comes from is gone or out of sight. */
async function takenOver(origin: Origin, forkedAt: string, signal: AbortSignal, forks: number): Promise<Step[]> {
  if (forks >= mostForks) return [];
  const params = { id: origin.runId };
  try {
    const { events } = await eventsOf(origin.runId, signal);
    const checkpoints = await client.agentRuns.checkpoints({ params, signal });
    // A fork from the present state has no checkpoint of its own.
    const until = origin.at ?? checkpoints.find(({ id }) => id === origin.checkpointId)?.createdAtUtc ?? forkedAt;
    const before = events.filter(({ createdAtUtc }) => createdAtUtc <= until);
    const own = stepsOf(read(before)).filter(({ state }) => state !== 'running' && state !== 'streaming');
    const earlier = originOf(events);
    const created = events[0]?.createdAtUtc ?? until;
    return [...(earlier ? await takenOver(earlier, created, signal, forks + 1) : []), ...own];
  } catch (error) {
    if (signal.aborted) throw error;
    return [];
  }
}

const endings = new Set(['RunCompleted', 'RunFailed', 'RunTimedOut', 'RunCancelled']);

export async function loadHistory(id: number, signal: AbortSignal): Promise<History> {
  const [run, { events, isCut }] = await Promise.all([
    client.agentRuns.get({ params: { id }, signal }),
    eventsOf(id, signal),
  ]);
  const entries = read(events);
  const origin = originOf(events);
  const before = origin ? await takenOver(origin, run.createdAtUtc, signal, 0) : [];
  const end = entries.findLast((entry): entry is Line => entry.kind === 'line' && endings.has(entry.event.type));
  return {
    run,
    steps: [...before, ...stepsOf(entries)],
    forkedFrom: origin?.runId ?? null,
    edits: origin?.edits ?? null,
    result: end?.event.message ?? run.progressSummary,
    isCut,
  };
}
