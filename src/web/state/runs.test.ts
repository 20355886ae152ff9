import { afterAll, describe, expect, it, vi } from 'vitest';
import type { AgentRunDto } from '../../client/index.ts';

vi.stubGlobal('window', { addEventListener: () => {}, location: { hash: '' } });
vi.stubGlobal('document', { addEventListener: () => {} });
vi.stubGlobal('localStorage', { getItem: () => null });
afterAll(() => vi.unstubAllGlobals());
const { withRun } = await import('./runs.ts');

const run = (id: number, status: AgentRunDto['status'] = 'Running', more: Partial<AgentRunDto> = {}) =>
  ({
    id,
    status,
    goal: 'Count the fish',
    parentRunId: null,
    role: 'worker',
    modelId: null,
    createdAtUtc: `2026-01-0${id}`,
    ...more,
  }) as AgentRunDto;
const page = (...items: AgentRunDto[]) => ({
  items,
  totalCount: items.length,
  page: 1,
  pageSize: 50,
  hasTotal: true,
  moreAvailable: false,
  totalPages: 1,
  hasNextPage: false,
  hasPreviousPage: false,
});
const all = {
  q: '',
  status: [],
  role: '',
  modelId: '',
  identityId: '',
  from: '',
  to: '',
  minCost: '',
  rootsOnly: false,
  sort: '-createdAtUtc',
  page: 1,
};

describe('the list of runs', () => {
  it('replaces a run that it shows', () => {
    expect(withRun(page(run(2), run(1)), run(1, 'Completed'), all).items).toMatchObject([
      { id: 2 },
      { id: 1, status: 'Completed' },
    ]);
  });
  it('puts a new run first, on the first page only', () => {
    expect(withRun(page(run(1)), run(2), all)).toMatchObject({ totalCount: 2, items: [{ id: 2 }, { id: 1 }] });
    expect(withRun(page(run(1)), run(2), { ...all, page: 2 }).items).toHaveLength(1);
  });
  it('leaves an old run that is not on this page alone', () => {
    expect(withRun(page(run(3)), run(1), all).items).toMatchObject([{ id: 3 }]);
  });
  it('drops a run that no longer matches the filter', () => {
    expect(withRun(page(run(1)), run(1, 'Completed'), { ...all, status: ['Running'] })).toMatchObject({
      totalCount: 0,
      items: [],
    });
    expect(withRun(page(), run(2), { ...all, q: 'FISH' }).items).toHaveLength(1);
    expect(withRun(page(), run(2), { ...all, q: 'bird' }).items).toHaveLength(0);
    const dear = run(2, 'Running', { costUsd: 2 });
    expect(withRun(page(), dear, { ...all, minCost: '2' }).items).toHaveLength(1);
    expect(withRun(page(), dear, { ...all, minCost: '2.5' }).items).toHaveLength(0);
    expect(withRun(page(), run(2, 'Running', { parentRunId: 1 }), { ...all, rootsOnly: true }).items).toHaveLength(0);
  });
});
