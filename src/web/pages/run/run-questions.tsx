// What is asked before something is done with a run: which run it is, and what it reaches.
import type { AgentRunDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import type { Tree } from '../../state/tree.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ShareDialog } from '../share-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { PoolDialog } from './pool-dialog.tsx';
import { RateDialog } from './rate-dialog.tsx';
import { reach, sayReached } from './reach.ts';

export type Asking = 'cancel' | 'delete' | 'again' | 'fork' | 'rate' | 'pool' | 'share' | 'export';

interface QuestionProps {
  asking: Asking;
  run: AgentRunDto;
  tree: Tree;
  onClose: () => void;
}

export function Question({ asking, run, tree, onClose }: QuestionProps) {
  switch (asking) {
    case 'fork':
      return <ForkDialog run={run} onClose={onClose} />;
    case 'share':
      return <ShareDialog about={{ runId: run.id }} onClose={onClose} />;
    case 'export':
      return <ExportDialog run={run} onClose={onClose} />;
    case 'rate':
      return <RateDialog runId={run.id} onClose={onClose} />;
    case 'pool':
      return <PoolDialog run={run} onClose={onClose} />;
    case 'again':
      return <Again run={run} onClose={onClose} />;
    case 'delete':
      return <Delete run={run} onClose={onClose} />;
    case 'cancel':
      return <Cancel run={run} tree={tree} onClose={onClose} />;
  }
}

interface AboutRun {
  run: AgentRunDto;
  onClose: () => void;
}

function Again({ run: { id, goal }, onClose }: AboutRun) {
  const restart = () => client.agentRuns.restart({ params: { id }, body: { fromCheckpoint: false } });
  return (
    <Confirm
      title={t('Restart run #{id} from the beginning?', { id })}
      action={t('Restart')}
      danger={false}
      onConfirm={restart}
      onClose={onClose}
    >
      <Goal text={goal} />
      <p>{t('Its findings are deleted and its budgets are reset. Its timeline is kept.')}</p>
    </Confirm>
  );
}

function Delete({ run: { id, goal }, onClose }: AboutRun) {
  const remove = async () => {
    const goOn = goFromHere();
    await client.agentRuns.remove({ params: { id } });
    goOn('/runs');
  };
  return (
    <Confirm title={t('Delete run #{id}?', { id })} action={t('Delete')} onConfirm={remove} onClose={onClose}>
      <Goal text={goal} />
      <p>{t('It disappears from lists and reports.')}</p>
    </Confirm>
  );
}

function Cancel({ run: { id, goal }, tree, onClose }: AboutRun & { tree: Tree }) {
  const cancel = async () =>
    sayReached(t('Cancelled'), await client.agentRuns.cancel({ params: { id }, body: { cascade: true } }));
  const { runs, sandboxes } = reach(tree, id);
  const what = [
    plural(runs, '{n} run', '{n} runs'),
    ...(sandboxes > 0 ? [plural(sandboxes, '{n} sandbox', '{n} sandboxes')] : []),
  ].join(', ');
  return (
    <Confirm title={t('Cancel run #{id}?', { id })} action={t('Cancel the run')} onConfirm={cancel} onClose={onClose}>
      <Goal text={goal} />
      <p>{t('This reaches {what}. Work in progress stops within a second; what is done is kept.', { what })}</p>
    </Confirm>
  );
}

/** Which run it is, in the words that it began with. */
const Goal = ({ text }: { text: string }) => <p className="run-goal muted">{text}</p>;
