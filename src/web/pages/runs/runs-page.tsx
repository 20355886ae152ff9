// The list of runs: live, filtered by the URL, each with what it is doing or what came of it.
import { useState } from 'react';
import { plural, t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { mayRunDemo } from '../../state/demo.ts';
import { type RunFilter, useRuns } from '../../state/runs.ts';
import { Button } from '../../ui/button.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { BulkBar } from './bulk.tsx';
import { DemoHint, runDemo } from './demo-hint.tsx';
import { Filters } from './filters.tsx';
import { NewRunDialog } from './new-run-dialog.tsx';
import { filterOf } from './run-filter.ts';
import { RunTable } from './run-table.tsx';

const isFiltered = ({ q, status, role, modelId, identityId, from, to }: RunFilter) =>
  status.length > 0 || [q, role, modelId, identityId, from, to].some(Boolean);

const none: ReadonlySet<number> = new Set();

export function RunsPage() {
  const { query } = useLocation();
  const filter = filterOf(query);
  const runs = useRuns(filter);
  const [active, setActive] = useState(-1);
  const [chosen, setChosen] = useState(none);
  const items = runs.data?.items ?? [];
  const move = (step: number) => setActive((index) => Math.min(items.length - 1, Math.max(0, index + step)));
  const opened = items[active];
  useShortcuts([
    { keys: 'j', label: t('Next run'), run: () => move(1) },
    { keys: 'k', label: t('Previous run'), run: () => move(-1) },
    { keys: 'Enter', label: t('Open the run'), run: () => opened && go(`/runs/${opened.id}`) },
    { keys: 'n', label: t('New run'), run: () => patchQuery({ new: 1 }) },
  ]);
  const filtered = isFiltered(filter);
  const selected = items.filter(({ id }) => chosen.has(id));
  const done = () => {
    setChosen(none);
    runs.reload();
  };
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Runs')}</h1>
        {may('RunsWrite') && (
          <Button kind="primary" icon="plus" onClick={() => patchQuery({ new: 1 })}>
            {t('New run')}
          </Button>
        )}
      </div>
      <DemoHint />
      <Filters
        filter={filter}
        show={query.get('show') ?? ''}
        total={runs.data && plural(runs.data.totalCount, '{n} run', '{n} runs')}
      />
      {selected.length > 0 && <BulkBar runs={selected} onDone={done} />}
      {runs.data === null && runs.error && <Failure error={runs.error} retry={runs.reload} />}
      {runs.data === null && !runs.error && <Skeleton rows={10} height={30} />}
      {runs.data && items.length === 0 && <NoRuns filtered={filtered} />}
      {items.length > 0 && <RunTable items={items} active={active} chosen={chosen} onChoose={setChosen} />}
      {runs.data && (
        <Pages
          page={filter.page}
          pages={runs.data.hasTotal ? runs.data.totalPages : null}
          hasNext={runs.data.hasNextPage}
          onGo={(page) => patchQuery({ page: page === 1 ? null : page })}
        />
      )}
      {query.get('new') && <NewRunDialog onClose={() => patchQuery({ new: null })} />}
    </div>
  );
}

function NoRuns({ filtered }: { filtered: boolean }) {
  return (
    <Empty
      title={filtered ? t('No run matches') : t('No runs yet')}
      action={filtered ? <Button onClick={() => go('/runs')}>{t('Clear filters')}</Button> : <NextStep />}
    >
      {filtered
        ? t('Try fewer words, or another status.')
        : t('A run is an agent at work on a goal. Everything it does appears here as it happens.')}
    </Empty>
  );
}

/** With a model, a run; without one, the demo. */
function NextStep() {
  if (mayRunDemo())
    return (
      <Button kind="primary" icon="play" onClick={runDemo}>
        {t('Run the demo')}
      </Button>
    );
  return may('RunsWrite') ? (
    <Button kind="primary" icon="plus" onClick={() => patchQuery({ new: 1 })}>
      {t('Start a run')}
    </Button>
  ) : null;
}
