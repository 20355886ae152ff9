import { expect, test } from 'vitest';
import type { Handover } from '../../ports.ts';
import type { HandoverOutcome, RunRecord } from '../../records.ts';
import { hasEnded } from '../../state/run.ts';
import { byGoal, testTool } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const place = (id: number) => ({
  reviewBranch: `review/run-${id}`,
  reviewBaseSha: 'base',
  reviewWorktreePath: `/work/run-${id}`,
});
/** Gives a run files. */
const write = testTool('write', async (_, { run }) => ({ content: 'written', set: place(run.id) }));

const outcome = (id: number): HandoverOutcome => ({
  events: [{ type: 'ReviewReady', title: `files of ${id}` }],
  parentEvents: [{ type: 'FileChanged', title: `merged ${id}` }],
  parentPlace: place(1),
  note: `Handed over ${id}.`,
});

const discard = async () => {};

const script = byGoal({
  parent: [{ calls: [{ name: 'run_spawn', arguments: { goal: 'child', wait: true } }] }, { text: 'thanks' }],
  child: [{ calls: [{ name: 'write', arguments: {} }] }, { text: 'made it' }],
});
const titles = (world: World, id: number) => (world.memory.disk.events.get(id) ?? []).map((event) => event.title);
const answer = (world: World) =>
  (world.memory.disk.messages.get(1) ?? []).flatMap(({ message }) =>
    message.role === 'tool' ? [message.content] : [],
  );
const count = <T>(all: readonly T[], one: T) => all.filter((other) => other === one).length;

function check(world: World, at: string): void {
  const [parent, child] = [...world.memory.disk.runs.values()] as [RunRecord, RunRecord];
  expect([parent.status, child.status], at).toEqual(['Completed', 'Completed']);
  expect(answer(world), at).toHaveLength(1);
  expect(JSON.parse(answer(world)[0] as string), at).toEqual({
    runId: child.id,
    status: 'Completed',
    summary: `made it\nHanded over ${child.id}.`,
  });
  expect(count(titles(world, child.id), `files of ${child.id}`), at).toBe(1);
  expect(count(titles(world, 1), `merged ${child.id}`), at).toBe(1);
  // The parent has files since then, and hands them over in its turn.
  expect(parent, at).toMatchObject(place(1));
  expect(count(titles(world, 1), 'files of 1'), at).toBe(1);
  expect(parent.unfinished || child.unfinished, at).toBe(false);
}

test('whatever write a process dies at, files are handed over before the result, and told once', async () => {
  const play = async (crash?: { write: number; applied: boolean }) => {
    const asked: number[] = [];
    const conclude: Handover['conclude'] = async (run) => {
      asked.push(run.id);
      expect(run.id === 1 || !hasEnded(world.run(1).status)).toBe(true);
      expect(world.run(1).arrived).toEqual(run.id === 1 ? [expect.objectContaining({ status: 'Completed' })] : []);
      return outcome(run.id);
    };
    const world: World = createWorld({ script, tools: [write], ports: { handover: { conclude, discard } } });
    const helper = await world.boot();
    await helper.engine.create(world.draft({ goal: 'parent', autoStart: false }));
    helper.store.die();
    let node = await world.boot(crash);
    void node.engine.start(1);
    for (let round = 0; round < 100; round++) {
      await world.clock.advance(200);
      if (node.store.dead) node = await world.boot();
      if (world.run(1).status === 'Pending') void node.engine.start(1);
    }
    return { world, asked, writes: node.store.writes };
  };
  const { world, asked, writes } = await play();
  check(world, 'alive');
  expect(asked).toEqual([2, 1]);
  for (let write = 1; write <= writes; write++)
    for (const applied of [false, true])
      check((await play({ write, applied })).world, `killed ${applied ? 'after' : 'before'} write ${write}`);
}, 60_000);

test('files that cannot be handed over keep nobody waiting: the parent is told why', async () => {
  for (const conclude of [
    () => Promise.reject(new Error('The disk is full.')),
    () => new Promise<HandoverOutcome>(() => {}),
  ]) {
    const world = createWorld({ script, tools: [write], ports: { handover: { conclude, discard } } });
    const { engine } = await world.boot();
    await engine.create(world.draft({ goal: 'parent' }));
    await world.until(() => world.memory.disk.runs.size === 2 && hasEnded(world.run(1).status), 1_000_000);
    expect(answer(world)[0]).toMatch(/files of run 2 were not handed over: (The disk is full|It took longer)/);
    expect(titles(world, 1)).toContain('The files of run 2 were not handed over');
  }
});

test('while a living node hands files over, another leaves them alone; after its death it does it', async () => {
  const asked: string[] = [];
  let finish = (_: HandoverOutcome) => {};
  const slow = new Promise<HandoverOutcome>((resolve) => {
    finish = resolve;
  });
  const handover: Handover = {
    discard,
    conclude: (run) => {
      asked.push(`${run.id}`);
      return asked.length === 1 ? slow : Promise.resolve(outcome(run.id));
    },
  };
  const world = createWorld({ script, tools: [write], ports: { handover }, options: { soleOwner: false } });
  const first = await world.boot();
  await first.engine.create(world.draft({ goal: 'parent' }));
  await world.until(() => asked.length === 1);
  await world.boot();
  await world.clock.advance(30_000);
  expect(asked).toEqual(['2']);
  first.store.die();
  await world.until(() => world.run(1).status === 'Completed' && !world.run(1).unfinished);
  finish(outcome(2));
  await world.clock.advance(5_000);
  expect(asked).toEqual(['2', '2', '1']);
  check(world, 'taken over');
});
