// Operations on the server itself.
import { z } from 'zod';
import { MetricsFormat } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { fields } from '../../contract/types.ts';
import { SystemHealthDto, SystemInfoDto, SystemReadinessDto } from './dto.ts';

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
