import { expect, test } from 'vitest';
import { byGoal, testTool, turns } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const asked = (world: World) => [...world.memory.disk.escalations.values()];
const open = (world: World) => asked(world).filter(({ resolvedAt }) => resolvedAt === null);
const results = (world: World, id: number) =>
  (world.memory.disk.messages.get(id) ?? []).flatMap(({ message }) => (message.role === 'tool' ? [message] : []));
const call = (value: number) => ({ calls: [{ name: 'deploy', arguments: { value } }] });
type Options = NonNullable<Parameters<typeof createWorld>[0]>;
const deploys = (script: NonNullable<Options['script']>, more: Options = {}) => {
  const made: unknown[] = [];
  const deploy = testTool('deploy', async (input) => `deployed ${made.push(input)}`);
  return { made, world: createWorld({ script, tools: [deploy], ...more }) };
};
const beforeDeploy = { before: 'Tool' as const, name: 'dep*', forTree: false };

test('a call waits at a breakpoint, over a restart too, is asked about once, and goes on with edited arguments', async () => {
  const { made, world } = deploys(turns(call(1), call(2), call(3), { text: 'end' }));
  const first = await world.boot();
  const { id } = await first.engine.create(world.draft({ breakpoints: [beforeDeploy], by: 'Ann' }));
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  expect(asked(world)).toMatchObject([{ kind: 'breakpoint', status: 'AwaitingHuman', toolName: 'deploy' }]);
  expect(asked(world)[0]!.situation).toContain('Breakpoint before tool `dep*`, set by Ann.');
  const moved = await first.engine.events(id, { limit: 200, types: ['StatusChanged'] });
  expect(moved.at(-1)?.message).toContain('Stopped at a breakpoint before tool `dep*`.');

  const { engine } = await world.boot();
  await world.clock.advance(20_000);
  expect(asked(world)).toHaveLength(1);
  expect(made).toEqual([]);
  await engine.resolveEscalation(open(world)[0]!.id, { decision: 'continue', by: 'Ann', argumentsJson: '{"value":7}' });
  await world.until(() => open(world).length === 1);
  expect(made).toEqual([{ value: 7 }]);

  await engine.resolveEscalation(open(world)[0]!.id, { decision: 'skip', notes: 'It is deployed.', by: 'Ann' });
  await world.until(() => open(world).length === 1);
  expect(results(world, id)[1]).toMatchObject({ content: 'It is deployed.' });
  expect(results(world, id)[1]).not.toHaveProperty('isError');

  const [set] = await engine.breakpoints(id);
  await engine.removeBreakpoint(id, set!.id, 'Ann');
  await engine.resolveEscalation(open(world)[0]!.id, { decision: 'not on a Friday', by: 'Ann' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(results(world, id)[2]).toMatchObject({ isError: true });
  expect(made).toEqual([{ value: 7 }]);
  expect(asked(world)).toHaveLength(3);
});

test('a breakpoint of the tree stops children to come, one before a role their spawning; cancel ends the run', async () => {
  const spawn = { calls: [{ name: 'run_spawn', arguments: { goal: 'part', role: 'tester', wait: true } }] };
  const script = byGoal({ whole: [spawn, { text: 'end' }], part: [call(1), { text: 'end' }] });
  const { made, world } = deploys(script);
  const { engine } = await world.boot();
  const whole = await engine.create(world.draft({ goal: 'whole', autoStart: false }));
  await engine.setBreakpoint(whole.id, { ...beforeDeploy, forTree: true }, 'Ann');
  const role = { before: 'Role' as const, name: 'tester', forTree: false };
  const set = await engine.setBreakpoint(whole.id, role, 'Ann');
  expect(await engine.setBreakpoint(whole.id, role, 'Bob')).toEqual(set);
  await engine.start(whole.id);
  await world.until(() => open(world).length === 1);
  expect(world.memory.disk.runs.size).toBe(1);
  await engine.resolveEscalation(open(world)[0]!.id, { decision: 'continue', by: 'Ann' });
  await world.until(() => open(world).length === 1);
  const child = open(world)[0]!.runId!;
  expect(child).not.toBe(whole.id);
  expect(await engine.breakpoints(child)).toMatchObject([{ name: 'dep*', runId: whole.id, by: 'Ann' }]);
  await engine.resolveEscalation(open(world)[0]!.id, { decision: 'cancel', notes: 'Wrong branch.', by: 'Ann' });
  expect(world.run(child)).toMatchObject({ status: 'Cancelled' });
  await world.until(() => world.run(whole.id).status === 'Completed');
  expect(made).toEqual([]);
  const ended = await engine.events(child, { limit: 200, types: ['EscalationResolved', 'RunCancelled'] });
  expect(ended.map(({ type }) => type)).toEqual(['EscalationResolved', 'RunCancelled']);
});

test('one that is set while the model answers stops the call of that answer, by another node too', async () => {
  const far = { shared: true, options: { reconcileMs: 60_000, leaseMs: 300_000 } };
  const { made, world } = deploys(turns({ ...call(1), delayMs: 3000 }, { text: 'end' }), far);
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  const other = await world.boot();
  await world.clock.advance(1000);
  await other.engine.setBreakpoint(id, beforeDeploy, 'Ann');
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  expect(made).toEqual([]);
  expect(asked(world)[0]).toMatchObject({ kind: 'breakpoint', timeoutAt: null });
});

test('a call that needs an approval as well is asked about once, and no rule is remembered', async () => {
  const made: unknown[] = [];
  const deploy = testTool('deploy', async (input) => `deployed ${made.push(input)}`, { requiresApproval: true });
  const world = createWorld({ script: turns(call(1), call(1), { text: 'end' }), tools: [deploy] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ breakpoints: [beforeDeploy] }));
  for (const count of [1, 2]) {
    await world.until(() => open(world).length === 1);
    expect(asked(world)).toHaveLength(count);
    const decision = { decision: 'continue', by: 'Ann', rememberAsRule: true };
    await engine.resolveEscalation(open(world)[0]!.id, decision);
  }
  await world.until(() => world.run(id).status === 'Completed');
  expect(made).toHaveLength(2);
  await expect(engine.removeBreakpoint(id, 'nope', null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
