// The experiments, newest first, with how far each is and what it has cost.
import { useState } from 'react';
import type { ExperimentListDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatCost, t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { ExperimentDialog } from './experiment-dialog.tsx';

export function Experiments() {
  const { query } = useLocation();
  const now = useNow();
  const page = pageIn(query);
  const list = useKept(
    useResource(`experiments ${page}`, () => client.experiments.list({ query: { page, pageSize: 50 } })),
  );
  useEvery(list.reload);
  const [adding, setAdding] = useState(false);
  const columns = [
    {
      head: t('Experiment'),
      cell: (one: ExperimentListDto) => <a href={`#/evaluation/experiments/${one.id}`}>{one.name}</a>,
    },
    { head: t('Status'), cell: ({ status }: ExperimentListDto) => <State name={status} /> },
    {
      head: t('Candidates'),
      cell: ({ candidates }: ExperimentListDto) => candidates.map(({ name }) => name).join(', '),
    },
    {
      head: t('Cases'),
      num: true,
      cell: ({ endedCount, caseCount }: ExperimentListDto) => `${endedCount} / ${caseCount}`,
    },
    {
      head: t('Cost'),
      num: true,
      cell: ({ costUsd, maxCostUsd }: ExperimentListDto) => `${formatCost(costUsd)} / ${formatCost(maxCostUsd)}`,
    },
    { head: t('Created'), cell: ({ createdAtUtc }: ExperimentListDto) => formatAgo(createdAtUtc, now) },
  ];
  return (
    <>
      {may('RunsWrite') && (
        <div>
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            {t('New experiment')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={t('No experiments yet')}>
              {t('Make a dataset of inputs, then try models or roles on it: a run for each case, scored and compared.')}
            </Empty>
          ) : (
            <>
              <Table columns={columns} rows={found.items} keyOf={({ id }) => id} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {adding && <ExperimentDialog onClose={() => setAdding(false)} />}
    </>
  );
}
