// The cases of an experiment: input, answer and scores; people score here.
import type { ExperimentCaseDto, ExperimentDto } from '../../../client/index.ts';
import { formatPercent, t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  experiment: ExperimentDto;
  onChange: () => void;
}

export function Cases({ experiment, onChange }: Props) {
  const { query } = useLocation();
  const page = pageIn(query);
  const { id } = experiment;
  const list = useKept(
    useResource(`cases of ${id} ${page}`, () =>
      client.experiments.cases({ params: { id }, query: { page, pageSize: 20, sort: 'id' } }),
    ),
  );
  useEvery(list.reload);
  const scored = () => {
    list.reload();
    onChange();
  };
  return (
    <section className="stack" aria-label={t('Cases')}>
      <h2>{t('Cases')}</h2>
      <Loaded resource={list}>
        {(found) => (
          <>
            <ul className="evaluation-cases">
              {found.items.map((one) => (
                <Case key={one.id} of={one} experiment={experiment} onScored={scored} />
              ))}
            </ul>
            <UrlPages page={page} list={found} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Case({
  of,
  experiment,
  onScored,
}: {
  of: ExperimentCaseDto;
  experiment: ExperimentDto;
  onScored: () => void;
}) {
  const { candidate, input, expected, output, error, status, runId, scores } = of;
  const people = experiment.scorers.filter(({ kind }) => kind === 'Person');
  return (
    <li className="evaluation-case stack">
      <div className="row wrap">
        <strong>{candidate}</strong>
        <State name={status} />
        {runId !== null && <a href={`#/runs/${runId}`}>{t('Run {id}', { id: runId })}</a>}
        {scores.map(({ scorer, value, reason, by }) => (
          <span key={scorer} className="tag num" title={[reason, by].filter(Boolean).join(' · ')}>
            {scorer} {formatPercent(value)}
          </span>
        ))}
      </div>
      <p className="evaluation-input">{input}</p>
      {expected !== null && <p className="small muted">{t('Expected: {answer}', { answer: expected })}</p>}
      {output !== null && <Markdown text={output} />}
      {error !== null && <p className="failure small">{error}</p>}
      {status === 'Done' &&
        may('RunsWrite') &&
        people.map(({ name }) => <ScoreButtons key={name} of={of} scorer={name} onScored={onScored} />)}
    </li>
  );
}

const grades = [
  [0, 'Wrong'],
  [0.5, 'Partly'],
  [1, 'Right'],
] as const;

interface ScoreProps {
  of: ExperimentCaseDto;
  scorer: string;
  onScored: () => void;
}

function ScoreButtons({ of: { id, experimentId, scores }, scorer, onScored }: ScoreProps) {
  const { busy, act } = useAction();
  const now = scores.find((one) => one.scorer === scorer)?.value;
  const give = (value: number) =>
    act(() =>
      client.experiments
        .score({ params: { id: experimentId }, body: { scores: [{ caseId: id, scorer, value }] } })
        .then(onScored),
    );
  return (
    <fieldset className="row">
      <legend className="visually-hidden">{t('Score by {scorer}', { scorer })}</legend>
      {grades.map(([value, label]) => (
        <Button key={value} size="small" pressed={now === value} disabled={busy} onClick={() => give(value)}>
          {t(label)}
        </Button>
      ))}
    </fieldset>
  );
}
