// What a run is doing, as one line of its list: a live stream while it is at work, its outcome afterwards.
import type { AgentRunDto } from '../../../client/index.ts';
import { useVersion } from '../../base/store.ts';
import { MiniRiver } from '../../river/mini-river.tsx';
import { failureOf } from '../../state/run-figures.ts';
import { activity, hasEnded, listNews } from '../../state/runs.ts';

export function RunStream({ run }: { run: AgentRunDto }) {
  return hasEnded(run) ? <Outcome run={run} /> : <Live run={run} />;
}

function Live({ run }: { run: AgentRunDto }) {
  useVersion(listNews);
  return (
    <div className="run-stream">
      <MiniRiver track={activity.of(run)} />
    </div>
  );
}

/** Marks of Markdown, which a reader of one line does not need; its parser is not loaded for the list. */
const marks = /[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|^#+ /g;

function Outcome({ run }: { run: AgentRunDto }) {
  const failure = failureOf(run);
  const text = failure?.message ?? run.progressSummary?.split('\n')[0] ?? '';
  return (
    <span className="outcome small muted" title={text}>
      {text.replace(marks, '')}
    </span>
  );
}
