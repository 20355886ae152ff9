// An owner that was taken over while it was slow, and does not know it, changes nothing any more.
import { expect, test } from 'vitest';
import { silentLogger } from '../src/kernel/logger.ts';
import { commitOwned } from './systems/records/commits.ts';
import { createCore } from './systems/records/core.ts';
import { createLive } from './systems/work/live-run.ts';
import { judge } from './testing/judge.ts';
import type { ScriptedTurn } from './testing/scripted-model.ts';
import { testTool } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

const step = { name: 'step', arguments: {} };
const lateMs = 60_000;
/** The new owner is still at the same step when the late outcome comes. */
const slowerMs = 100_000;

/** What the old and the new owner get for the step that is late, and what ends the run. */
const late: Record<string, { turns: ScriptedTurn[]; toolMs: number[] }> = {
  'answer with a call': {
    turns: [{ calls: [step], delayMs: lateMs }, { calls: [step], delayMs: slowerMs }, { text: 'end' }],
    toolMs: [],
  },
  'last answer': {
    turns: [
      { text: 'late', delayMs: lateMs },
      { text: 'end', delayMs: slowerMs },
    ],
    toolMs: [],
  },
  'failed call': {
    turns: [
      { error: new Error('The line broke.'), delayMs: lateMs },
      { text: 'end', delayMs: slowerMs },
    ],
    toolMs: [],
  },
  'result of a tool': { turns: [{ calls: [step, step] }, { text: 'end' }], toolMs: [lateMs, 0, slowerMs] },
};

/** A run whose old owner works on, is believed dead and has lost it, shortly before the late outcome comes to it. */
async function openLate(name: string, maxCrashes: number) {
  const { turns, toolMs } = late[name]!;
  let made = 0;
  const world = createWorld({
    script: (_, call) => turns[call]!,
    shared: true,
    options: { maxCrashes },
    tools: [
      testTool('step', async () => {
        const place = made++;
        await world.clock.sleep(toolMs[place] ?? 0);
        return `made ${place}`;
      }),
    ],
  });
  const startedAt = world.clock.now();
  const old = await world.boot();
  const { id } = await old.engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Running');
  const { owner, fence } = world.run(id);
  await world.boot();
  // Its heartbeats are lost on the way, and it hears nothing of that.
  old.store.nodes.beat = () => new Promise(() => {});
  await world.until(() => world.run(id).owner !== owner);
  await world.clock.advance(startedAt + lateMs - 5000 - world.clock.now());
  return { world, old: old.engine, id, fence, made: () => made };
}

/** Lets the late outcome come: nothing that is stored or told may change by it. */
async function expectNothing({ world, old }: Awaited<ReturnType<typeof openLate>>): Promise<void> {
  const stored = () => {
    const { runs, trees, events, messages, toolCalls, checkpoints } = world.memory.disk;
    // Anybody may look again whether a run at rest still owes something; that is a write of nothing.
    const states = [...runs.values()].map(({ version: _v, updatedAt: _u, ...state }) => state);
    return structuredClone({ states, trees, events, messages, toolCalls, checkpoints });
  };
  const told = () => world.sink.emissions.filter((one) => one.durable).length;
  const before = [stored(), told()];
  expect(old.stats().running).toBe(1);
  await world.clock.advance(10_000);
  expect(old.stats().running).toBe(0);
  expect([stored(), told()]).toEqual(before);
}

test.each(Object.keys(late))('an owner that was followed by another does not write: %s', async (name) => {
  const scene = await openLate(name, 3);
  const { world, id, fence, made } = scene;
  expect(world.run(id)).toMatchObject({ status: 'Running', fence: fence + 1 });
  await expectNothing(scene);
  await world.until(() => world.run(id).status === 'Completed' && !world.run(id).unfinished);
  expect(world.run(id)).toMatchObject({ fence: fence + 1, progressSummary: 'end' });
  expect(made()).toBe({ 'answer with a call': 1, 'result of a tool': 3 }[name] ?? 0);
  const types = world.memory.disk.events.get(id)!.map((event) => event.type);
  expect(types.filter((type) => type === 'RunCompleted')).toHaveLength(1);
  expect(types).not.toContain('ModelCallFailed');
  judge(world, [id]);
});

test.each(Object.keys(late))('an owner that nobody followed does not write either: %s', async (name) => {
  const scene = await openLate(name, 1);
  const { world, id, fence } = scene;
  expect(world.run(id)).toMatchObject({ status: 'Failed', owner: null, fence });
  await expectNothing(scene);
  judge(world, [id]);
});

test('late work of an earlier claim by the same node writes nothing', async () => {
  const { clock, sink, model, memory, boot, draft } = createWorld();
  const ports = { store: memory.connect(), sink, model, clock, log: silentLogger, ids: { next: async () => 1 } };
  const core = createCore(ports, {});
  const helper = await boot();
  const { id } = await helper.engine.create(draft({ autoStart: false }));
  helper.store.die();
  const claimAs = async (fence: number) => {
    await core.store.runs.update(id, () => ({ set: { owner: core.node, fence } }));
    return createLive(core, (await core.store.runs.get(id))!);
  };
  const earlier = await claimAs(1);
  const later = await claimAs(2);
  const note = { type: 'Log', title: 'late' } as const;
  await expect(commitOwned(core, earlier, () => ({ events: [note] }))).rejects.toMatchObject({ why: 'lost' });
  await commitOwned(core, later, () => ({ events: [{ ...note, title: 'in time' }] }));
  expect(memory.disk.events.get(id)?.map((event) => event.title)).toEqual(['Created', 'in time']);
});
