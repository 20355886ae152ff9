// What the analytics of runs answer.
import { z } from 'zod';
import { dateTime, double, dto, int32, int64, string } from '../../../contract/types.ts';

const counts = {
  totalRuns: int32,
  completedRuns: int32,
  failedRuns: int32,
  successRate: double,
};

export const AgentAnalytics = dto('AgentAnalytics', {
  modelId: string.nullable(),
  role: string.nullable(),
  ...counts,
  avgIterations: double,
  avgTokensUsed: double,
  totalCostUsd: double,
  avgDurationMs: double,
  avgFeedbackScore: double,
});
export type AgentAnalytics = z.output<typeof AgentAnalytics>;

export const AgentAnalyticsMatrixRow = dto('AgentAnalyticsMatrixRow', {
  ...AgentAnalytics.shape,
  avgCostUsd: double,
  avgFeedbackScore: double.nullable(),
});
export type AgentAnalyticsMatrixRow = z.output<typeof AgentAnalyticsMatrixRow>;

export const AgentAnalyticsSeriesPoint = dto('AgentAnalyticsSeriesPoint', {
  bucketStartUtc: dateTime,
  series: string.nullable(),
  ...counts,
  tokensUsed: int64,
  costUsd: double,
  avgDurationMs: double,
  avgFeedbackScore: double.nullable(),
});
export type AgentAnalyticsSeriesPoint = z.output<typeof AgentAnalyticsSeriesPoint>;

export const AgentAnalyticsTimeseries = dto('AgentAnalyticsTimeseries', { points: z.array(AgentAnalyticsSeriesPoint) });
export type AgentAnalyticsTimeseries = z.output<typeof AgentAnalyticsTimeseries>;
