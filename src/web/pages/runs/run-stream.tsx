// A run's one-line river in the list: loaded when it comes into view, renewed when the run has news.
import { useEffect, useRef, useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { MiniRiver } from '../../river/mini-river.tsx';
import { createTrack, pushEvent, type Track } from '../../river/track.ts';
import { client } from '../../state/app.ts';

/** Least time between two loads for one row, ms. */
const renewMs = 2500;
const events = 120;

async function loadTrack(run: AgentRunDto): Promise<Track> {
  const latest = await client.agentRuns.events({
    params: { runId: run.id },
    query: { limit: events, order: 'Descending' },
  });
  const track = createTrack(run.id, run.parentRunId, Date.parse(latest.at(-1)?.createdAtUtc ?? run.createdAtUtc));
  for (const event of latest.toReversed()) pushEvent(track, event);
  return track;
}

export function RunStream({ run }: { run: AgentRunDto }) {
  const box = useRef<HTMLDivElement>(null);
  const [track, setTrack] = useState<Track | null>(null);
  const [visible, setVisible] = useState(false);
  const lastLoad = useRef(0);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new IntersectionObserver(([entry]) => setVisible(entry?.isIntersecting ?? false), {
      rootMargin: '120px',
    });
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  const news = `${run.status} ${run.eventCount} ${run.tokensUsed}`;
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!visible || news === '') return;
    let gone = false;
    const timer = setTimeout(
      () => {
        lastLoad.current = performance.now();
        loadTrack(latest.current).then(
          (loaded) => gone || setTrack(loaded),
          () => undefined,
        );
      },
      Math.max(0, lastLoad.current + renewMs - performance.now()) * Number(lastLoad.current > 0),
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [visible, news]);
  return (
    <div ref={box} className="run-stream">
      {track && <MiniRiver track={track} />}
    </div>
  );
}
