// What the server stands on and what waits in it: nodes, stores, queues and jobs, with their control.
import { z } from 'zod';
import { JobState, QueueAction } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int32, string } from '../../contract/types.ts';
import { InfraNodeDto } from '../system/dto.ts';
import { QueueDto, QueueJobDto, StoreHealthDto } from './dto.ts';

const read = 'InfrastructureRead';
const write = 'InfrastructureWrite';

export const infrastructure = group(
  'Infrastructure',
  { base: '/api/infrastructure', doc: 'Nodes, stores, queues and jobs.' },
  {
    nodes: op.get('/nodes', {
      doc: 'List the server processes with CPU, memory, loop lag and connections. For the operator, whose tenant is the first.',
      needs: read,
      query: fields({ includeStale: boolean.optional() }),
      data: z.array(InfraNodeDto),
    }),
    stores: op.get('/stores', {
      doc: 'Show health, size and mode of the database, vectors, Redis and the disk. For the operator.',
      needs: read,
      data: z.array(StoreHealthDto),
    }),
    queues: op.get('/queues', {
      doc: 'List the queues with depth, throughput and failures of the jobs of the tenant.',
      needs: read,
      data: z.array(QueueDto),
    }),
    control: op.post('/queues/{name}/control', {
      doc: 'Pause, resume, drain, scale or retry a queue. Pause, Resume and SetConcurrency are for the operator: they hold for all tenants and nodes, and across restarts. Drain takes what waits and is delayed out of the queue; RetryFailed makes what failed due again; ClearFailed counts and lists it no more.',
      needs: write,
      body: fields({ action: QueueAction, concurrency: int32.min(1).max(1000).nullish() }),
      data: QueueDto,
      idempotent: false,
    }),
    jobs: op.get('/queues/{name}/jobs', {
      doc: 'List the jobs of a queue, the newest first; q finds one by its id.',
      needs: read,
      query: listQuery(['createdAtUtc'], { state: JobState.optional(), q: string.max(200).optional() }),
      data: page(QueueJobDto),
    }),
    retry: op.post('/queues/{name}/jobs/{jobId}/retry', {
      doc: 'Make a failed or delayed job due now; with resetAttempts its attempts begin from the first.',
      needs: write,
      body: fields({ resetAttempts: boolean.nullish() }),
      data: QueueJobDto,
      idempotent: false,
    }),
  },
);
