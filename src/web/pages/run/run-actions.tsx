// What can be done with the run now: start, pause, resume, cancel, restart, fork, rate, delete.
import { useState } from 'react';
import type { AgentRunDto, AgentRunStatus } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { go, goFromHere } from '../../base/router.ts';
import { sourceOf } from '../../compare/source.ts';
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
  const params = { id: run.id };
  const start = () => client.agentRuns.start({ params });
  const pause = async () => sayReached(t('Paused'), await client.agentRuns.pause({ params, body: { cascade: true } }));
  const resume = async () =>
    sayReached(t('Resumed'), await client.agentRuns.resume({ params, body: { cascade: true } }));
  const { status } = run;
  const question = asking && <Question {...{ asking, run, tree }} onClose={() => setAsking(null)} />;
  // Who may only look can take the run along.
  if (!may('RunsWrite'))
    return (
      <div className="row run-actions">
        <Menu label={t('More actions')} items={[exporting(setAsking)]}>
          <Icon name="more" />
        </Menu>
        {question}
      </div>
    );
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
      {question}
    </div>
  );
}

/** A fork beside the run that it comes from; any other run beside one that is still to be named. */
async function compare(id: number) {
  const source = sourceOf(await client.agentRuns.events({ params: { runId: id }, query: { limit: 10 } }));
  go('/runs/compare', source === null ? { a: id } : { a: source, b: id });
}

const exporting = (ask: (asking: Asking) => void): MenuItem => ({
  label: t('Export'),
  icon: 'down',
  onSelect: () => ask('export'),
});

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
  // The chat knows the goal, the result and the newest work of the run.
  const chat = async () => {
    const goOn = goFromHere();
    goOn(`/chat/${(await client.agentPauseChat.open({ params: { runId: run.id } })).id}`);
  };
  // What came from another server is there to be read.
  const isOwn = run.importedAtUtc === null;
  const fork: MenuItem[] = [{ label: t('Fork from a checkpoint'), icon: 'fork', onSelect: () => ask('fork') }];
  const pool: MenuItem[] = [{ label: t('Add to the pool'), icon: 'plus', onSelect: () => ask('pool') }];
  const always: MenuItem[] = [
    ...(isOwn ? fork : []),
    { label: t('Compare'), icon: 'runs', onSelect: () => act(() => compare(run.id)) },
    exporting(ask),
    { label: t('Share'), icon: 'external', onSelect: () => ask('share') },
    { label: t('Give feedback'), icon: 'up', onSelect: () => ask('rate') },
    ...(isOwn ? pool : []),
  ];
  const onTheWay: MenuItem[] = [{ label: t('Take a checkpoint'), icon: 'flag', onSelect: () => act(checkpoint) }];
  const again: MenuItem[] = [
    { label: t('Restart from the beginning'), icon: 'refresh', onSelect: () => ask('again') },
    { label: t('Resume from the last checkpoint'), icon: 'play', onSelect: () => act(goOn) },
  ];
  const afterwards: MenuItem[] = [
    ...(may('ChatWrite') ? [{ label: t('Continue as a chat'), icon: 'chat' as const, onSelect: () => act(chat) }] : []),
    { label: t('Delete'), icon: 'close', danger: true, onSelect: () => ask('delete') },
  ];
  return [
    ...always,
    ...(ended ? [] : onTheWay),
    ...(isOwn && (ended || run.status === 'BudgetExhausted') ? again : []),
    ...(ended ? afterwards : []),
  ];
}
