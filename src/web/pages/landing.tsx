// Where one arrives: newcomers inside the live demo run, everybody else at the list of runs.
import { useEffect } from 'react';
import { go, goFromHere } from '../base/router.ts';
import { client, may } from '../state/app.ts';
import { mayRunDemo } from '../state/demo.ts';
import { Skeleton } from '../ui/states.tsx';

const arrivedKey = 'rivulet.arrived';

/** The demo run of a new server, once a browser; null where there is none to see. */
async function demoToSee(): Promise<number | null> {
  if (!mayRunDemo() || localStorage.getItem(arrivedKey) !== null) return null;
  localStorage.setItem(arrivedKey, '1');
  const query = { modelId: 'scripted:demo', rootsOnly: true, pageSize: 1 };
  const { items } = await client.agentRuns.list({ query });
  return items[0]?.id ?? null;
}

export function Landing() {
  useEffect(() => {
    if (!may('RunsRead')) return go('/system', {}, 'replace');
    const goOn = goFromHere();
    void demoToSee()
      .catch(() => null)
      .then((id) => (id === null ? goOn('/runs', {}, 'replace') : goOn(`/runs/${id}`, { welcome: 1 }, 'replace')));
  }, []);
  return <Skeleton rows={10} />;
}
