// Operations on the server itself.
import { z } from 'zod';
import { MetricsFormat } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { fields, string } from '../../contract/types.ts';
import { SystemConfigDto, SystemHealthDto, SystemInfoDto, SystemReadinessDto } from './dto.ts';

export const system = group(
  'System',
  { base: '/api/system', doc: 'Version, health, readiness and metrics of the server.' },
  {
    info: op.get('/info', { doc: 'Version and features of this server.', needs: 'public', data: SystemInfoDto }),
    health: op.get('/health', { doc: 'Liveness of this process.', needs: 'public', data: SystemHealthDto }),
    ready: op.get('/ready', {
      doc: 'Readiness of every dependency; 503 when not ready.',
      needs: 'public',
      data: SystemReadinessDto,
    }),
    config: op.get('/config', {
      doc: 'Show each setting with its value, its default and where it comes from; secrets are masked. For the operator, whose tenant is the first.',
      needs: 'SystemRead',
      query: fields({ prefix: string.max(100).optional() }),
      data: SystemConfigDto,
    }),
    changeConfig: op.patch('/config', {
      doc: 'Override settings at run time, all or none; null removes an override. Those with requiresRestart act at the next start, the others at once and on all nodes within a second; both survive a restart. For the operator.',
      needs: 'SystemWrite',
      body: fields({ settings: z.record(string.max(100), string.max(2000).nullable()) }),
      data: SystemConfigDto,
    }),
    metrics: op.get('/metrics', {
      doc: 'Metrics as Prometheus text.',
      needs: 'SystemRead',
      query: fields({ format: MetricsFormat.default('Prometheus') }),
      data: z.string(),
      reply: 'file',
      mediaType: ['text/plain', 'application/openmetrics-text'],
    }),
  },
);
