import { expect, test } from 'vitest';
import type { ModelRequest } from '../../model.ts';
import type { ScriptedTurn } from '../../testing/scripted-model.ts';
import { turns } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const councilOf = (world: World) => [...world.memory.disk.councils.values()][0];
const escalationOf = (world: World) => [...world.memory.disk.escalations.values()][0]!;
const speakerOf = (request: ModelRequest) => /^You are (\w+)/.exec(String(request.messages[0]?.content))?.[1] ?? '';
const said = (position: string): ScriptedTurn => ({ text: `Because.\nPosition: ${position}`, delayMs: 100 });

/** A run that asks which way, and then does what it was told; participants answer by `voice`. */
function asking(voice: (speaker: string) => string, question: object = {}) {
  const play = turns(
    {
      calls: [
        { name: 'run_escalate', arguments: { situation: 'Which way?', options: ['left', 'right'], ...question } },
      ],
    },
    { text: 'went there' },
  );
  return createWorld({
    script: (request) => (request.purpose === 'Council' ? said(voice(speakerOf(request))) : play(request)),
  });
}

async function ask(world: World) {
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  await engine.resolveEscalation(escalationOf(world).id, { decision: 'left', by: 'Ann', mode: 'Council' });
  return { engine, id };
}

test('an escalation is decided by the consensus of a council, held on the budget of its run', async () => {
  const world = asking(() => 'right');
  const { id } = await ask(world);
  await world.until(() => world.run(id).status === 'Completed');
  expect(councilOf(world)).toMatchObject({
    status: 'Consensus',
    runId: id,
    question: expect.stringContaining('Which way?'),
  });
  expect(councilOf(world)!.question).toContain('leans to: left');
  expect(escalationOf(world)).toMatchObject({ status: 'Resolved', resolutionMode: 'Council', decision: 'right' });
  expect(world.run(id).tokensUsed).toBe(world.model.spent.tokens);
  expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('right');
});

test('without consensus the question stays with people, who hear of the positions', async () => {
  const world = asking((speaker) => (speaker === 'Sceptic' ? 'left' : speaker === 'Advocate' ? 'right' : 'neither'));
  const { engine, id } = await ask(world);
  await world.until(() => councilOf(world)?.completedAt != null && world.run(id).owner === null);
  expect(world.run(id)).toMatchObject({ status: 'WaitingForDecision', runnable: false });
  expect(councilOf(world)?.status).toBe('NoConsensus');
  const { status, supervisorRecommendation } = escalationOf(world);
  expect(status).toBe('AwaitingHuman');
  expect(supervisorRecommendation?.split(' / ').sort()).toEqual(['left', 'neither', 'right']);
  await engine.resolveEscalation(escalationOf(world).id, { decision: 'right', by: 'Ann' });
  await world.until(() => world.run(id).status === 'Completed');
});

test('a person who is faster than the council decides; a council needs a run that waits', async () => {
  const world = asking(() => 'right');
  const { engine, id } = await ask(world);
  await world.clock.advance(50);
  await engine.resolveEscalation(escalationOf(world).id, { decision: 'left', by: 'Ann' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(escalationOf(world)).toMatchObject({ decision: 'left', resolutionMode: 'Human' });
  const again = engine.resolveEscalation(escalationOf(world).id, { decision: 'x', by: 'Ann', mode: 'Council' });
  await expect(again).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
});

test('a council that its server died over is gone on with, and nobody speaks twice', async () => {
  const world = asking(() => 'right');
  const node = await world.boot();
  const { id } = await node.engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  await node.engine.resolveEscalation(escalationOf(world).id, { decision: 'left', by: 'Ann', mode: 'Council' });
  await world.until(() => (councilOf(world)?.statements.length ?? 0) > 0);
  node.store.die();
  await world.boot();
  await world.until(() => world.run(id).status === 'Completed');
  const voices = councilOf(world)!.statements.map((one) => `${one.participant} ${one.round}`);
  expect(new Set(voices).size).toBe(voices.length);
  expect(escalationOf(world).resolutionMode).toBe('Council');
});

test('a council whose run is stopped between two of its calls is cancelled, also while the run has not heard of it', async () => {
  const convene = { name: 'council_convene', arguments: { question: 'Which way?', participants: ['Ada', 'Bob'] } };
  const world = createWorld({
    script: (request) => (request.purpose === 'Council' ? said('north') : { calls: [convene] }),
  });
  const { engine, store } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => councilOf(world)?.status === 'Deliberating');
  await store.trees.update(id, ({ members }) => ({
    members: members.with(new Map([[id, { ...members.get(id)!, stop: 'cancel' }]])),
  }));
  await world.clock.advance(150);
  await engine.cancel(id, {});
  await world.until(() => world.run(id).status === 'Cancelled');
  expect(councilOf(world)).toMatchObject({ status: 'Cancelled', consensusJson: null });
});

const place = (signal: AbortSignal) => ({
  tenantId: 1,
  chatSessionId: 7,
  identityId: 2,
  userId: 3,
  modelId: 'scripted:chat',
  signal,
});
const participant = (name: string, more: object = {}) => ({
  name,
  role: null,
  modelId: null,
  identityId: null,
  ...more,
});
const draft = {
  key: 'k',
  question: 'Which way?',
  rounds: 1,
  participants: [participant('Ada', { role: 'planner', identityId: 9, modelId: 'm:a' }), participant('Bob')],
};

test('a chat holds councils too: paid by its session, told on its topic, once a key', async () => {
  const world = createWorld({ script: () => said('north') });
  const { engine } = await world.boot();
  const held = engine.deliberate(place(new AbortController().signal), draft);
  await world.clock.advance(5000);
  const council = await held;
  expect(council).toMatchObject({ status: 'Consensus', runId: null, chatSessionId: 7 });
  const [ada, bob] = world.model.requests;
  expect(ada).toMatchObject({ modelId: 'm:a', role: 'planner', identityId: 9, chatSessionId: 7, purpose: 'Council' });
  expect(bob).toMatchObject({ modelId: 'scripted:chat', identityId: 2, userId: 3 });
  expect(world.sink.on('chat:7').map((one) => one.type)).toContain('council.statement');
  const calls = world.model.requests.length;
  expect((await engine.deliberate(place(new AbortController().signal), draft)).id).toBe(council.id);
  expect(world.model.requests).toHaveLength(calls);
});

test('who says nothing is noted with the reason, and the times of each status are kept', async () => {
  const world = createWorld({
    script: ({ messages }) => {
      if (String(messages[0]?.content).startsWith('You are Cy')) throw new Error('lost for words');
      return said('north');
    },
  });
  const { engine } = await world.boot();
  const participants = ['Ada', 'Bob', 'Cy'].map((name) => participant(name));
  const held = engine.deliberate(place(new AbortController().signal), { ...draft, rounds: 1, participants });
  await world.until(() => councilOf(world)?.completedAt != null);
  await held;
  const { silences, phases, status } = councilOf(world)!;
  expect(status).toBe('Consensus');
  expect(silences?.map(({ round, participant, reason }) => [round, participant, reason])).toEqual([
    [1, 'Cy', expect.stringContaining('lost for words')],
    [2, 'Cy', expect.stringContaining('lost for words')],
  ]);
  expect(phases?.map((one) => one.status)).toEqual(['Convening', 'Deliberating', 'Voting', 'Consensus']);
  expect(JSON.parse(councilOf(world)!.consensusJson!).tally).toEqual([{ position: 'north', votes: 2 }]);
});

test('a council of a chat that is stopped is cancelled', async () => {
  const world = createWorld({ script: () => said('north') });
  const { engine } = await world.boot();
  const stop = new AbortController();
  const held = engine.deliberate(place(stop.signal), draft);
  const failed = expect(held).rejects.toThrow('enough');
  await world.clock.advance(50);
  stop.abort(new Error('enough'));
  await world.clock.advance(1000);
  await failed;
  expect(councilOf(world)?.status).toBe('Cancelled');
});

test('a council of a chat that was lost with its server fails with the reason, also where it is still held', async () => {
  const world = createWorld({ script: () => said('north') });
  const { engine } = await world.boot();
  const held = engine.deliberate(place(new AbortController().signal), draft);
  const failed = expect(held).rejects.toThrow();
  await world.clock.advance(10);
  expect(councilOf(world)?.status).toBe('Deliberating');
  const { engine: next } = await world.boot();
  await next.abandonCouncils(7);
  await next.abandonCouncils(7);
  await world.clock.advance(10_000);
  await failed;
  expect(councilOf(world)).toMatchObject({ status: 'Failed', statements: [], completedAt: expect.any(Number) });
  expect(councilOf(world)?.consensusJson).toContain('lost');
  const told = world.sink.on('chat:7').filter((one) => (one.data as { status?: string }).status === 'Failed');
  expect(told).toHaveLength(1);
  const spent = world.model.requests.length;
  await world.clock.advance(10_000);
  expect(world.model.requests).toHaveLength(spent);
});

test('prompts of a council grow with its rounds, not with their square', async () => {
  const long = (vote: string) => ({ text: `${'reason '.repeat(300)}\nPosition: ${vote}` });
  const world = createWorld({ script: (_, call) => long(`way ${call}`) });
  const { engine } = await world.boot();
  const participants = ['Ada', 'Bob', 'Cy'].map((name) => participant(name));
  const held = engine.deliberate(place(new AbortController().signal), { ...draft, rounds: 6, participants });
  await world.until(() => world.model.requests.length === 21);
  await world.clock.advance(1000);
  expect((await held).status).toBe('NoConsensus');
  const sizes = world.model.requests.map(({ messages }) => String(messages.at(-1)?.content).length);
  expect(sizes[20]! / sizes[3]!).toBeLessThan(1.2);
  expect(String(world.model.requests[20]?.messages.at(-1)?.content)).toContain('Bob (round 1): way 1');
});
