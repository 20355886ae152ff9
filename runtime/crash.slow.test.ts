// One small tree, killed at every single write, before and after it took effect: the next owner ends it rightly.
import { expect, test } from 'vitest';
import type { ModelRequest } from './model.ts';
import { hasEnded } from './state/run.ts';
import { judge } from './testing/judge.ts';
import type { ScriptedTurn } from './testing/scripted-model.ts';
import { effectTool, turnOf } from './testing/tools.ts';
import { createWorld, type World } from './testing/world.ts';

/** A parent that uses a tool, waits for one child, hears of another by itself, asks a person, and ends. */
function script(request: ModelRequest): ScriptedTurn {
  const turn = turnOf(request);
  const isChild = request.messages.some((one) => one.role === 'user' && one.content === 'part');
  if (isChild)
    return turn === 0
      ? { calls: [{ name: 'effect', arguments: {} }], delayMs: 30 }
      : { text: 'part done', delayMs: 30 };
  const parent: ScriptedTurn[] = [
    {
      calls: [
        { name: 'effect', arguments: {}, id: 'a' },
        { name: 'run_spawn', arguments: { goal: 'part', wait: true }, id: 'b' },
        { name: 'run_spawn', arguments: { goal: 'part' }, id: 'c' },
      ],
    },
    { calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' }, id: 'd' }] },
    { text: 'all done' },
  ];
  return { ...parent[Math.min(turn, 2)]!, delayMs: 50 };
}

async function play(crash?: { write: number; applied: boolean }) {
  const repeated: string[] = [];
  const effect = effectTool(
    () => world,
    (key) => repeated.push(key),
  );
  const world: World = createWorld({ script, tools: [effect] });
  const helper = await world.boot();
  const { id } = await helper.engine.create(world.draft({ autoStart: false }));
  helper.store.die();
  let node = await world.boot(crash);
  void node.engine.start(id);
  for (let round = 0; round < 100 && !hasEnded(world.run(id).status); round++) {
    await world.clock.advance(100);
    if (node.store.dead) {
      node = await world.boot();
      if (world.run(id).status === 'Pending') await node.engine.start(id);
    }
    const asked = [...world.memory.disk.escalations.values()].find((one) => one.status === 'AwaitingHuman');
    if (asked) void node.engine.resolveEscalation(asked.id, { decision: 'left', by: 'Ann' }).catch(() => {});
  }
  await world.clock.advance(10_000);
  if (node.store.dead) node = await world.boot();
  await world.clock.advance(10_000);
  return { world, id, repeated, writes: node.store.writes };
}

test('whatever write a process dies at, the tree ends rightly', { timeout: 240_000 }, async () => {
  const { writes } = await play();
  expect(writes).toBeGreaterThan(40);
  for (let write = 1; write <= writes; write++) {
    for (const applied of [false, true]) {
      const { world, id, repeated } = await play({ write, applied });
      const at = `killed ${applied ? 'after' : 'before'} write ${write}`;
      expect(repeated, at).toEqual([]);
      expect(
        [...world.memory.disk.runs.values()].map((run) => run.status),
        at,
      ).toEqual(['Completed', 'Completed', 'Completed']);
      const log = (world.memory.disk.messages.get(id) ?? []).map((entry) => JSON.stringify(entry.message)).join('\n');
      expect(log.match(/part done/g), at).toHaveLength(2);
      expect(log.match(/left/g), at).toHaveLength(1);
      judge(world, [id]);
    }
  }
});
