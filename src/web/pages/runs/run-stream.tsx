// What a run is doing, as one line of its list: a live stream while it is at work, its outcome afterwards.

import type { AgentRunDto } from '../../../client/index.ts';
import { oneLine } from '../../base/one-line.ts';
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

function Outcome({ run }: { run: AgentRunDto }) {
  const failure = failureOf(run);
  const text = failure?.message ?? run.progressSummary?.split('\n')[0] ?? '';
  return (
    <span className="outcome small muted" title={text}>
      {oneLine(text)}
    </span>
  );
}
