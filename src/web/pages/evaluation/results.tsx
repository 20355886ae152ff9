// The results of an experiment: a row for each candidate, each mean with its 95 % interval, and the way into a route.
import { useState } from 'react';
import type { ExperimentDto, ExperimentResultDto, ExperimentScoreSummaryDto } from '../../../client/index.ts';
import { formatCost, formatDuration, formatPercent, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Chip } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';

/** The one that leads by the first scorer, and whether its interval lies wholly above those of the others. */
export function leaderOf(results: readonly ExperimentResultDto[]): { candidate: string; isSure: boolean } | null {
  const ranked = results.flatMap(({ candidate, scores: [first] }) =>
    first?.mean == null ? [] : [{ candidate, ...first }],
  );
  ranked.sort((a, b) => (b.mean ?? 0) - (a.mean ?? 0));
  const [best, ...rest] = ranked;
  if (!best || rest.length === 0 || rest[0]?.mean === best.mean) return null;
  const { candidate, low } = best;
  return { candidate, isSure: low !== null && rest.every(({ high }) => high !== null && high < low) };
}

export function Results({ experiment }: { experiment: ExperimentDto }) {
  const { results, scorers } = experiment;
  const [using, setUsing] = useState<string | null>(null);
  const leader = leaderOf(results);
  const columns: Column<ExperimentResultDto>[] = [
    {
      head: t('Candidate'),
      cell: ({ candidate }) => (
        <span className="row wrap">
          {candidate}
          {leader?.candidate === candidate && (
            <Chip shape="tick" tone={leader.isSure ? 'good' : 'plain'}>
              {leader.isSure ? t('better') : t('ahead, not surely')}
            </Chip>
          )}
        </span>
      ),
    },
    ...scorers.map(({ name }, index) => ({
      head: name,
      num: true,
      cell: ({ scores }: ExperimentResultDto) => <Score score={scores[index]} />,
    })),
    {
      head: t('Done'),
      num: true,
      cell: ({ done, failed, cases }) =>
        failed > 0 ? t('{done} of {cases}, {failed} failed', { done, cases, failed }) : `${done} / ${cases}`,
    },
    {
      head: t('Cost a case'),
      num: true,
      cell: ({ meanCostUsd }) => (meanCostUsd === null ? '–' : formatCost(meanCostUsd)),
    },
    { head: t('Time a case'), num: true, cell: ({ meanMs }) => (meanMs === null ? '–' : formatDuration(meanMs)) },
    {
      head: '',
      cell: ({ modelId }) =>
        modelId !== null &&
        may('AiRouterWrite') && (
          <Button size="small" onClick={() => setUsing(modelId)}>
            {t('Use in a route')}
          </Button>
        ),
    },
  ];
  return (
    <section className="stack" aria-label={t('Results')}>
      <h2>{t('Results')}</h2>
      <Table columns={columns} rows={results} keyOf={({ candidate }) => candidate} />
      <p className="small muted">
        {t(
          'Intervals of 95 %: Wilson’s for what passes or fails, Student’s for grades. What gave no answer counts as 0.',
        )}
      </p>
      {using !== null && <RouteChoice modelId={using} onClose={() => setUsing(null)} />}
    </section>
  );
}

function Score({ score }: { score: ExperimentScoreSummaryDto | undefined }) {
  if (!score || score.mean === null) return '–';
  const { mean, low, high, count, method } = score;
  return (
    <span title={t('{method}, {count} scores', { method, count })}>
      {formatPercent(mean)}
      {low !== null && high !== null && (
        <span className="faint">
          {' '}
          {formatPercent(low)}–{formatPercent(high)}
        </span>
      )}
    </span>
  );
}

/** Puts the model first among the targets of a route. */
function RouteChoice({ modelId, onClose }: { modelId: string; onClose: () => void }) {
  const routes = useResource('routes to use', () => client.aiRoutes.list({ query: { kind: 'Chat', pageSize: 200 } }));
  const models = useResource('models to use', () => client.aiModels.list({ query: { q: modelId, pageSize: 200 } }));
  const [chosen, setChosen] = useState('');
  const model = models.data?.items.find((one) => one.modelId === modelId);
  const all = routes.data?.items ?? [];
  const route = all.find(({ id }) => String(id) === chosen) ?? all[0];
  const save = async () => {
    if (!route || !model) return;
    const others = route.targets.filter(({ aiModelId }) => aiModelId !== model.id);
    const own = route.targets.find(({ aiModelId }) => aiModelId === model.id);
    const targets = [{ ...own, aiModelId: model.id }, ...others].map((one, at) => ({ ...one, priority: at + 1 }));
    await client.aiRoutes.setTargets({ params: { id: route.id }, body: { targets } });
    say(t('{model} comes first in {route}', { model: modelId, route: route.name }));
  };
  return (
    <FormDialog
      title={t('Use {model} in a route', { model: modelId })}
      action={t('Put it first')}
      ready={route !== undefined && model !== undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {models.data && !model && (
        <p className="muted">{t('The catalogue does not have this model; add it under Models first.')}</p>
      )}
      {routes.data && all.length === 0 && <p className="muted">{t('There is no route yet; make one under Models.')}</p>}
      <SelectField
        label={t('Route')}
        value={String(route?.id ?? '')}
        onChange={setChosen}
        options={all.map(({ id, name }) => [String(id), name] as const)}
      />
    </FormDialog>
  );
}
