import { expect, test } from 'vitest';
import { byGoal, testTool, turns } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const escalationsOf = (world: World) => [...world.memory.disk.escalations.values()];
const results = (world: World, id: number) =>
  (world.memory.disk.messages.get(id) ?? []).flatMap(({ message }) =>
    message.role === 'tool' ? [message.content] : [],
  );
const dangerous = (seen: unknown[]) =>
  testTool('deploy', async (input) => `deployed ${seen.push(input)}`, { requiresApproval: true, risk: 'Dangerous' });

test('a tool that needs an approval waits for it, takes edited arguments, and is made once', async () => {
  const seen: unknown[] = [];
  const world = createWorld({
    script: turns({ calls: [{ name: 'deploy', arguments: { value: 1 } }] }, { text: 'end' }),
    tools: [dangerous(seen)],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.clock.advance(1000);
  expect(world.run(id)).toMatchObject({ status: 'WaitingForDecision', owner: null });
  expect(seen).toEqual([]);
  const [asked] = escalationsOf(world);
  expect(asked).toMatchObject({ kind: 'toolApproval', status: 'AwaitingHuman', urgency: 'High', toolName: 'deploy' });
  await engine.resolveEscalation(asked!.id, { decision: 'approve', by: 'Ann', argumentsJson: '{"value":2}' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(seen).toEqual([{ value: 2 }]);
  await expect(engine.resolveEscalation(asked!.id, { decision: 'reject', by: 'Bob' })).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
  });
  expect(world.sink.on('escalations').map((one) => one.type)).toEqual(['escalation.raised', 'escalation.resolved']);
});

test('a rejected call tells the model why; a revision goes back to the same escalation', async () => {
  const seen: unknown[] = [];
  const world = createWorld({
    script: turns(
      { calls: [{ name: 'deploy', arguments: { value: 1 } }] },
      { calls: [{ name: 'deploy', arguments: { value: 5 } }] },
      { text: 'end' },
    ),
    tools: [dangerous(seen)],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.clock.advance(1000);
  const [asked] = escalationsOf(world);
  await engine.resolveEscalation(asked!.id, {
    decision: 'revise',
    notes: 'use five',
    by: 'Ann',
    requestRevision: true,
  });
  await world.clock.advance(1000);
  expect(results(world, id)[0]).toContain('use five');
  expect(escalationsOf(world)).toHaveLength(1);
  expect(escalationsOf(world)[0]).toMatchObject({
    status: 'AwaitingHuman',
    revisionRoundsUsed: 1,
    argumentsJson: '{"value":5}',
  });
  await engine.resolveEscalation(asked!.id, { decision: 'Reject', notes: 'after all', by: 'Ann' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(seen).toEqual([]);
  expect(results(world, id)[1]).toContain('after all');
});

test('run_escalate stops the run until somebody decides, and times out by its policy', async () => {
  const ask = (more: object) => ({
    calls: [{ name: 'run_escalate', arguments: { situation: 'Left or right?', options: ['left', 'right'], ...more } }],
  });
  const world = createWorld({
    script: byGoal({
      decided: [ask({ urgency: 'Critical', confidence: 0.4 }), { text: 'end' }],
      recommended: [ask({ recommendation: 'left', timeoutSeconds: 60 }), { text: 'end' }],
      proceeds: [ask({ timeoutSeconds: 60 }), { text: 'end' }],
    }),
  });
  const { engine } = await world.boot();
  const [decided, recommended, proceeds] = await Promise.all(
    ['decided', 'recommended', 'proceeds'].map((goal) => engine.create(world.draft({ goal }))),
  );
  await world.clock.advance(10_000);
  expect(escalationsOf(world).find((one) => one.runId === decided!.id)).toMatchObject({
    urgency: 'Critical',
    confidence: 0.4,
    optionsJson: '["left","right"]',
  });
  await engine.resolveEscalation(escalationsOf(world).find((one) => one.runId === decided!.id)!.id, {
    decision: 'right',
    notes: 'trust me',
    by: 'Ann',
  });
  await world.clock.advance(60_000);
  expect([decided, recommended, proceeds].map((one) => world.run(one!.id).status)).toEqual([
    'Completed',
    'Completed',
    'Completed',
  ]);
  expect(JSON.parse(results(world, decided!.id)[0]!)).toMatchObject({
    outcome: 'decided',
    decision: 'right',
    notes: 'trust me',
  });
  expect(JSON.parse(results(world, recommended!.id)[0]!)).toMatchObject({ outcome: 'timed-out', decision: 'left' });
  expect(JSON.parse(results(world, proceeds!.id)[0]!)).toMatchObject({ decision: 'proceed' });
});

test('an escalation from outside waits for the step in hand; a cancelled run withdraws it', async () => {
  const world = createWorld({
    script: turns({ calls: [{ name: 'step', arguments: {} }], delayMs: 2000 }, { text: 'end', delayMs: 2000 }),
    tools: [testTool('step', async () => 'on')],
  });
  const { engine } = await world.boot();
  const one = await engine.create(world.draft());
  const two = await engine.create(world.draft());
  await world.clock.advance(1000);
  const first = await engine.escalate(one.id, { situation: 'Look at this.' });
  const second = await engine.escalate(two.id, { situation: 'And this.' });
  await world.clock.advance(3000);
  expect([world.run(one.id).status, world.run(two.id).status]).toEqual(['WaitingForDecision', 'WaitingForDecision']);
  await engine.resolveEscalation(first.id, { decision: 'go on', by: 'Ann' });
  await engine.cancel(two.id);
  await world.until(() => world.run(one.id).status === 'Completed');
  expect(
    world.model.requests.some((request) =>
      request.messages.some((message) => String(message.content).includes('go on')),
    ),
  ).toBe(true);
  expect(escalationsOf(world).find((each) => each.id === second.id)?.status).toBe('Withdrawn');
  await expect(engine.escalate(one.id, { situation: 'late' })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
});

test('going in circles first brings advice, then a person', async () => {
  const world = createWorld({
    script: () => ({ calls: [{ name: 'step', arguments: { value: 1 } }] }),
    tools: [testTool('step', async () => 'same')],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.clock.advance(5000);
  expect(world.run(id)).toMatchObject({ status: 'WaitingForDecision' });
  expect(world.run(id).iterationsUsed).toBeLessThanOrEqual(8);
  expect(escalationsOf(world)[0]).toMatchObject({ kind: 'Stale' });
  expect((await engine.events(id, { limit: 200, types: ['StaleWarning'] })).length).toBeGreaterThanOrEqual(2);
  await engine.cancel(id);
  expect(world.run(id).status).toBe('Cancelled');
});

test('a council deliberates in rounds, votes, keeps dissent, and is paid from the pool', async () => {
  const positions: Record<string, string> = { Ada: 'Postgres', Bob: 'Postgres', Cy: 'SQLite' };
  const world = createWorld({
    script: (request) => {
      const who = /^You are (\w+)/.exec(String(request.messages[0]!.content))?.[1];
      if (request.purpose === 'Council') return { text: `I say so.\nPosition: ${positions[who!]}`, delayMs: 500 };
      return turns(
        {
          calls: [
            {
              name: 'council_convene',
              arguments: { question: 'Which store?', participants: ['Ada', 'Bob', 'Cy'], rounds: 2 },
            },
          ],
        },
        { text: 'end' },
      )(request);
    },
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  const [council] = [...world.memory.disk.councils.values()];
  expect(council).toMatchObject({ status: 'Consensus' });
  expect(council!.statements).toHaveLength(9);
  const outcome = JSON.parse(council!.consensusJson!);
  expect(outcome).toMatchObject({ decision: 'Postgres', dissent: [{ participant: 'Cy', vote: 'SQLite' }] });
  expect(world.run(id).tokensUsed).toBe(11 * 120);
  expect((await engine.tree(id)).tokensUsed).toBe(11 * 120);
  const types = world.sink.on('escalations').map((one) => one.type);
  expect(types.filter((type) => type === 'council.statement')).toHaveLength(9);
  expect(types.at(-1)).toBe('council.updated');
});

test('a supervisor decides what it is sure of and leaves the rest, with its view, to a person', async () => {
  const answers: Record<string, string> = {
    sure: '{"decision":"left","confidence":0.9}',
    unsure: 'Well: {"decision":"right","confidence":0.3,"notes":"hard"}',
    broken: 'no idea',
  };
  const ask = (situation: string) => [{ calls: [{ name: 'run_escalate', arguments: { situation } }] }, { text: 'end' }];
  const world = createWorld({
    script: (request) =>
      request.purpose === 'Supervisor'
        ? { text: answers[/It asks: (\w+)/.exec(String(request.messages[1]!.content))![1]!]! }
        : byGoal({ sure: ask('sure'), unsure: ask('unsure'), broken: ask('broken') })(request),
    ports: {
      briefings: {
        prepare: async () => ({ system: 's', supervisor: { modelId: 'scripted:boss', autoResolveConfidence: 0.8 } }),
      },
    },
  });
  const { engine } = await world.boot();
  const [sure, unsure, broken] = await Promise.all(
    ['sure', 'unsure', 'broken'].map((goal) => engine.create(world.draft({ goal }))),
  );
  await world.clock.advance(10_000);
  expect(world.run(sure!.id).status).toBe('Completed');
  const of = (id: number) => escalationsOf(world).find((one) => one.runId === id);
  expect(of(sure!.id)).toMatchObject({
    status: 'Resolved',
    resolutionMode: 'Supervisor',
    decision: 'left',
    delivered: true,
  });
  expect(of(unsure!.id)).toMatchObject({ status: 'AwaitingHuman', supervisorRecommendation: 'right', confidence: 0.3 });
  expect(of(broken!.id)).toMatchObject({ status: 'AwaitingHuman', supervisorRecommendation: null });
  await engine.resolveEscalation(of(unsure!.id)!.id, { decision: 'left', by: 'Ann' });
  await world.until(() => world.run(unsure!.id).status === 'Completed');
});

test('a decision to be remembered answers the same question in its tree, with its edit, and no other', async () => {
  const made: unknown[] = [];
  const call = (value: number) => ({ calls: [{ name: 'deploy', arguments: { value } }] });
  const world = createWorld({
    script: byGoal({
      first: [call(1), { calls: [{ name: 'run_spawn', arguments: { goal: 'part', wait: true } }] }, { text: 'end' }],
      part: [call(1), call(2), { text: 'end' }],
      second: [call(1), { text: 'end' }],
    }),
    tools: [dangerous(made)],
  });
  const { engine } = await world.boot();
  const first = await engine.create(world.draft({ goal: 'first' }));
  await world.clock.advance(1000);
  const resolution = { decision: 'approve', by: 'Ann', rememberAsRule: true, argumentsJson: '{"value":5}' };
  await engine.resolveEscalation(escalationsOf(world)[0]!.id, resolution);
  await world.clock.advance(10_000);
  expect(made).toEqual([{ value: 5 }, { value: 5 }]);
  const [asked, again, other] = escalationsOf(world);
  expect(again).toMatchObject({
    status: 'Resolved',
    resolutionMode: 'Policy',
    decidedBy: 'Ann',
    decisionNotes: `Remembered from escalation ${asked!.id}.`,
    delivered: true,
  });
  expect(other).toMatchObject({ status: 'AwaitingHuman', argumentsJson: '{"value":2}' });
  await engine.resolveEscalation(other!.id, { decision: 'reject', by: 'Ann' });
  await world.until(() => world.run(first.id).status === 'Completed');
  await engine.create(world.draft({ goal: 'second' }));
  await world.clock.advance(1000);
  expect(escalationsOf(world).at(-1)).toMatchObject({ status: 'AwaitingHuman', rememberAsRule: false });
});

test('very long output is summarised, and its head and tail kept', async () => {
  const world = createWorld({
    script: (request) =>
      request.purpose === 'Summary'
        ? { text: 'All of it is x.' }
        : turns({ calls: [{ name: 'dump', arguments: {} }] }, { text: 'end' })(request),
    tools: [testTool('dump', async () => `start ${'x'.repeat(100_000)} stop`)],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  const [result] = results(world, id);
  expect(result!.length).toBeLessThan(10_000);
  expect(result).toMatch(/^\[Summary of 100011 characters\]\nAll of it is x\.\n[\s\S]*start x+[\s\S]*x+ stop$/);
});

test.each([
  ['fail', 'Failed'],
  ['cancel', 'Cancelled'],
] as const)(
  'when nobody answers in time a run may %s, also where the question came from outside',
  async (action, status) => {
    const question = { situation: 'Go?', timeoutSeconds: 30, onTimeout: action };
    const world = createWorld({
      script: byGoal({
        asks: [{ calls: [{ name: 'run_escalate', arguments: question }] }, { text: 'never' }],
        // Still at work when the time is over.
        works: [{ text: 'never', delayMs: 60_000 }],
      }),
    });
    const { engine } = await world.boot();
    const asks = await engine.create(world.draft({ goal: 'asks' }));
    const works = await engine.create(world.draft({ goal: 'works' }));
    await world.clock.advance(1000);
    const timeoutAction = action === 'fail' ? 'Fail' : 'Cancel';
    await engine.escalate(works.id, { situation: 'Go?', timeoutAt: world.clock.now() + 30_000, timeoutAction });
    await world.until(() => [asks, works].every(({ id }) => world.run(id).status === status));
    for (const { id } of [asks, works]) expect(world.run(id).failureReason).toContain('Nobody answered');
    expect(escalationsOf(world).map((one) => one.status)).toEqual(['TimedOut', 'TimedOut']);
  },
);
