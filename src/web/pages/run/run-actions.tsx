// What can be done with the run now: start, pause, resume, cancel, restart, fork, rate, delete.
import { useState } from 'react';
import type { AgentRunDto, AgentRunStatus, RunActionResultDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { hasEnded } from '../../state/runs.ts';
import type { Tree } from '../../state/tree.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { PoolDialog } from './pool-dialog.tsx';
import { RateDialog } from './rate-dialog.tsx';

type Asking = 'cancel' | 'delete' | 'fork' | 'rate' | 'pool';

const canPause: ReadonlySet<AgentRunStatus> = new Set([
  'Queued',
  'Running',
  'WaitingForChildren',
  'WaitingForDecision',
]);

/** The run and all below it that have not ended: what a cancel will reach. */
function reach(tree: Tree, id: number): { runs: number; sandboxes: number } {
  let runs = 0;
  let sandboxes = 0;
  for (const view of tree.runs.values()) {
    if (!view.run || hasEnded(view.run)) continue;
    let at: number | null = view.id;
    while (at !== null && at !== id) at = tree.runs.get(at)?.run?.parentRunId ?? null;
    if (at === null) continue;
    runs += 1;
    if (view.run.sandboxContainerId) sandboxes += 1;
  }
  return { runs, sandboxes };
}

function sayReached(title: string, result: RunActionResultDto) {
  say(
    title,
    plural(result.affectedRunIds.length, 'It reached {n} run: {ids}', 'It reached {n} runs: {ids}').replace(
      '{ids}',
      result.affectedRunIds.map((id) => `#${id}`).join(', '),
    ),
  );
}

export function RunActions({ run, tree }: { run: AgentRunDto; tree: Tree }) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const [busy, setBusy] = useState(false);
  if (!may('RunsWrite')) return null;
  const params = { id: run.id };
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    await work().catch(sayError);
    setBusy(false);
    setAsking(null);
  };
  const pause = () =>
    act(async () => sayReached(t('Paused'), await client.agentRuns.pause({ params, body: { cascade: true } })));
  const resume = () =>
    act(async () => sayReached(t('Resumed'), await client.agentRuns.resume({ params, body: { cascade: true } })));
  const cancel = () =>
    act(async () => sayReached(t('Cancelled'), await client.agentRuns.cancel({ params, body: { cascade: true } })));
  const remove = () =>
    act(async () => {
      await client.agentRuns.remove({ params });
      go('/runs');
    });
  const checkpoint = () =>
    act(async () => say(t('Checkpoint taken'), (await client.agentRuns.checkpoint({ params })).checkpointId));
  const restart = (fromCheckpoint: boolean) =>
    act(async () => void (await client.agentRuns.restart({ params, body: { fromCheckpoint } })));
  const { status } = run;
  const ended = hasEnded(run);
  const more: MenuItem[] = [
    { label: t('Fork from a checkpoint'), icon: 'fork', onSelect: () => setAsking('fork') },
    { label: t('Give feedback'), icon: 'up', onSelect: () => setAsking('rate') },
    { label: t('Add to the pool'), icon: 'plus', onSelect: () => setAsking('pool') },
    ...(ended ? [] : [{ label: t('Take a checkpoint'), icon: 'flag' as const, onSelect: () => void checkpoint() }]),
    ...(ended || status === 'BudgetExhausted'
      ? [
          { label: t('Run again from the start'), icon: 'refresh' as const, onSelect: () => void restart(false) },
          { label: t('Go on from the last checkpoint'), icon: 'play' as const, onSelect: () => void restart(true) },
        ]
      : []),
    ...(ended
      ? [{ label: t('Delete'), icon: 'close' as const, danger: true, onSelect: () => setAsking('delete') }]
      : []),
  ];
  return (
    <div className="row run-actions">
      {status === 'Pending' && (
        <Button
          kind="primary"
          icon="play"
          disabled={busy}
          onClick={() => void act(async () => void (await client.agentRuns.start({ params })))}
        >
          {t('Start')}
        </Button>
      )}
      {canPause.has(status) && (
        <Button icon="pause" disabled={busy} onClick={() => void pause()}>
          {t('Pause')}
        </Button>
      )}
      {(status === 'Paused' || status === 'BudgetExhausted') && (
        <Button kind="primary" icon="play" disabled={busy} onClick={() => void resume()}>
          {t('Resume')}
        </Button>
      )}
      {!ended && (
        <Button kind="danger" icon="stop" onClick={() => setAsking('cancel')}>
          {t('Cancel')}
        </Button>
      )}
      <Menu label={t('More actions')} items={more}>
        <Icon name="more" />
      </Menu>
      {asking && (
        <Question
          {...{ asking, run, tree, busy }}
          onCancel={() => void cancel()}
          onDelete={() => void remove()}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}

interface QuestionProps {
  asking: Asking;
  run: AgentRunDto;
  tree: Tree;
  busy: boolean;
  onCancel: () => void;
  onDelete: () => void;
  onClose: () => void;
}

/** What is asked before it is done. */
function Question({ asking, run, tree, busy, onCancel, onDelete, onClose }: QuestionProps) {
  switch (asking) {
    case 'fork':
      return <ForkDialog run={run} onClose={onClose} />;
    case 'rate':
      return <RateDialog runId={run.id} onClose={onClose} />;
    case 'pool':
      return <PoolDialog run={run} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm title={t('Delete this run?')} action={t('Delete')} busy={busy} onConfirm={onDelete} onClose={onClose}>
          <p>{t('Run #{id} disappears from lists and reports.', { id: run.id })}</p>
        </Confirm>
      );
    case 'cancel': {
      const { runs, sandboxes } = reach(tree, run.id);
      const what = [
        plural(runs, '{n} run', '{n} runs'),
        ...(sandboxes > 0 ? [plural(sandboxes, '{n} sandbox', '{n} sandboxes')] : []),
      ].join(', ');
      return (
        <Confirm
          title={t('Cancel this run?')}
          action={t('Cancel the run')}
          busy={busy}
          onConfirm={onCancel}
          onClose={onClose}
        >
          <p>{t('This reaches {what}. Work in progress stops within a second; what is done is kept.', { what })}</p>
        </Confirm>
      );
    }
  }
}
