// Knowledge goals: what agents should find out, how much is known of each, and which is researched next.
import '../../styles/people.css';
import { useState } from 'react';
import type { KnowledgeGoalDto, KnowledgeGoalStatus } from '../../../client/index.ts';
import { allOr, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { GoalDialog } from './goal-dialog.tsx';
import { GoalSteps } from './goal-steps.tsx';
import { GoalTable } from './goal-table.tsx';

const pageSize = 50;
const statuses: KnowledgeGoalStatus[] = ['Active', 'Researching', 'Paused', 'Learned', 'Abandoned'];

export function GoalsPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const status = statuses.find((one) => one === query.get('status'));
  const page = pageIn(query);
  const list = useKept(
    useResource(`goals ${q} ${status} ${page}`, () =>
      client.knowledgeGoals.list({ query: { pageSize, page, ...(q ? { q } : {}), ...(status ? { status } : {}) } }),
    ),
  );
  // There is a next one only while one is active; which one it is may change with any of them.
  const active = list.data?.items.filter((goal) => goal.status === 'Active') ?? [];
  const news = active.map(({ id, updatedAtUtc }) => `${id} ${updatedAtUtc}`).join();
  const next = useKept(useResource(news ? `next goal ${news}` : null, () => client.knowledgeGoals.next()));
  const [open, setOpen] = useState<KnowledgeGoalDto | 'new' | null>(null);
  const [explained, setExplained] = useState<number | null>(null);
  // Goals that are everybody's are told to nobody.
  useEvery(list.reload);
  const nextId = news ? (next.data?.id ?? null) : null;
  const shown = list.data?.items.find(({ id }) => id === explained);
  const isNarrowed = q !== '' || status !== undefined;
  const stateOne = (
    <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
      {t('New goal')}
    </Button>
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Knowledge goals')}</h1>
        {may('KnowledgeWrite') && stateOne}
      </div>
      <div className="filters">
        <SearchField label={t('Search goals')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('Status')} name="status" chosen={status ?? ''} options={allOr(statuses)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No goal matches') : t('No knowledge goals yet')}>
              {isNarrowed
                ? t('Choose another status, or search for other words.')
                : t('Add what agents should find out: runs receive it, and it is researched by priority.')}
            </Empty>
          ) : (
            <>
              <GoalTable goals={found.items} nextId={nextId} onOpen={setOpen} onSteps={({ id }) => setExplained(id)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {shown && <GoalSteps goal={shown} isNext={shown.id === nextId} onClose={() => setExplained(null)} />}
      {open && (
        <GoalDialog {...(open === 'new' ? {} : { goal: open })} onClose={() => setOpen(null)} onDone={list.reload} />
      )}
    </div>
  );
}
