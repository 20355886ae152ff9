// Which runs are listed, as the URL says.
import type { AgentRunStatus } from '../../../client/index.ts';
import type { RunFilter } from '../../state/runs.ts';

const groups: Record<string, AgentRunStatus[]> = {
  active: ['Pending', 'Queued', 'Running', 'WaitingForChildren', 'WaitingForDecision', 'Paused', 'BudgetExhausted'],
  waiting: ['WaitingForDecision', 'Paused', 'BudgetExhausted'],
  completed: ['Completed'],
  failed: ['Failed', 'TimedOut'],
  cancelled: ['Cancelled'],
};

const day = /^\d{4}-\d\d-\d\d$/;
const dayOf = (text: string | null) => (text && day.test(text) ? text : '');

const costOf = (text: string | null) => (text && Number(text) >= 0 ? text : '');

export function filterOf(query: URLSearchParams): RunFilter {
  return {
    q: query.get('q') ?? '',
    status: groups[query.get('show') ?? ''] ?? [],
    role: query.get('role') ?? '',
    modelId: query.get('model') ?? '',
    identityId: query.get('identity') ?? '',
    from: dayOf(query.get('from')),
    to: dayOf(query.get('to')),
    minCost: costOf(query.get('minCost')),
    rootsOnly: query.get('children') !== '1',
    sort: query.get('sort') ?? '-createdAtUtc',
    page: Number(query.get('page')) || 1,
  };
}
