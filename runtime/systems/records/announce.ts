// Publishes commits to viewers: one emission per event, and the run itself when its status moved.
import type { Committed } from '../../ports.ts';
import type { AgentEvent, RunRecord } from '../../records.ts';
import { hasEnded } from '../../state/run.ts';
import type { Emission, EmissionOf, Told } from '../../views/emission.ts';
import { budgetView, eventView, runView } from '../../views/run.ts';
import type { Core, LiveRun } from './core.ts';
import { treeNow, treeOf } from './known-trees.ts';
import { saysProgress, tellLists } from './summaries.ts';

/** Topics of a run; its own is first, since a store files the event under it. */
const runTopics = (run: RunRecord) => [
  `run:${run.id}`,
  `run-tree:${run.rootRunId}`,
  'runs',
  ...(run.projectId === null ? [] : [`project:${run.projectId}`]),
];

/**
 * Publishes a commit: its events, then the change of status, or `run.updated` when only fields changed.
 * Only a run's owner publishes, in the order of the events; those that a dead owner left out come first.
 */
export async function announce(core: Core, before: RunRecord | null, committed: Committed): Promise<void> {
  const { run, events } = committed;
  if (before && before.status !== run.status) {
    for (const watch of core.watchers.get(run.id) ?? []) watch(run);
    if (hasEnded(run.status)) core.signals?.send({ kind: 'ended', runId: run.id });
  }
  if (run.owner !== null && run.owner !== core.node) {
    core.signals?.send({ kind: 'changed', runId: run.id });
    return;
  }
  if (!core.trees.has(run.rootRunId)) await treeOf(core, run.rootRunId);
  const emissions = await missed(core, run, events[0]?.seq ?? run.eventCount + 1);
  if (!before) emissions.push(runEmission(core, run, 'run.created', 1));
  emissions.push(...emissionsOf(core, run, events));
  if (before && before.status !== run.status) core.summaries.delete(run.id);
  else if (before) {
    const changed = shown.filter((field) => before[field] !== run[field]);
    const update = (now: RunRecord) => runEmission(core, now, 'run.updated', `v${now.version}`);
    if (changed.length === 1 && changed[0] === 'progressSummary' && saysProgress(run, events))
      tellLists(core, run, update);
    else if (changed.length > 0) emissions.push(update(run));
  }
  send(core, run, emissions, run.eventCount);
}

/** Publishes the unpublished events of a run that this process owns or that has no owner. */
export async function catchUp(core: Core, run: RunRecord): Promise<void> {
  if (run.owner !== null && run.owner !== core.node) return;
  send(core, run, await missed(core, run, run.eventCount + 1), run.eventCount);
}

/** Emissions of one event of a run, in the order of publication. */
const steps = ['run.created', 'run.event', 'run.status', 'run.completed', 'run.failed', 'run.ended'];
const orderOf = (seq: number, type: string) => seq * steps.length + steps.indexOf(type);

const toldOf = (core: Core, run: RunRecord) => Math.max(core.told.get(run.id) ?? 0, run.publishedSeq);

/** Emissions of events before `nextSeq` that were stored and not published, e.g. by a process that died. */
async function missed(core: Core, run: RunRecord, nextSeq: number): Promise<Emission[]> {
  const afterSeq = toldOf(core, run);
  if (afterSeq + 1 >= nextSeq) return [];
  const events = await core.store.runs.events(run.id, { afterSeq, beforeSeq: nextSeq, limit: 10_000 });
  const emissions = emissionsOf(core, run, events);
  if (afterSeq === 0) emissions.unshift(runEmission(core, run, 'run.created', 1));
  return emissions.map((one) => ({ ...one, again: true }));
}

function emissionsOf(core: Core, run: RunRecord, events: readonly AgentEvent[]): Emission[] {
  const emissions: Emission[] = [];
  for (const event of events) {
    emissions.push({
      tenantId: run.tenantId,
      topics: [`run:${run.id}`, `run-tree:${run.rootRunId}`],
      type: 'run.event',
      data: eventView(event),
      durable: true,
      key: `run.event:${run.id}:${event.seq}`,
      fence: { runId: run.id, token: run.fence },
      order: orderOf(event.seq, 'run.event'),
    });
    const to = event.movedTo;
    if (!to) continue;
    emissions.push(runEmission(core, run, 'run.status', event.seq));
    if (to === 'Completed') emissions.push(runEmission(core, run, 'run.completed', event.seq));
    if (to === 'Failed') emissions.push(runEmission(core, run, 'run.failed', event.seq));
    if (hasEnded(to)) emissions.push(runEmission(core, run, 'run.ended', event.seq));
  }
  return emissions;
}

type RunStep = 'run.created' | 'run.updated' | 'run.status' | 'run.completed' | 'run.failed' | 'run.ended';

const runEmission = (core: Core, run: RunRecord, type: RunStep, mark: number | string): Emission => ({
  tenantId: run.tenantId,
  topics: runTopics(run),
  type,
  data: runView(run, treeNow(core, run.rootRunId)),
  durable: true,
  key: `${type}:${run.id}:${mark}`,
  fence: { runId: run.id, token: run.fence },
  ...(typeof mark === 'number' ? { order: orderOf(mark, type) } : {}),
});

const shown = [
  'goal',
  'progressSummary',
  'planJson',
  'modelId',
  'maxIterations',
  'maxTokens',
  'maxWallClockMs',
  'contextBudgetTokens',
  'projectId',
  'taskId',
  'identityId',
  'role',
  'toolProfileName',
  'treeDeadlineAt',
  'sandboxContainerId',
  'reviewBranch',
] as const satisfies (keyof RunRecord)[];

/** Passes emissions to the sink and remembers up to which event they are safe there. */
function send(core: Core, run: RunRecord, emissions: Emission[], lastSeq: number): void {
  if (emissions.length === 0) return;
  core.told.set(run.id, Math.max(lastSeq, core.told.get(run.id) ?? 0));
  const note = () => {
    if ((core.published.get(run.id) ?? 0) < lastSeq) core.published.set(run.id, lastSeq);
  };
  const accepted = core.sink.publish(emissions);
  if (!accepted) note();
  else
    accepted.then(note, (error) => {
      // The next change of the run, or a repair, publishes them again.
      if (core.told.has(run.id)) core.told.set(run.id, core.published.get(run.id) ?? run.publishedSeq);
      core.log.warn({ err: error, runId: run.id }, 'events wait for the stream');
    });
}

/** Publishes an emission about a run that is not stored with it. */
export function emit<Type extends keyof Told>(
  core: Core,
  run: RunRecord,
  type: Type,
  data: Told[Type],
  extra: { topics?: string[] } = {},
): void {
  const emission: EmissionOf<Type> = {
    tenantId: run.tenantId,
    topics: [`run:${run.id}`, `run-tree:${run.rootRunId}`],
    type,
    data,
    durable: false,
    key: null,
    fence: { runId: run.id, token: run.fence },
    ...extra,
  };
  core.sink.publish([emission as Emission])?.catch((error) => core.log.warn({ err: error }, 'an emission was lost'));
}

/** Publishes the budget meters, at most once a second unless forced. */
export function emitBudget(core: Core, live: LiveRun): void {
  const steady = core.clock.steady();
  if (steady - live.lastBudgetAt < 1000) return;
  live.lastBudgetAt = steady;
  const { run } = live;
  emit(core, run, 'run.budget', budgetView(run, treeNow(core, run.rootRunId), steady), {
    topics: ['runs', `run:${run.id}`, `run-tree:${run.rootRunId}`],
  });
}
