// The queues of the server as operators see them: runs, starts of routines, deliveries, builds of sites, maintenance.
import type { Engine } from '../../runtime/engine.ts';
import type { RunStatus } from '../../runtime/records.ts';
import { defaultOptions } from '../../runtime/systems/records/core.ts';
import { ledgerRecord } from '../groups/agent/routines/record.ts';
import { channelDeliveryRecord } from '../groups/channels/record.ts';
import { type CollectionQueue, createCollectionQueue } from '../groups/infrastructure/collection-queue.ts';
import { maintenanceRecord } from '../groups/maintenance/record.ts';
import { jobsAtOnce, mostAttempts } from '../groups/maintenance/runner.ts';
import { siteBuildRecord } from '../groups/site-builds/record.ts';
import { deliveryRecord } from '../groups/webhooks/record.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { mostAtOnce } from '../outside/deliveries/courier.ts';
import { dropped, type Waiting, waiting } from '../outside/deliveries/outbox.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { Queue } from '../ports/queues.ts';
import { type PerTenant, perTenant } from '../ports/tenanted.ts';
import { type RunDocument, runs as runSpec } from '../stores/runs/collections.ts';
import type { Storage } from './storage.ts';

interface Deps {
  storage: Storage;
  engine: Pick<Engine, 'restart' | 'cancel'>;
  clock: Clock;
  pokeWebhooks(): void;
  pokeChannels(): void;
  pokeMaintenance(): void;
  startRoutine(rowId: number): Promise<void>;
}

export const createQueues = (deps: Deps): Queue[] => [
  runQueue(deps),
  routineQueue(deps),
  webhookQueue(deps),
  channelQueue(deps),
  buildQueue(deps),
  maintenanceQueue(deps),
];

/** Why a job ended that waited. */
const emptied = 'An operator has emptied the queue.';
const at = (ms: number | null | undefined) => (ms == null ? null : new Date(ms));
const notAgain = (what: string, hint: string) => new Fault('INVALID_TRANSITION', what, { hint });
/** Jobs end within this time of their creation, nearly always: so far back those that ended lately are looked for. */
const longMs = 3 * 86_400_000;
/** Documents of which a field says when they ended: since a time. */
const endedSince =
  <Field extends string>(field: Field) =>
  (since: Date) =>
    ({ createdAt: { $gte: new Date(since.getTime() - longMs) }, [field]: { $gte: since } }) as {
      [name in Field | 'createdAt']: { $gte: Date };
    };

function runQueue({ storage, engine }: Deps): Queue {
  const delayed: RunStatus[] = ['WaitingForChildren', 'WaitingForDecision', 'Paused', 'BudgetExhausted'];
  const states = {
    Queued: { status: 'Queued' },
    Scheduled: { status: { $in: delayed } },
    Running: { status: 'Running' },
    Succeeded: { status: 'Completed' },
    Failed: { status: { $in: ['Failed', 'TimedOut'] } },
    Cancelled: { status: 'Cancelled' },
  } as const;
  const stateOf = (status: RunStatus) => {
    if (status === 'Queued' || status === 'Running' || status === 'Failed' || status === 'Cancelled') return status;
    if (status === 'Completed') return 'Succeeded';
    return status === 'TimedOut' ? 'Failed' : 'Scheduled';
  };
  return createCollectionQueue<RunDocument>({
    name: 'runs',
    description: 'Runs that wait for a place; delayed ones wait for children, a decision, budget or somebody.',
    usual: defaultOptions.slots,
    scales: true,
    of: perTenant(storage.db.collection(runSpec)),
    states,
    endedSince: (since) => ({ completedAt: { $gte: since.getTime() } }),
    show: ({ _id, status, crashes, ...run }) => ({
      ...{ id: String(_id), name: run.role, state: stateOf(status) },
      ...{ attempts: crashes + (run.startedAt === null ? 0 : 1), maxAttempts: defaultOptions.maxCrashes },
      progressPercent: null,
      payload: { runId: _id, identityId: run.identityId, projectId: run.projectId, rootRunId: run.rootRunId },
      ...{ error: run.failureReason, lockedByNodeId: run.owner, nextRunAt: null },
      ...{ startedAt: at(run.startedAt), finishedAt: at(run.completedAt), createdAt: new Date(run.createdAt) },
    }),
    retry: async (_tenant, id, anew) => void (await engine.restart(id, { fromCheckpoint: !anew })),
    drop: async (_tenant, { _id }) => {
      await engine.cancel(_id, { reason: emptied });
      return true;
    },
  });
}

function routineQueue({ storage, clock, startRoutine }: Deps): Queue {
  const rows = perTenant(storage.db.collection(ledgerRecord.spec));
  return createCollectionQueue({
    name: 'routines',
    description: 'Moments of routines: those that wait for their run, and those whose run goes on.',
    usual: 1,
    scales: false,
    of: rows,
    states: {
      Queued: { outcomeId: 'Pending' },
      Running: { outcomeId: 'Running' },
      Succeeded: { outcomeId: { $in: ['Succeeded', 'NoChange', 'ThresholdMet'] } },
      Failed: { outcomeId: 'Failed' },
      Cancelled: { outcomeId: 'Cancelled' },
    },
    endedSince: endedSince('runCompletedAt'),
    show: ({ _id, outcomeId, ...row }) => ({
      ...{ id: String(_id), name: `routine ${row.routineId}` },
      state:
        outcomeId === 'Pending'
          ? 'Queued'
          : outcomeId === 'Running' || outcomeId === 'Failed' || outcomeId === 'Cancelled'
            ? outcomeId
            : 'Succeeded',
      ...{ attempts: row.agentRunId === null ? 0 : 1, maxAttempts: 1, progressPercent: null },
      payload: { routineId: row.routineId, runId: row.agentRunId, dueAtUtc: row.dueAt?.toISOString() ?? null },
      ...{ error: row.reason ?? null, lockedByNodeId: null, nextRunAt: outcomeId === 'Pending' ? row.dueAt : null },
      ...{ startedAt: row.createdAt, finishedAt: row.runCompletedAt, createdAt: row.createdAt },
    }),
    retry: async (tenantId, id) => {
      const row = await rows(tenantId).findOne({ _id: id });
      if (row?.outcomeId !== 'Pending')
        throw notAgain(
          'A moment of a routine has one row, and its outcome stays.',
          'Start the routine with POST /api/agent/routines/{id}/run.',
        );
      await startRoutine(id);
    },
    drop: async (tenantId, { _id }) => {
      const pending = { _id, outcomeId: 'Pending' as const };
      const $set = {
        ...{ outcomeId: 'Cancelled' as const, reason: emptied, duty: true as const },
        runCompletedAt: new Date(clock.now()),
      };
      return (await rows(tenantId).updateOne(pending, { $set })).matchedCount > 0;
    },
  });
}

function webhookQueue({ storage, clock, pokeWebhooks }: Deps): Queue {
  return createCollectionQueue({
    name: 'webhooks',
    description: 'Deliveries of webhooks; delayed ones wait for their next attempt.',
    ...ofOutbox(perTenant(storage.db.collection(deliveryRecord.spec)), clock, pokeWebhooks),
    show: (one) => ({
      ...{ name: one.eventType, payload: { webhookId: one.webhookId, messageId: one.messageId } },
      ...shownDelivery(one),
    }),
  });
}

function channelQueue({ storage, clock, pokeChannels }: Deps): Queue {
  return createCollectionQueue({
    name: 'channels',
    description: 'Messages to and from channels; delayed ones wait for their next attempt.',
    ...ofOutbox(perTenant(storage.db.collection(channelDeliveryRecord.spec)), clock, pokeChannels),
    show: (one) => ({
      ...{ name: one.eventType ?? one.direction, payload: { channelId: one.channelId, direction: one.direction } },
      ...shownDelivery(one),
    }),
  });
}

const shownDelivery = (one: Waiting & { createdAt: Date }) => ({
  ...{ id: String(one._id), state: ofDelivery[one.status] },
  ...{ attempts: one.attempt, maxAttempts: one.maxAttempts, progressPercent: null },
  ...{ error: one.error, lockedByNodeId: one.sender, nextRunAt: one.nextAttemptAt },
  ...{ startedAt: one.createdAt, finishedAt: one.endedAt, createdAt: one.createdAt },
});

/** What the queues of all outboxes share. */
function ofOutbox<Doc extends Waiting & { createdAt: Date }>(of: PerTenant<Doc>, clock: Clock, poke: () => void) {
  const deliveries = of as unknown as PerTenant<Waiting & { createdAt: Date }>;
  const now = () => new Date(clock.now());
  return {
    ...{ usual: mostAtOnce, scales: true, of },
    states: {
      Queued: { status: 'Pending' },
      Scheduled: { status: 'Retrying' },
      Running: { status: 'Delivering' },
      Succeeded: { status: { $in: ['Delivered', 'Received'] } },
      Failed: { status: 'Failed' },
      Cancelled: { status: 'Dropped' },
    } as unknown as CollectionQueue<Doc>['states'],
    endedSince: endedSince('endedAt') as CollectionQueue<Doc>['endedSince'],
    retry: async (tenantId: number, id: number, anew: boolean) => {
      const open = { _id: id, status: { $in: ['Failed', 'Retrying'] as const } };
      const $set = {
        ...{ status: 'Retrying' as const, due: now(), nextAttemptAt: now(), endedAt: null, sender: null },
        ...(anew && { attempt: 0 }),
      };
      await deliveries(tenantId).updateOne(open, { $set });
      poke();
    },
    drop: async (tenantId: number, { _id }: Doc) => {
      const open = { _id, status: { $in: waiting } };
      return (await deliveries(tenantId).updateOne(open, { $set: dropped(now(), emptied) })).matchedCount > 0;
    },
  };
}

const ofDelivery = {
  Pending: 'Queued',
  Retrying: 'Scheduled',
  Delivering: 'Running',
  Delivered: 'Succeeded',
  Received: 'Succeeded',
  Failed: 'Failed',
  Dropped: 'Cancelled',
} as const;

function buildQueue({ storage, clock }: Deps): Queue {
  const builds = perTenant(storage.db.collection(siteBuildRecord.spec));
  return createCollectionQueue({
    name: 'site-builds',
    description: 'Builds of the public sites of projects, one of a project at a time.',
    usual: 1,
    scales: false,
    of: builds,
    states: {
      Queued: { status: 'Queued' },
      Running: { status: 'Building' },
      Succeeded: { status: 'Published' },
      Failed: { status: 'Failed' },
      Cancelled: { status: 'Superseded' },
    },
    endedSince: endedSince('finishedAt'),
    show: ({ _id, status, ...one }) => ({
      ...{ id: String(_id), name: `project ${one.projectId}`, state: ofBuild[status] },
      ...{ attempts: one.attempts, maxAttempts: 1, progressPercent: null },
      payload: { projectId: one.projectId },
      ...{ error: status === 'Failed' ? one.detail : null, lockedByNodeId: one.builderHost, nextRunAt: null },
      ...{ startedAt: one.startedAt, finishedAt: one.finishedAt, createdAt: one.createdAt },
    }),
    retry: async (tenantId, id) => {
      const again = { status: 'Queued' as const, startedAt: null, finishedAt: null, claimMark: null, claimToken: null };
      const { matchedCount } = await builds(tenantId).updateOne({ _id: id, status: 'Failed' }, { $set: again });
      if (matchedCount === 0) throw notAgain('This build did not fail.', 'Ask for a new one.');
    },
    drop: async (tenantId, { _id }) => {
      const detail = emptied;
      const $set = { status: 'Superseded' as const, detail, finishedAt: new Date(clock.now()) };
      return (await builds(tenantId).updateOne({ _id, status: 'Queued' }, { $set })).matchedCount > 0;
    },
  });
}

const ofBuild = {
  Queued: 'Queued',
  Building: 'Running',
  Published: 'Succeeded',
  Failed: 'Failed',
  Superseded: 'Cancelled',
} as const;

function maintenanceQueue({ storage, clock, pokeMaintenance }: Deps): Queue {
  const jobs = perTenant(storage.db.collection(maintenanceRecord.spec));
  const states = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'] as const;
  return createCollectionQueue({
    name: 'maintenance',
    description: 'Maintenance jobs; one of a kind at a time.',
    usual: jobsAtOnce,
    scales: true,
    of: jobs,
    states: Object.fromEntries(states.map((state) => [state, { state }])),
    endedSince: endedSince('completedAt'),
    show: ({ _id, task, state, owner, ...one }) => ({
      ...{ id: String(_id), name: task, state },
      ...{ attempts: one.attempts, maxAttempts: mostAttempts, progressPercent: one.progressPercent },
      payload: { task, dryRun: one.dryRun, olderThanDays: one.olderThanDays, identityId: one.identityId },
      ...{ error: one.errorMessage, lockedByNodeId: state === 'Running' ? owner : null, nextRunAt: null },
      ...{ startedAt: one.startedAt, finishedAt: one.completedAt, createdAt: one.createdAt },
    }),
    retry: async (tenantId, id) => {
      const job = await jobs(tenantId).findOne({ _id: id });
      const again = {
        ...{ state: 'Queued' as const, startedAt: null, completedAt: null, owner: null, leaseUntil: null },
        ...{ progressPercent: 0, processed: 0, errorMessage: null, resultJson: null, attempts: 0 },
      };
      const holds = job?.alone ?? '';
      const failed = { _id: id, state: 'Failed' as const };
      const { matchedCount } = await jobs(tenantId)
        .updateOne(failed, { $set: { ...again, holds } })
        .catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
          throw notAgain(`${job?.task} is under way already.`, 'Wait for it, then retry.');
        });
      if (matchedCount === 0) throw notAgain('This job did not fail.', 'Start a new one.');
      pokeMaintenance();
    },
    drop: async (tenantId, { _id }) => {
      const ended = { state: 'Cancelled' as const, completedAt: new Date(clock.now()) };
      const waiting = { _id, state: 'Queued' as const };
      const { matchedCount } = await jobs(tenantId).updateOne(waiting, { $set: ended, $unset: { holds: true } });
      return matchedCount > 0;
    },
  });
}
