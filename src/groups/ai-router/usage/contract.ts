// What models were used for: totals, series, and every recorded call.
import { AICallPurpose, AICallStatus, AIUsageGroupBy, TimeBucket } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { dateTime, double, fields, int64, string } from '../../../contract/types.ts';
import { AICallDetailDto, AICallDto, AIUsageSummaryDto, AIUsageTimeseriesDto } from '../dto.ts';

const modelId = string.max(200);
const window = { fromUtc: dateTime.optional(), toUtc: dateTime.optional() };
const who = { identityId: int64.optional(), projectId: int64.optional() };
const what = { providerId: int64.optional(), modelId: modelId.optional() };

export const aiUsage = group(
  'AIRouter',
  { id: 'AIUsage', base: '/api/ai-router/usage', doc: 'Recorded model calls and what they cost.' },
  {
    summary: op.get('', {
      doc: 'Totals of calls, tokens, cost and latency, grouped; of today (UTC) and the 30 days before unless a window is given.',
      needs: 'AiRouterRead',
      query: fields({
        ...window,
        groupBy: AIUsageGroupBy.default('None'),
        ...what,
        routeId: int64.optional(),
        ...who,
        orgUnitId: int64.optional(),
        purpose: AICallPurpose.optional(),
      }),
      data: AIUsageSummaryDto,
    }),
    timeseries: op.get('/timeseries', {
      doc: 'Calls, tokens, cost and latency over buckets of time.',
      needs: 'AiRouterRead',
      query: fields({
        ...window,
        bucket: TimeBucket.default('Day'),
        groupBy: AIUsageGroupBy.default('None'),
        ...what,
        routeId: int64.optional(),
        ...who,
        orgUnitId: int64.optional(),
        purpose: AICallPurpose.optional(),
      }),
      data: AIUsageTimeseriesDto,
    }),
    calls: op.get('/calls', {
      doc: 'Page through recorded model calls, newest first.',
      needs: 'AiRouterRead',
      query: listQuery(['createdAtUtc', 'costUsd', 'latencyMs', 'id'], {
        ...window,
        ...what,
        routeId: int64.optional(),
        identityId: int64.optional(),
        runId: int64.optional(),
        chatSessionId: int64.optional(),
        purpose: AICallPurpose.optional(),
        status: AICallStatus.optional(),
        minCostUsd: double.min(0).optional(),
      }),
      data: page(AICallDto),
    }),
    call: op.get('/calls/{id}', {
      doc: 'One call with every attempt, fallback and routing decision.',
      needs: 'AiRouterRead',
      data: AICallDetailDto,
    }),
    export: op.get('/export', {
      doc: 'Download recorded calls as CSV.',
      needs: 'AiRouterRead',
      reply: 'file',
      mediaType: 'text/csv',
      query: fields({ ...window, ...what, ...who }),
      data: string,
    }),
  },
);
