// How what is known of a goal grew: each step with the run, its reason and the memories that it wrote.
import type { KnowledgeGoalDto } from '../../../client/index.ts';
import { formatDate, formatPercent, plural, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  goal: KnowledgeGoalDto;
  /** A run takes the next one. */
  isNext: boolean;
  onClose: () => void;
}

export function GoalSteps({ goal, isNext, onClose }: Props) {
  const { id } = goal;
  const steps = useKept(useResource(`steps of goal ${id}`, () => client.knowledgeGoals.steps({ params: { id } })));
  useEvery(steps.reload);
  return (
    <Dialog wide title={t('What is known of “{topic}”', { topic: goal.topic })} onClose={onClose}>
      <div className="stack">
        <p>
          <span className="row num">
            <progress value={goal.knowledgeLevel} max={1} aria-label={t('Known')} />
            {formatPercent(goal.knowledgeLevel)}
          </span>
        </p>
        <Loaded resource={steps} rows={3}>
          {(all) =>
            all.length === 0 ? (
              <p className="muted">
                {t(
                  'No run has found out anything yet. A research run says with reasons what it has learned, and names what it wrote down.',
                )}
              </p>
            ) : (
              <ol className="stack" aria-label={t('Steps')}>
                {[...all].reverse().map((step) => (
                  <li key={`${step.runId} ${step.atUtc}`}>
                    <p>
                      <strong className="num">
                        {formatPercent(step.from)} → {formatPercent(step.to)}
                      </strong>{' '}
                      {step.reason}
                    </p>
                    <p className="small muted">
                      <a href={`#/runs/${step.runId}`}>{t('Run {id}', { id: step.runId })}</a> ·{' '}
                      {formatDate(step.atUtc)} · {plural(step.memoryIds.length, '{n} memory', '{n} memories')}{' '}
                      {step.memoryIds.map((memoryId) => (
                        <a key={memoryId} href={`#/memory?memory=${memoryId}`}>
                          {t('read {id}', { id: memoryId })}{' '}
                        </a>
                      ))}
                    </p>
                  </li>
                ))}
              </ol>
            )
          }
        </Loaded>
        {isNext && may('RunsWrite') && <Research goal={goal} onClose={onClose} />}
      </div>
    </Dialog>
  );
}

/** A run that takes the goal, writes down what it finds, and says how much is known then. */
function Research({ goal, onClose }: Omit<Props, 'isNext'>) {
  const { busy, act } = useAction();
  const start = () =>
    act(async () => {
      const goOn = goFromHere();
      const queries = goal.searchQueries ?? [];
      const words = [
        t('Research the knowledge goal “{topic}”: take it with goal_next, find out what is missing,', {
          topic: goal.topic,
        }),
        t('write down what you find with memory_create, and raise its knowledge level with your reasons.'),
        goal.description,
        queries.length > 0 && t('Begin with: {queries}.', { queries: queries.join('; ') }),
      ];
      const run = await client.agentRuns.create({
        body: { goal: words.filter(Boolean).join(' '), projectId: goal.projectId, autoStart: true },
      });
      onClose();
      goOn(`/runs/${run.id}`);
    });
  return (
    <div>
      <Button kind="primary" icon="play" disabled={busy} onClick={() => void start()}>
        {t('Research it now')}
      </Button>
    </div>
  );
}
