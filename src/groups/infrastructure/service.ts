// Shows nodes, stores, queues and jobs, and carries out what an operator asks of a queue.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import { gateOf, type Job, type Queue, type QueueCounts } from '../../ports/queues.ts';
import type { QueueControl, ServerState } from '../../ports/server-state.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { InfraNodeDto } from '../system/dto.ts';
import { infrastructure } from './contract.ts';
import type { QueueDto, QueueJobDto, StoreHealthDto } from './dto.ts';

export interface InfrastructureDeps {
  clock: Clock;
  publisher: Publisher;
  state: ServerState;
  /** The first tenant, whose server this is. */
  operatorTenantId: number;
  nodes(): readonly (InfraNodeDto & { stale: boolean })[];
  stores(): Promise<StoreHealthDto[]>;
  queues: readonly Queue[];
}

/** Jobs that Drain and RetryFailed go through at a time, and at most. */
const step = 100;
const most = 10_000;

const noControl: QueueControl = { paused: false, concurrency: null, clearedAtUtc: null };

export const infrastructureService = implement(infrastructure, (deps: InfrastructureDeps) => {
  const { clock, state, publisher } = deps;
  const { controlOf, clearedAt, requireOperator, queueNamed, jobOf, show } = lookupsOf(deps);
  const steer = async (caller: Caller, queue: Queue, change: Partial<QueueControl>) => {
    const before = controlOf(queue.name);
    await state.change('queues', (old) => ({
      ...old,
      [queue.name]: { ...(old?.[queue.name] ?? noControl), ...change },
    }));
    const named = { _id: queue.name, tenantId: caller.tenantId, name: queue.name };
    const doc = { ...named, ...before, ...change };
    noteWrite(caller, { kind: 'queue', how: 'changed', doc, before: { ...named, ...before } });
  };
  const actions = actionsOf(requireOperator, steer, clock, clearedAt);

  return {
    nodes: ({ caller, query }) => {
      requireOperator(caller, 'Nodes are');
      return deps.nodes().flatMap(({ stale, ...node }) => (stale && query.includeStale !== true ? [] : [node]));
    },
    stores: ({ caller }) => {
      requireOperator(caller, 'Stores are');
      return deps.stores();
    },
    queues: ({ caller }) => Promise.all(deps.queues.map((queue) => show(caller, queue))),
    control: async ({ caller, params, body }) => {
      const queue = queueNamed(params.name);
      await actions[body.action](caller, queue, body.concurrency ?? null);
      const data = await show(caller, queue);
      await publisher.publish({ tenantId: caller.tenantId, topics: ['system'], type: 'system.queue', data });
      return data;
    },
    jobs: async ({ caller, params, query }) => {
      const queue = queueNamed(params.name);
      const { q, sort, page, pageSize, state: wanted } = query;
      const id = q === undefined ? undefined : Number(q);
      if (id !== undefined && !Number.isSafeInteger(id)) return toPage([], 0, query);
      const asked = { page, pageSize, state: wanted, id, oldestFirst: sort === 'createdAtUtc' };
      const { items, totalCount } = await queue.jobs(caller.tenantId, asked);
      const shown = items.map((job) => toJobDto(queue.name, job));
      return toPage(shown, totalCount, query);
    },
    retry: async ({ caller, params, body }) => {
      const queue = queueNamed(params.name);
      const job = await jobOf(caller, queue, params.jobId);
      if (job.state !== 'Failed' && job.state !== 'Scheduled')
        throw new Fault(
          'INVALID_TRANSITION',
          `This job is ${job.state}: only what failed or is delayed can be retried.`,
          {
            hint: 'Look at its state with GET /api/infrastructure/queues/{name}/jobs.',
          },
        );
      await queue.retry(caller.tenantId, Number(job.id), body?.resetAttempts ?? false);
      const after = await jobOf(caller, queue, params.jobId);
      const noted = (one: Job) => ({
        ...{ ...one, _id: Number(one.id), tenantId: caller.tenantId, name: `${queue.name} ${one.id}` },
        retriedAt: one === after ? new Date(clock.now()) : null,
      });
      noteWrite(caller, { kind: 'job', how: 'changed', doc: noted(after), before: noted(job) });
      return toJobDto(queue.name, after);
    },
  };
});

/** What the operations look up, and refuse. */
function lookupsOf({ clock, state, operatorTenantId, queues }: InfrastructureDeps) {
  const controlOf = (name: string) => state.get('queues')?.[name] ?? noControl;
  const clearedAt = (name: string) => Date.parse(controlOf(name).clearedAtUtc ?? '') || 0;
  return {
    controlOf,
    clearedAt,
    /** @throws Fault FORBIDDEN */
    requireOperator(caller: Caller, what: string): void {
      if (caller.tenantId !== operatorTenantId)
        throw new Fault('FORBIDDEN', `${what} the operator’s.`, { hint: 'Ask with a key of the first tenant.' });
    },
    /** @throws Fault NOT_FOUND */
    queueNamed(name: string): Queue {
      const found = queues.find((one) => one.name === name);
      if (found) return found;
      throw new Fault('NOT_FOUND', `There is no queue "${name.slice(0, 60)}".`, {
        hint: `Name one of ${queues.map((one) => one.name).join(', ')}.`,
      });
    },
    /** @throws Fault NOT_FOUND */
    async jobOf(caller: Caller, queue: Queue, jobId: string): Promise<Job> {
      const id = Number(jobId);
      const found = Number.isSafeInteger(id) ? await queue.find(caller.tenantId, id) : null;
      if (found) return found;
      throw new Fault('NOT_FOUND', `There is no job ${jobId.slice(0, 60)} in the queue ${queue.name}.`, {
        hint: `List them with GET /api/infrastructure/queues/${queue.name}/jobs.`,
      });
    },
    async show(caller: Caller, queue: Queue): Promise<QueueDto> {
      const now = clock.now();
      const counts = await queue.counts(caller.tenantId, { now, clearedAt: clearedAt(queue.name) });
      const gate = gateOf(state, queue.name);
      return toQueueDto(queue, counts, { paused: gate.isPaused(), concurrency: gate.most(queue.usual), now });
    },
  };
}

type Act = (caller: Caller, queue: Queue, concurrency: number | null) => Promise<unknown>;

function actionsOf(
  requireOperator: (caller: Caller, what: string) => void,
  steer: (caller: Caller, queue: Queue, change: Partial<QueueControl>) => Promise<void>,
  clock: Clock,
  clearedAt: (name: string) => number,
): Record<'Pause' | 'Resume' | 'Drain' | 'RetryFailed' | 'ClearFailed' | 'SetConcurrency', Act> {
  /** Works on the jobs of a state, each once; those that cannot be worked on are left. */
  const each = async (
    caller: Caller,
    queue: Queue,
    state: 'Queued' | 'Scheduled' | 'Failed',
    work: (job: Job) => Promise<unknown>,
  ) => {
    const seen = new Set<string>();
    for (let page = 1; seen.size < most; ) {
      const { items } = await queue.jobs(caller.tenantId, { page, pageSize: step, state, oldestFirst: true });
      const fresh = items.filter((job) => !seen.has(job.id));
      for (const job of fresh) {
        seen.add(job.id);
        await work(job);
      }
      if (items.length < step) return;
      // What is left in its state stands before the rest.
      if (fresh.length === 0) page++;
    }
  };
  return {
    Pause: (caller, queue) => {
      requireOperator(caller, 'Whether a queue is worked is');
      return steer(caller, queue, { paused: true });
    },
    Resume: (caller, queue) => {
      requireOperator(caller, 'Whether a queue is worked is');
      return steer(caller, queue, { paused: false });
    },
    SetConcurrency: async (caller, queue, concurrency) => {
      requireOperator(caller, 'How many jobs a node takes is');
      if (!queue.scales)
        throw new Fault('INVALID_TRANSITION', `The queue ${queue.name} always works on ${queue.usual} at once.`, {
          hint: 'Its jobs must not run beside each other.',
        });
      await steer(caller, queue, { concurrency });
    },
    Drain: async (caller, queue) => {
      const drop = ({ id }: Job) => queue.drop(caller.tenantId, Number(id));
      await each(caller, queue, 'Queued', drop);
      await each(caller, queue, 'Scheduled', drop);
    },
    RetryFailed: (caller, queue) =>
      each(caller, queue, 'Failed', async ({ id, finishedAt }) => {
        if ((finishedAt?.getTime() ?? Number.POSITIVE_INFINITY) <= clearedAt(queue.name)) return;
        await queue.retry(caller.tenantId, Number(id), true).catch((error: unknown) => {
          // One that cannot be retried any more is no reason to leave the others.
          if (!(error instanceof Fault) || error.status >= 500) throw error;
        });
      }),
    ClearFailed: (caller, queue) => {
      requireOperator(caller, 'What counts as failed is');
      return steer(caller, queue, { clearedAtUtc: new Date(clock.now()).toISOString() });
    },
  };
}

function toQueueDto(
  { name, description }: Queue,
  counts: QueueCounts,
  { paused, concurrency, now }: { paused: boolean; concurrency: number; now: number },
): QueueDto {
  const { oldestWaitingAt, avgDurationMs, lastError, ...numbers } = counts;
  return {
    name,
    description,
    paused,
    concurrency,
    ...numbers,
    throughputPerMinute: Math.round((numbers.completedLastHour / 60) * 100) / 100,
    avgDurationMs: avgDurationMs === null ? null : Math.round(avgDurationMs),
    oldestWaitingSeconds: oldestWaitingAt && Math.max(0, Math.round((now - oldestWaitingAt.getTime()) / 1000)),
    lastError: lastError?.slice(0, 500) ?? null,
  };
}

const utc = (date: Date | null) => date?.toISOString() ?? null;

const toJobDto = (
  queue: string,
  { payload, error, nextRunAt, startedAt, finishedAt, createdAt, ...job }: Job,
): QueueJobDto => ({
  ...job,
  queue,
  payloadJson: JSON.stringify(payload),
  error: error?.slice(0, 1000) ?? null,
  nextRunAtUtc: utc(nextRunAt),
  startedAtUtc: utc(startedAt),
  finishedAtUtc: utc(finishedAt),
  createdAtUtc: createdAt.toISOString(),
});
