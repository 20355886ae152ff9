// What the cases of an experiment come to, candidate by candidate.
import type { ExperimentResultDto, ExperimentScorer, ExperimentScoreSummaryDto } from './dto.ts';
import type { CaseDoc, ExperimentDoc } from './record.ts';
import { isRate } from './scorers.ts';
import { meanOf, studentInterval, wilson } from './statistics.ts';

export type Counted = Pick<CaseDoc, 'candidate' | 'status' | 'costUsd' | 'durationMs' | 'scores'>;

export const hasEnded = ({ status }: Pick<CaseDoc, 'status'>): boolean => status === 'Done' || status === 'Failed';

export function resultsOf(
  { candidates, scorers }: Pick<ExperimentDoc, 'candidates' | 'scorers'>,
  cases: readonly Counted[],
): ExperimentResultDto[] {
  return candidates.map(({ name, modelId, role }) => {
    const own = cases.filter(({ candidate }) => candidate === name);
    const ended = own.filter(hasEnded);
    const times = own.flatMap(({ status, durationMs }) =>
      status === 'Done' && durationMs !== null ? [durationMs] : [],
    );
    return {
      candidate: name,
      modelId: modelId ?? null,
      role: role ?? null,
      cases: own.length,
      done: own.filter(({ status }) => status === 'Done').length,
      failed: own.filter(({ status }) => status === 'Failed').length,
      costUsd: own.reduce((sum, { costUsd }) => sum + costUsd, 0),
      meanCostUsd: meanOf(ended.map(({ costUsd }) => costUsd)),
      meanMs: meanOf(times),
      scores: scorers.map((scorer) => summaryOf(scorer, ended)),
    };
  });
}

function summaryOf(scorer: ExperimentScorer, cases: readonly Counted[]): ExperimentScoreSummaryDto {
  const values = cases.flatMap(({ scores }) =>
    scores.filter((one) => one.scorer === scorer.name).map(({ value }) => value),
  );
  const isOfRate = isRate(scorer);
  const passed = values.filter((value) => value === 1).length;
  const interval = values.length === 0 ? null : isOfRate ? wilson(passed, values.length) : studentInterval(values);
  return {
    scorer: scorer.name,
    count: values.length,
    mean: meanOf(values),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    method: isOfRate ? 'Wilson' : 'Student',
  };
}
