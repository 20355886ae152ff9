// Datasets of inputs: written by hand, or collected from runs and chats.
import { useState } from 'react';
import type { EvaluationDatasetListDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { CollectDialog } from './collect-dialog.tsx';
import { DatasetDialog } from './dataset-dialog.tsx';

type Asked = { for: 'new' } | { for: 'change' | 'collect'; id: number };

export function Datasets() {
  const { query } = useLocation();
  const now = useNow();
  const page = pageIn(query);
  const list = useKept(
    useResource(`evaluation datasets ${page}`, () => client.evaluationDatasets.list({ query: { page, pageSize: 50 } })),
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const columns = [
    {
      head: t('Dataset'),
      cell: ({ id, name }: EvaluationDatasetListDto) => (
        <button type="button" className="link" onClick={() => setAsked({ for: 'change', id })}>
          {name}
        </button>
      ),
    },
    { head: t('Inputs'), num: true, cell: ({ itemCount }: EvaluationDatasetListDto) => itemCount },
    { head: t('Changed'), cell: ({ updatedAtUtc }: EvaluationDatasetListDto) => formatAgo(updatedAtUtc, now) },
    {
      head: '',
      cell: ({ id }: EvaluationDatasetListDto) =>
        may('RunsWrite') && (
          <Button size="small" onClick={() => setAsked({ for: 'collect', id })}>
            {t('Collect')}
          </Button>
        ),
    },
  ];
  const close = () => setAsked(null);
  return (
    <>
      {may('RunsWrite') && (
        <div>
          <Button kind="primary" icon="plus" onClick={() => setAsked({ for: 'new' })}>
            {t('New dataset')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={t('No datasets yet')}>
              {t('Write inputs with the answers that you expect, or collect them from past runs and chats.')}
            </Empty>
          ) : (
            <>
              <Table columns={columns} rows={found.items} keyOf={({ id }) => id} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {asked?.for === 'new' && <DatasetDialog id={null} onClose={close} onDone={list.reload} />}
      {asked?.for === 'change' && <DatasetDialog id={asked.id} onClose={close} onDone={list.reload} />}
      {asked?.for === 'collect' && <CollectDialog id={asked.id} onClose={close} onDone={list.reload} />}
    </>
  );
}
