// What there is to know of a run while no step is selected: its goal, where it stands, and what is left of its budgets.
import { useState } from 'react';
import { useNow } from '../../base/clock.ts';
import { formatCost, formatDuration, formatNumber, formatShort, t } from '../../base/i18n.ts';
import { href } from '../../base/router.ts';
import { EditsMade } from '../../compare/edits-made.tsx';
import { originOf } from '../../compare/source.ts';
import { activeMs } from '../../state/run-figures.ts';
import { hasEnded } from '../../state/runs.ts';
import type { RunView } from '../../state/tree.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Breakpoints } from './breakpoints.tsx';

interface Budget {
  label: string;
  used: number;
  limit: number;
  format: (value: number) => string;
  tip: string;
}

function budgetsOf(view: RunView, now: number): Budget[] {
  const { run } = view;
  if (!run) return [];
  const known = hasEnded(run) ? run : { ...run, ...view.budget };
  const all: Budget[] = [
    {
      label: t('Turns'),
      used: known.iterationsUsed,
      limit: run.maxIterations,
      format: formatNumber,
      tip: t('Model calls of this run'),
    },
    {
      label: t('Tokens'),
      used: known.tokensUsed,
      limit: run.maxTokens,
      format: formatShort,
      tip: t('Prompt and completion tokens of this run'),
    },
    {
      label: t('Context'),
      used: known.contextUsedTokens,
      limit: run.contextBudgetTokens,
      format: formatShort,
      tip: t('Context window in use; compacted at 75 %'),
    },
    {
      label: t('Time'),
      used: activeMs(run, now),
      limit: run.maxWallClockMs,
      format: formatDuration,
      tip: t('Elapsed time, without pauses'),
    },
    {
      label: t('Pool tokens'),
      used: known.poolTokensUsed,
      limit: known.poolTokenBudget,
      format: formatShort,
      tip: t('Shared by the whole tree'),
    },
    {
      label: t('Pool cost'),
      used: run.parentRunId === null ? known.totalCostWithChildren : run.poolCostUsedUsd,
      limit: run.poolCostBudgetUsd ?? 0,
      format: formatCost,
      tip: t('Shared by the whole tree'),
    },
    {
      label: t('Pool turns'),
      used: known.poolIterationsUsed,
      limit: known.poolIterationBudget,
      format: formatNumber,
      tip: t('Shared by the whole tree'),
    },
  ];
  return all.filter(({ limit }) => limit > 0).sort((a, b) => b.used / b.limit - a.used / a.limit);
}

/** The tightest budgets are always in sight, the others on demand. */
const always = 2;

function Budgets({ view }: { view: RunView }) {
  const now = useNow();
  const [all, setAll] = useState(false);
  const budgets = budgetsOf(view, now);
  return (
    <section className="stack" aria-label={t('Budgets')}>
      <div className="row spread">
        <h2>{t('Budgets')}</h2>
        {budgets.length > always && (
          <button type="button" className="link small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t('Show fewer') : t('Show all {n}', { n: budgets.length })}
          </button>
        )}
      </div>
      {budgets.slice(0, all ? undefined : always).map((one) => (
        <Meter key={one.label} {...one} />
      ))}
    </section>
  );
}

/** Where a fork comes from, and how its state was edited. */
function ForkedFrom({ view }: { view: RunView }) {
  const lines = view.timeline.entries.slice(0, 8).flatMap((one) => (one.kind === 'line' ? [one.event] : []));
  const origin = originOf(lines);
  if (!origin) return null;
  const { runId, turn, edits } = origin;
  return (
    <section className="stack tight">
      <h2>{t('Origin')}</h2>
      <p>
        <a href={href(`/runs/${runId}`)}>{t('Run #{id}', { id: runId })}</a>
        {turn !== null && ` · ${t('Turn {n}', { n: turn })}`}
        {' · '}
        <a href={href('/runs/compare', { a: runId, b: view.id })}>{t('Compare')}</a>
      </p>
      {edits && <EditsMade edits={edits} />}
    </section>
  );
}

export function RunOverview({ view }: { view: RunView }) {
  const { run } = view;
  if (!run) return null;
  return (
    <div className="overview">
      <section className="stack tight">
        <h2>{t('Goal')}</h2>
        <div className="reading goal-text">{run.goal}</div>
      </section>
      <ForkedFrom view={view} />
      {run.progressSummary && (
        <section className="stack tight">
          <h2>{hasEnded(run) ? t('Result') : t('Progress')}</h2>
          <div className="reading">
            <Markdown text={run.progressSummary} />
          </div>
        </section>
      )}
      <Budgets view={view} />
      <Breakpoints run={run} />
      <p className="muted small">{t('Select a step of the river or the timeline to see it here.')}</p>
    </div>
  );
}
