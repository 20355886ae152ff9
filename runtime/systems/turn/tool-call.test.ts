import { expect, it } from 'vitest';
import { testTool } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';
import { untilAborted } from './tool-call.ts';

it('does not wait for work that ignores its signal', async () => {
  const abort = new AbortController();
  const waited = untilAborted(() => new Promise(() => {}), abort.signal);
  abort.abort(new Error('enough'));
  await expect(waited).rejects.toThrow('enough');
});

it('starts nothing when it is aborted already', async () => {
  let started = 0;
  const start = async () => {
    started++;
    throw new Error('nobody hears this');
  };
  await expect(untilAborted(start, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  expect(started).toBe(0);
});

it('starts no further call of an answer once its run is stopped', async () => {
  const started: string[] = [];
  let stop = async () => {};
  const world = createWorld({
    script: () => ({ calls: ['first', 'second', 'third'].map((name) => ({ name, arguments: {} })) }),
    tools: ['first', 'second', 'third'].map((name) =>
      testTool(name, async () => {
        started.push(name);
        return 'done';
      }),
    ),
    options: { parallelTools: 1 },
    shared: true,
  });
  // Another node is asked to stop the run while the first result is on its way to the store.
  const one = await world.boot(undefined, () => (started.length === 1 ? stop() : undefined));
  const other = await world.boot();
  const run = await one.engine.create(world.draft());
  stop = async () => {
    stop = async () => {};
    await other.engine.cancel(run.id, { reason: 'enough', by: null });
  };
  await world.until(() => world.run(run.id).status === 'Cancelled');
  expect(started).toEqual(['first']);
});
