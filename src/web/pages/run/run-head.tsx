// Which run it is, how it stands, what it has cost, and what can be done with it.
import { useNow } from '../../base/clock.ts';
import { formatDuration, formatShort, t } from '../../base/i18n.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { activeMs, costOf, failureOf } from '../../state/run-figures.ts';
import type { RunView, Tree } from '../../state/tree.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/code.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { RunActions } from './run-actions.tsx';

interface Props {
  view: RunView;
  tree: Tree;
  /** Begins a replay; null where the page shows one, which no action applies to. */
  onReplay: (() => void) | null;
}

export function RunHead({ view, tree, onReplay }: Props) {
  useFreeModels();
  const now = useNow();
  const run = view.run;
  if (!run) return null;
  const failure = failureOf(run);
  const tokens = run.totalTokensWithChildren || run.tokensUsed;
  const cost = view.budget?.totalCostWithChildren ?? run.totalCostWithChildren ?? run.costUsd;
  return (
    <header className="run-head">
      <RunStatus status={run.status} />
      <div className="grow stack tight">
        <h1 className="run-goal" title={run.goal}>
          {run.goal.split('\n')[0]}
        </h1>
        <div className="row wrap small muted run-facts">
          <Copyable text={String(run.id)}>#{run.id}</Copyable>
          <span>{run.role}</span>
          {run.modelId && <Copyable text={run.modelId} />}
          {run.modelId?.startsWith('scripted:') && <span className="tag">{t('scripted, not a real model')}</span>}
          {run.importedAtUtc && <span className="tag">{t('imported, to be read only')}</span>}
        </div>
      </div>
      <dl className="run-figures num">
        <div title={t('Cost of the whole tree')}>
          <dt>{t('Cost')}</dt>
          <dd>{costOf(cost, tokens, run.modelId)}</dd>
        </div>
        <div title={t('Tokens of the whole tree')}>
          <dt>{t('Tokens')}</dt>
          <dd>{formatShort(tokens)}</dd>
        </div>
        <div title={t('Elapsed time, without pauses')}>
          <dt>{t('Time')}</dt>
          <dd>{formatDuration(activeMs(run, now))}</dd>
        </div>
      </dl>
      {onReplay && (
        <>
          <Button icon="runs" onClick={onReplay} disabled={view.log.length === 0}>
            {t('Replay')}
          </Button>
          <RunActions run={run} tree={tree} />
        </>
      )}
      {failure && (
        <div className="banner run-failure" data-tone="bad" role="alert">
          <span className="grow">{failure.message}</span>
          {failure.code && <code className="small">{failure.code}</code>}
        </div>
      )}
    </header>
  );
}
