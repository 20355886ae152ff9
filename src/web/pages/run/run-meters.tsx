// What the run has used of what it may use.
import { useNow } from '../../base/clock.ts';
import { formatDuration, formatNumber, t } from '../../base/i18n.ts';
import { hasEnded } from '../../state/runs.ts';
import type { RunView } from '../../state/tree.ts';
import { Meter } from '../../ui/meter.tsx';

export function RunMeters({ view }: { view: RunView }) {
  const now = useNow();
  const run = view.run;
  if (!run) return null;
  const now_ = hasEnded(run) ? run : { ...run, ...view.budget };
  const end = run.completedAtUtc && hasEnded(run) ? Date.parse(run.completedAtUtc) : now;
  const elapsed = run.startedAtUtc ? end - Date.parse(run.startedAtUtc) : 0;
  return (
    <section className="card" aria-label={t('Budgets')}>
      <div className="card-head">
        <h3>{t('Budgets')}</h3>
      </div>
      <div className="card-body stack">
        <Meter
          label={t('Turns')}
          used={now_.iterationsUsed}
          limit={run.maxIterations}
          format={formatNumber}
          tip={t('Model calls of this run')}
        />
        <Meter
          label={t('Tokens')}
          used={now_.tokensUsed}
          limit={run.maxTokens}
          tip={t('Prompt and answer tokens of this run')}
        />
        <Meter
          label={t('Context')}
          used={now_.contextUsedTokens}
          limit={run.contextBudgetTokens}
          tip={t('What the model sees now; compacted at 75 %')}
        />
        <Meter label={t('Time')} used={elapsed} limit={run.maxWallClockMs} format={formatDuration} />
        {now_.poolTokenBudget > 0 && (
          <Meter
            label={t('Pool tokens')}
            used={now_.poolTokensUsed}
            limit={now_.poolTokenBudget}
            tip={t('Shared by the whole tree')}
          />
        )}
        {now_.poolIterationBudget > 0 && (
          <Meter
            label={t('Pool turns')}
            used={now_.poolIterationsUsed}
            limit={now_.poolIterationBudget}
            format={formatNumber}
            tip={t('Shared by the whole tree')}
          />
        )}
      </div>
    </section>
  );
}
