// Analytics of runs: how often they reach their goal, what that takes and costs, and what people think of it.
import { z } from 'zod';
import { AnalyticsGroupBy, TimeBucket } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { dateTime, fields, int32, int64, string } from '../../../contract/types.ts';
import { AgentAnalytics, AgentAnalyticsMatrixRow, AgentAnalyticsTimeseries } from './dto.ts';

const name = string.max(200).optional();
const range = { fromUtc: dateTime.optional(), toUtc: dateTime.optional() };
const owner = { identityId: int64.optional(), projectId: int64.optional() };

export const agentAnalytics = group(
  'Agent',
  { id: 'AgentAnalytics', base: '/api/agent/analytics', doc: 'Figures about runs, by when they were created.' },
  {
    totals: op.get('', {
      doc: 'Figures over all runs that match. successRate is the share of completed runs among completed, failed and timed-out ones; durations leave out paused time; feedback is scored from 1 to 5, 0 when there is none.',
      needs: 'RunsRead',
      query: fields({ ...range, modelId: name, role: name, ...owner }),
      data: AgentAnalytics,
    }),
    matrix: op.get('/matrix', {
      doc: 'The same figures for every model and role that ran together, the busiest first.',
      needs: 'RunsRead',
      query: fields({ ...range, ...owner, minRuns: int32.min(1).optional() }),
      data: z.array(AgentAnalyticsMatrixRow),
    }),
    timeseries: op.get('/timeseries', {
      doc: 'Figures by UTC time bucket (weeks begin on Monday), one series for each value of groupBy; buckets without runs are left out. The range ends now and spans 60 minutes, 48 hours, 30 days, 26 weeks or 12 months unless it is given.',
      needs: 'RunsRead',
      query: fields({
        ...range,
        bucket: TimeBucket.default('Day'),
        groupBy: AnalyticsGroupBy.default('None'),
        modelId: name,
        role: name,
        ...owner,
      }),
      data: AgentAnalyticsTimeseries,
    }),
  },
);
