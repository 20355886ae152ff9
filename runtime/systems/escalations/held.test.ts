// Questions that hang on a connection of one node: it goes on with the run, whoever decides where, and ends with the connection.
import { expect, it } from 'vitest';
import type { AnsweredQuestion } from '../../ports.ts';
import type { Decision } from '../../records.ts';
import { testTool, turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';

/** A tool whose calls ask over a connection of the node that makes them. */
function asking(whenInterrupted: 'retry' | 'report' = 'report') {
  const went: { node: string | null; answered?: AnsweredQuestion }[] = [];
  const dropped: string[] = [];
  const connections: AbortController[] = [];
  const tool = testTool(
    'ask',
    async (_, { run, answered }) => {
      went.push({ node: run.owner, ...(answered && { answered }) });
      if (answered) return answered.lost ? 'It was lost.' : `It was told ${answered.decision}.`;
      const over = new AbortController();
      connections.push(over);
      const held = { until: world.clock.now() + 60_000, over: over.signal, drop: () => void dropped.push('dropped') };
      return { content: '', asks: { kind: 'elicitation', situation: 'Which one?', options: [], kept: 'k', held } };
    },
    { whenInterrupted },
  );
  const world = createWorld({
    ...{ shared: true, tools: [tool], options: { leaseMs: 3000 } },
    script: turns({ calls: [{ name: 'ask', arguments: {} }] }, { text: 'Done.' }),
  });
  const statusOf = (id: number) => world.run(id).status;
  const resultOf = (id: number) => [...(world.memory.disk.toolCalls.get(id)?.values() ?? [])][0]?.result;
  const start = async (engine: Awaited<ReturnType<typeof world.boot>>['engine']) => {
    const { id } = await engine.create(world.draft());
    await world.until(() => statusOf(id) === 'WaitingForDecision');
    const [escalation] = [...world.memory.disk.escalations.values()].filter(({ runId }) => runId === id);
    return { id, escalationId: escalation!.id };
  };
  return { ...{ world, went, dropped, connections, statusOf, resultOf, start } };
}

it('are decided on any node, and go on with the node that holds them', async () => {
  const { world, went, start, statusOf, resultOf } = asking();
  const { engine } = await world.boot();
  const { id, escalationId } = await start(engine);
  const other = await world.boot();
  expect(engine.stats()).toMatchObject({ running: 0, held: { held: 1 } });
  await other.engine.resolveEscalation(escalationId, { decision: 'north', by: 'Ann' });
  await world.until(() => statusOf(id) === 'Completed');
  expect(resultOf(id)).toBe('It was told north.');
  expect(went.map(({ node }) => node)).toEqual([engine.stats().node, engine.stats().node]);
  expect(engine.stats().held.held).toBe(0);
});

it('are lost with their node: another goes on, and whoever answers then is told that it is too late', async () => {
  const { world, went, start, statusOf, resultOf } = asking();
  const first = await world.boot();
  const { id, escalationId } = await start(first.engine);
  const other = await world.boot();
  first.store.die();
  await world.until(() => statusOf(id) === 'Completed');
  expect(resultOf(id)).toBe('It was lost.');
  expect(went.at(-1)).toMatchObject({ node: other.engine.stats().node, answered: { decision: null, lost: true } });
  expect(world.memory.disk.escalations.get(escalationId)).toMatchObject({ status: 'Withdrawn', delivered: true });
  const late = other.engine.resolveEscalation(escalationId, { decision: 'north', by: 'Ann' });
  await expect(late).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
});

it('are lost with their connection, and their run goes on', async () => {
  const { world, connections, start, statusOf, resultOf } = asking();
  const { engine } = await world.boot();
  const { id } = await start(engine);
  connections[0]?.abort();
  await world.until(() => statusOf(id) === 'Completed');
  expect(resultOf(id)).toBe('It was lost.');
});

it('end with the time of their connection, without an answer', async () => {
  const { world, went, start, statusOf } = asking();
  const { engine } = await world.boot();
  const { id, escalationId } = await start(engine);
  await world.until(() => statusOf(id) === 'Completed');
  expect(world.memory.disk.escalations.get(escalationId)).toMatchObject({ status: 'TimedOut', decision: null });
  expect(went.at(-1)?.answered).toEqual({ kept: 'k', decision: null });
});

it.each(['here', 'on another node'])('let go of their connection when the run is cancelled %s', async (where) => {
  const { world, dropped, start, statusOf } = asking();
  const { engine } = await world.boot();
  const { id } = await start(engine);
  const other = await world.boot();
  await (where === 'here' ? engine : other.engine).cancel(id);
  await world.until(() => dropped.length > 0, 10_000);
  expect([statusOf(id), dropped]).toEqual(['Cancelled', ['dropped']]);
  await world.clock.advance(5000);
  expect(dropped).toHaveLength(1);
});

/** Questions of chats, whose replies take every decision that they are told. */
function askingInChats() {
  const told: { outcome: string; decision: string | null }[] = [];
  const dropped: string[] = [];
  const take = async ({ decision: { outcome, decision } }: { decision: Decision }) => {
    told.push({ outcome, decision });
    return true;
  };
  const world = createWorld({ ...{ shared: true, ports: { chatDecisions: take } }, options: { leaseMs: 3000 } });
  const over = new AbortController();
  const ask = async (engine: Awaited<ReturnType<typeof world.boot>>['engine']) => {
    const escalationId = await engine.nextEscalationId();
    const held = { until: world.clock.now() + 60_000, over: over.signal, drop: () => void dropped.push('dropped') };
    const asks = { kind: 'elicitation', situation: 'Which one?', options: [], kept: 'k', held };
    const chat = { tenantId: 1, chatSessionId: 7, projectId: null, identityId: 1, callKey: 'chat:1:0:c 1' };
    await engine.askForChat({
      ...chat,
      escalationId,
      tool: testTool('ask', async () => ''),
      argumentsJson: '{}',
      asks,
    });
    return escalationId;
  };
  const statusOf = (id: number) => world.memory.disk.escalations.get(id)?.status;
  return { world, told, dropped, over, ask, statusOf };
}

it('of chats are decided on any node, and told to the one that holds them', async () => {
  const { world, told, dropped, ask } = askingInChats();
  const { engine } = await world.boot();
  const id = await ask(engine);
  const other = await world.boot();
  await world.clock.advance(10_000);
  expect([engine.stats().held.held, dropped, told]).toEqual([1, [], []]);
  await other.engine.resolveEscalation(id, { decision: 'north', by: 'Ann' });
  await world.until(() => told.length > 0, 100);
  expect([told, engine.stats().held.held, dropped]).toEqual([[{ outcome: 'decided', decision: 'north' }], 0, []]);
  expect(world.memory.disk.escalations.get(id)).toMatchObject({ status: 'Resolved', delivered: true });
});

it('of chats are lost with their node or connection, and told so once', async () => {
  const { world, told, over, ask, statusOf } = askingInChats();
  const first = await world.boot();
  const [ofNode, second] = [await ask(first.engine), await world.boot()];
  first.store.die();
  await world.until(() => told.length > 0);
  const ofConnection = await ask(second.engine);
  over.abort();
  await world.until(() => told.length > 1, 100);
  await world.clock.advance(10_000);
  expect([ofNode, ofConnection].map(statusOf)).toEqual(['Withdrawn', 'Withdrawn']);
  expect(told.map(({ outcome }) => outcome)).toEqual(['lost', 'lost']);
});

it.each(['here', 'on another node'])(
  'of chats let go of their connection when they are withdrawn %s',
  async (where) => {
    const { world, told, dropped, ask } = askingInChats();
    const { engine } = await world.boot();
    const id = await ask(engine);
    const other = await world.boot();
    await (where === 'here' ? engine : other.engine).withdrawEscalation(id);
    await world.until(() => dropped.length > 0, 10_000);
    await world.clock.advance(5000);
    expect([dropped, told, engine.stats().held.held]).toEqual([['dropped'], [], 0]);
  },
);

it('of chats end with the time of their connection, without an answer', async () => {
  const { world, told, ask } = askingInChats();
  await ask((await world.boot()).engine);
  await world.until(() => told.length > 0);
  expect(told).toEqual([{ outcome: 'timed-out', decision: null }]);
});
