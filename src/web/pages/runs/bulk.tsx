// What is done with several runs at once: cancel, restart, delete, and compare two; it says what it will reach, and what it reached.
import { useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { toApiError } from '../../state/resource.ts';
import { hasEnded } from '../../state/runs.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { say } from '../../ui/toast.tsx';

type Kind = 'cancel' | 'restart' | 'delete';

interface Way {
  /** Which of the chosen it is for. */
  fits: (run: AgentRunDto) => boolean;
  /** Resolves to how many runs it reached. */
  act: (run: AgentRunDto) => Promise<number>;
  verb: string;
  question: [one: string, many: string];
  done: [one: string, many: string];
  note: string;
}

const ways: Record<Kind, Way> = {
  cancel: {
    fits: (run) => !hasEnded(run),
    act: async ({ id }) =>
      (await client.agentRuns.cancel({ params: { id }, body: { cascade: true } })).affectedRunIds.length,
    verb: 'Cancel',
    question: ['Cancel {n} run?', 'Cancel {n} runs?'],
    done: ['{n} run cancelled', '{n} runs cancelled'],
    note: 'Their children are cancelled too. Work in progress stops within a second; what is done is kept.',
  },
  restart: {
    fits: hasEnded,
    act: ({ id }) => client.agentRuns.restart({ params: { id }, body: { fromCheckpoint: false } }).then(() => 1),
    verb: 'Restart',
    question: ['Restart {n} run?', 'Restart {n} runs?'],
    done: ['{n} run restarted', '{n} runs restarted'],
    note: 'They start again from the beginning with fresh budgets. Their timelines are kept.',
  },
  delete: {
    fits: hasEnded,
    act: ({ id }) => client.agentRuns.remove({ params: { id } }).then(() => 1),
    verb: 'Delete',
    question: ['Delete {n} run?', 'Delete {n} runs?'],
    done: ['{n} run deleted', '{n} runs deleted'],
    note: 'They disappear from lists and reports.',
  },
};

/** As many at once as a browser opens connections for. */
const atOnce = 6;

/** Acts on all of them; one that fails does not keep the others from it. */
async function actOnAll(runs: readonly AgentRunDto[], act: Way['act']) {
  const waiting = [...runs];
  const failures: unknown[] = [];
  let reached = 0;
  const work = async () => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      try {
        // Not in one: what others add while this one waits would be lost.
        const more = await act(run);
        reached += more;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { reached, failures };
}

interface BulkProps {
  runs: readonly AgentRunDto[];
  onDone: () => void;
}

export function BulkBar({ runs, onDone }: BulkProps) {
  const [asking, setAsking] = useState<Kind | null>(null);
  return (
    <section className="bulk-bar" aria-label={t('Selected runs')}>
      <strong className="num">{plural(runs.length, '{n} selected', '{n} selected')}</strong>
      {(Object.keys(ways) as Kind[]).map((kind) => {
        const fitting = runs.filter(ways[kind].fits).length;
        return (
          <Button
            key={kind}
            size="small"
            kind={kind === 'restart' ? 'normal' : 'danger'}
            disabled={fitting === 0}
            onClick={() => setAsking(kind)}
          >
            {t(ways[kind].verb)} {fitting > 0 && fitting < runs.length && `(${fitting})`}
          </Button>
        );
      })}
      <Button
        size="small"
        disabled={runs.length !== 2}
        tip={t('Select two runs to compare them')}
        onClick={() => go('/runs/compare', { a: runs[0]?.id, b: runs[1]?.id })}
      >
        {t('Compare')}
      </Button>
      <span className="grow" />
      <Button size="small" kind="plain" onClick={onDone}>
        {t('Clear selection')}
      </Button>
      {asking && <Question kind={asking} runs={runs} onDone={onDone} onClose={() => setAsking(null)} />}
    </section>
  );
}

function Question({ kind, runs, onDone, onClose }: BulkProps & { kind: Kind; onClose: () => void }) {
  const { fits, act, verb, question, done, note } = ways[kind];
  const fitting = runs.filter(fits);
  const children = fitting.reduce((sum, { childRunCount }) => sum + childRunCount, 0);
  const confirm = async () => {
    const { reached, failures } = await actOnAll(fitting, act);
    const [first] = failures;
    say(
      plural(reached, ...done),
      first ? plural(failures.length, '{n} failed: ', '{n} failed, the first: ') + toApiError(first).message : null,
      first ? 'warn' : 'plain',
    );
    onDone();
  };
  return (
    <Confirm
      title={plural(fitting.length, ...question)}
      action={t(verb)}
      danger={kind !== 'restart'}
      onConfirm={confirm}
      onClose={onClose}
    >
      <ul className="bulk-goals">
        {fitting.slice(0, 5).map((run) => (
          <li key={run.id} className="truncate">
            #{run.id} {run.goal}
          </li>
        ))}
        {fitting.length > 5 && <li className="muted">{t('and {n} more', { n: fitting.length - 5 })}</li>}
      </ul>
      {kind === 'cancel' && children > 0 && (
        <p>{plural(children, 'This reaches {n} child as well.', 'This reaches {n} children as well.')}</p>
      )}
      <p>{t(note)}</p>
    </Confirm>
  );
}
