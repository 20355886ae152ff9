import { expect, test } from 'vitest';
import type { Desk } from '../../ports.ts';
import { hasEnded } from '../../state/run.ts';
import { testTool, turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';

/** A desk that keeps its notes once a key. */
function createDesk() {
  const notes = new Map<string, { type: string; content: string }>();
  const desk = { addNote: async (_run, note, key) => void notes.set(key, note) } as Partial<Desk> as Desk;
  return { notes, desk };
}

async function play(requestToolDebrief: boolean, last: Parameters<typeof turns>[0]) {
  const { notes, desk } = createDesk();
  const play = turns({ calls: [{ name: 'look', arguments: {} }] }, last);
  const world = createWorld({
    script: (request) => (request.purpose === 'Reflection' ? { text: 'look is good' } : play(request)),
    tools: [testTool('look', async () => 'seen')],
    ports: { desk },
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ requestToolDebrief }));
  await world.until(() => hasEnded(world.run(id).status));
  return { world, run: world.run(id), notes: [...notes.values()] };
}

test.each([
  ['an answer', { text: 'done' }],
  ['run_complete', { calls: [{ name: 'run_complete', arguments: { summary: 'done' } }] }],
])('a run that ends with %s debriefs on its tools when it was asked to, from its own budget', async (_, last) => {
  const { world, run, notes } = await play(true, last);
  expect(run).toMatchObject({ status: 'Completed', result: { summary: 'done' } });
  expect(notes).toEqual([{ type: 'ToolDebrief', content: 'look is good' }]);
  expect(run.tokensUsed).toBe(world.model.spent.tokens);
  expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('look: seen');
});

test('nobody else debriefs', async () => {
  const { notes } = await play(false, { text: 'done' });
  expect(notes).toEqual([]);
});
