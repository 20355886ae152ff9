// Figures of a project's last days, from what is on record.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { CallDoc } from '../../ports/ai-router.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import type { RunStatistics } from '../agent/analytics/statistics.ts';
import type { AgentRunDto } from '../agent/dto.ts';
import { sumBuckets } from '../ai-router/usage/sums.ts';
import type { ProjectSummaryDto } from './dto.ts';
import type { Figures } from './figures.ts';

interface Deps {
  figures: Figures;
  statistics: RunStatistics;
  calls: PerTenant<CallDoc>;
  /** Runs of a project that have not ended, newest first. */
  activeRuns: (tenantId: number, projectId: number) => Promise<RunRecord[]>;
  viewRuns: (runs: RunRecord[]) => Promise<AgentRunDto[]>;
  clock: Clock;
}

const dayMs = 86_400_000;

export type Summaries = (project: ProjectDoc, days: number) => Promise<ProjectSummaryDto>;

export function createSummaries(deps: Deps): Summaries {
  const { figures, statistics, clock } = deps;

  const costs = async ({ tenantId, _id: projectId }: ProjectDoc, days: number) => {
    const to = new Date(clock.now() + 1);
    const today = Math.floor(clock.now() / dayMs) * dayMs;
    const from = new Date(today - (days - 1) * dayMs);
    const points = new Map<number, ReturnType<typeof pointOf>>();
    for (let at = from.getTime(); at <= today; at += dayMs) points.set(at, pointOf(at));
    const sums = sumBuckets(deps.calls(tenantId), { projectId }, { from, to }, { bucket: 'Day', fields: [] });
    for await (const one of sums) {
      const point = points.get(one.at);
      if (!point) continue;
      point.calls += one.calls;
      if (one._id.status !== 'Succeeded') point.failedCalls += one.calls;
      point.promptTokens += one.promptTokens;
      point.completionTokens += one.completionTokens;
      point.costUsd += one.costUsd;
      point.latencyMs += one.latencyMs;
    }
    return [...points.values()].map(({ latencyMs, ...point }) => ({
      ...point,
      avgLatencyMs: point.calls === 0 ? 0 : latencyMs / point.calls,
    }));
  };

  return async (project, days) => {
    const { tenantId, _id: projectId } = project;
    const now = clock.now();
    const [groups, tasks, active, openEscalationCount, memoryCount, routines, [counts], costPoints] = await Promise.all(
      [
        statistics.totals(tenantId, { projectId, from: now - days * dayMs }, ['status']),
        figures.tasks(tenantId, projectId, new Date(now)),
        deps.activeRuns(tenantId, projectId),
        figures.openEscalations(tenantId, projectId),
        figures.memories(tenantId, projectId),
        figures.routines(tenantId, projectId),
        figures.of(tenantId, [projectId]),
        costs(project, days),
      ],
    );
    const sum = (of: (one: (typeof groups)[number]) => number) => groups.reduce((all, one) => all + of(one), 0);
    const decided = sum((one) => one.completed + one.failed);
    return {
      projectId,
      days,
      runsByStatus: Object.fromEntries(groups.map((one) => [one.key.status ?? '', one.runs])),
      ...tasks,
      activeRuns: await deps.viewRuns(active),
      openEscalationCount,
      runCount: sum((one) => one.runs),
      successRate: decided === 0 ? 0 : sum((one) => one.completed) / decided,
      tokensUsed: sum((one) => one.tokens),
      costUsd: sum((one) => one.costUsd),
      costPoints,
      factCount: counts?.factCount ?? 0,
      docCount: counts?.docCount ?? 0,
      memoryCount,
      ...routines,
    };
  };
}

const pointOf = (at: number) => ({
  bucketStartUtc: new Date(at).toISOString(),
  series: null,
  calls: 0,
  failedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  costUsd: 0,
  latencyMs: 0,
  avgTimeToFirstTokenMs: null,
});
