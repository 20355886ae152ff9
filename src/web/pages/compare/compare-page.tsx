// Two runs beside each other: how they came out, where they part, and how their files differ.
import '../../styles/compare.css';
import { useState } from 'react';
import type { KnownEvent } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatDuration, formatNumber, formatShort, plural, t } from '../../base/i18n.ts';
import { go, useLocation } from '../../base/router.ts';
import { EditsMade } from '../../compare/edits-made.tsx';
import { type History, loadHistory } from '../../compare/history.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { activeMs, costOf } from '../../state/run-figures.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { FileDiffs } from './file-diffs.tsx';
import { StepRows } from './step-rows.tsx';

/** An id as an address or a form has it; null where it is none. */
const idOf = (text: string | null) => (/^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : null);

export function ComparePage() {
  const { query } = useLocation();
  const [left, right] = [idOf(query.get('a')), idOf(query.get('b'))];
  return (
    <div className="page stack">
      <div className="page-head">
        <h1>{t('Compare runs')}</h1>
      </div>
      <Choice key={`choice ${left} ${right}`} left={left} right={right} />
      {left === null || right === null ? (
        <Empty title={t('Two runs are needed')}>
          {t('Enter the numbers of two runs, or select two in the list of runs and press Compare.')}
        </Empty>
      ) : (
        <Both key={`both ${left} ${right}`} ids={[left, right]} />
      )}
    </div>
  );
}

function Choice({ left, right }: { left: number | null; right: number | null }) {
  const [a, setA] = useState(String(left ?? ''));
  const [b, setB] = useState(String(right ?? ''));
  const isReady = idOf(a) !== null && idOf(b) !== null;
  return (
    <form
      className="compare-choice"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) go('/runs/compare', { a, b });
      }}
    >
      <TextField label={t('First run')} type="number" value={a} onChange={setA} required />
      <TextField label={t('Second run')} type="number" value={b} onChange={setB} required />
      <Button type="submit" disabled={!isReady}>
        {t('Compare')}
      </Button>
    </form>
  );
}

/** News after which both are read again. */
const telling = new Set(['run.status', 'run.updated', 'run.completed', 'run.failed', 'run.ended']);

function Both({ ids }: { ids: readonly [number, number] }) {
  const both = useResource(`compare ${ids.join(' ')}`, (signal) =>
    Promise.all([loadHistory(ids[0], signal), loadHistory(ids[1], signal)]),
  );
  const columns = useColumns();
  const tells = ({ type, data }: KnownEvent) => telling.has(type) && ids.includes((data as { id: number }).id);
  useReloadOn(useNews('runs', tells), both.reload);
  return (
    <Loaded resource={both}>
      {([left, right]) => (
        <>
          <Relation left={left} right={right} />
          <Table rows={[left, right]} keyOf={({ run }) => run.id} columns={columns} className="compare-figures" />
          <StepRows left={left} right={right} />
          <FileDiffs left={left.run} right={right.run} />
        </>
      )}
    </Loaded>
  );
}

function Relation({ left, right }: { left: History; right: History }) {
  const forks = [
    [left, right],
    [right, left],
  ] as const;
  const fork = forks.find(([one, other]) => one.forkedFrom === other.run.id);
  const source = left.forkedFrom;
  return (
    <>
      {fork && (
        <p className="muted">
          {t('Run #{fork} was forked from run #{source}; what it has taken over counts as its own steps.', {
            fork: fork[0].run.id,
            source: fork[1].run.id,
          })}
        </p>
      )}
      {[left, right].map(
        ({ run, edits }) =>
          edits && (
            <div key={run.id} className="stack tight">
              <span className="small muted">{t('Run #{id}', { id: run.id })}</span>
              <EditsMade edits={edits} />
            </div>
          ),
      )}
      {!fork && source !== null && source === right.forkedFrom && (
        <p className="muted">{t('Both were forked from run #{source}.', { source })}</p>
      )}
      {(left.isCut || right.isCut) && (
        <div className="banner" data-tone="warn">
          {t('A run has more events than are compared; what lies behind the first {n} is left out.', {
            n: formatNumber(20_000),
          })}
        </div>
      )}
    </>
  );
}

function useColumns(): Column<History>[] {
  useFreeModels();
  const now = useNow();
  const tokens = ({ run }: History) => run.totalTokensWithChildren || run.tokensUsed;
  return [
    {
      head: t('Run'),
      cell: ({ run }) => (
        <a href={`#/runs/${run.id}`}>
          #{run.id} {run.goal.split('\n')[0]?.slice(0, 120)}
        </a>
      ),
    },
    { head: t('Status'), cell: ({ run }) => <RunStatus status={run.status} /> },
    { head: t('Model'), cell: ({ run }) => run.modelId ?? t('default model') },
    { head: t('Turns'), num: true, cell: ({ run }) => formatNumber(run.iterationsUsed) },
    { head: t('Tokens'), num: true, cell: (one) => formatShort(tokens(one)) },
    {
      head: t('Cost'),
      num: true,
      cell: (one) => costOf(one.run.totalCostWithChildren || one.run.costUsd, tokens(one), one.run.modelId),
    },
    { head: t('Time'), num: true, cell: ({ run }) => formatDuration(activeMs(run, now)) },
    { head: t('Children'), num: true, cell: ({ run }) => plural(run.childRunCount, '{n}', '{n}') },
    { head: t('Result'), className: 'compare-result', cell: ({ result }) => result ?? '–' },
  ];
}
