// What can be done with the run now: start, pause, resume, cancel, restart, fork, rate, delete.
import { useState } from 'react';
import type { AgentRunDto, AgentRunStatus } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { hasEnded } from '../../state/runs.ts';
import type { Tree } from '../../state/tree.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { sayReached } from './reach.ts';
import { type Asking, Question } from './run-questions.tsx';

const canPause: ReadonlySet<AgentRunStatus> = new Set([
  'Queued',
  'Running',
  'WaitingForChildren',
  'WaitingForDecision',
]);

export function RunActions({ run, tree }: { run: AgentRunDto; tree: Tree }) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const { busy, act } = useAction();
  if (!may('RunsWrite')) return null;
  const params = { id: run.id };
  const start = () => client.agentRuns.start({ params });
  const pause = async () => sayReached(t('Paused'), await client.agentRuns.pause({ params, body: { cascade: true } }));
  const resume = async () =>
    sayReached(t('Resumed'), await client.agentRuns.resume({ params, body: { cascade: true } }));
  const { status } = run;
  return (
    <div className="row run-actions">
      {status === 'Pending' && (
        <Button kind="primary" icon="play" disabled={busy} onClick={() => void act(start)}>
          {t('Start')}
        </Button>
      )}
      {canPause.has(status) && (
        <Button icon="pause" disabled={busy} onClick={() => void act(pause)}>
          {t('Pause')}
        </Button>
      )}
      {(status === 'Paused' || (status === 'BudgetExhausted' && (run.exhaustedBy?.missing ?? 0) === 0)) && (
        <Button kind="primary" icon="play" disabled={busy} onClick={() => void act(resume)}>
          {t('Resume')}
        </Button>
      )}
      {!hasEnded(run) && (
        <Button kind="danger" icon="stop" onClick={() => setAsking('cancel')}>
          {t('Cancel')}
        </Button>
      )}
      <Menu label={t('More actions')} items={moreActions(run, setAsking, (work) => void act(work))}>
        <Icon name="more" />
      </Menu>
      {asking && <Question {...{ asking, run, tree }} onClose={() => setAsking(null)} />}
    </div>
  );
}

function moreActions(
  run: AgentRunDto,
  ask: (asking: Asking) => void,
  act: (work: () => Promise<unknown>) => void,
): MenuItem[] {
  const params = { id: run.id };
  const ended = hasEnded(run);
  const checkpoint = async () =>
    say(t('Checkpoint taken'), (await client.agentRuns.checkpoint({ params })).checkpointId);
  const goOn = () => client.agentRuns.restart({ params, body: { fromCheckpoint: true } });
  const always: MenuItem[] = [
    { label: t('Fork from a checkpoint'), icon: 'fork', onSelect: () => ask('fork') },
    { label: t('Share'), icon: 'external', onSelect: () => ask('share') },
    { label: t('Give feedback'), icon: 'up', onSelect: () => ask('rate') },
    { label: t('Add to the pool'), icon: 'plus', onSelect: () => ask('pool') },
  ];
  const onTheWay: MenuItem[] = [{ label: t('Take a checkpoint'), icon: 'flag', onSelect: () => act(checkpoint) }];
  const again: MenuItem[] = [
    { label: t('Restart from the beginning'), icon: 'refresh', onSelect: () => ask('again') },
    { label: t('Resume from the last checkpoint'), icon: 'play', onSelect: () => act(goOn) },
  ];
  const afterwards: MenuItem[] = [{ label: t('Delete'), icon: 'close', danger: true, onSelect: () => ask('delete') }];
  return [
    ...always,
    ...(ended ? [] : onTheWay),
    ...(ended || run.status === 'BudgetExhausted' ? again : []),
    ...(ended ? afterwards : []),
  ];
}
