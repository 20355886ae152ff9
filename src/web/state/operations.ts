// The operations of groups that the contracts do not declare yet, by page.
import type { Page } from '../../client/index.ts';
import { operation } from './operation.ts';
import type { InfraNodeDto, QueueDto, StoreHealthDto, SystemLogDto } from './wire/system.ts';

export const infrastructure = {
  nodes: operation<InfraNodeDto[]>('GET /api/infrastructure/nodes'),
  stores: operation<StoreHealthDto[]>('GET /api/infrastructure/stores'),
  queues: operation<QueueDto[]>('GET /api/infrastructure/queues'),
  logs: operation<Page<SystemLogDto>>('GET /api/system-logs'),
};
