import { expect, test } from 'vitest';
import { Fault } from '../src/kernel/fault.ts';
import { testTool, turns } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

test('what the model thought is kept with its answer', async () => {
  const world = createWorld({ script: () => ({ reasoning: 'Six times seven.', text: 'It is 42.' }) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  const [answer] = await engine.events(id, { types: ['ModelCallCompleted'], limit: 10 });
  expect(answer?.message).toBe('It is 42.');
  expect(JSON.parse(answer?.payloadJson ?? '{}')).toEqual({ reasoning: 'Six times seven.' });
});

test('a run that names no model leaves the choice to routes, and one that names the default model does not', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.' }) });
  const { engine } = await world.boot();
  for (const modelId of [null, world.model.defaultModelId()]) {
    const { id } = await engine.create(world.draft({ modelId }));
    await world.until(() => world.run(id).status === 'Completed');
    const [started] = await engine.events(id, { types: ['ModelCallStarted'], limit: 10 });
    expect(started).toMatchObject({ title: 'scripted:test', modelId: 'scripted:test' });
  }
  expect(world.model.requests.map((request) => request.modelId)).toEqual(['auto', 'scripted:test']);
});

test('a run that ends leaves nothing to recovery, which takes one after the other', async () => {
  const world = createWorld({
    script: turns(
      { calls: [{ name: 'look', arguments: {} }] },
      { calls: [{ name: 'look', arguments: {} }] },
      { text: 'Done.' },
    ),
    tools: [testTool('look', async () => 'seen')],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  // Less than the age at which recovery looks after a run.
  await world.clock.advance(100);
  const { eventCount } = world.run(id);
  expect(world.run(id)).toMatchObject({ unfinished: false, duties: [], settlements: [], publishedSeq: eventCount });
});

test('a run is Pending until it is started, works through tools and completes with its answer', async () => {
  const calls: unknown[] = [];
  const world = createWorld({
    script: turns(
      { text: 'I plan.', calls: [{ name: 'run_plan', arguments: { steps: ['look', 'answer'] } }] },
      {
        calls: [
          { name: 'look', arguments: { value: 1 } },
          { name: 'look', arguments: { value: 2 }, id: 'second' },
        ],
      },
      { text: 'It is 42.' },
    ),
    tools: [testTool('look', async (input) => `saw ${JSON.stringify(input)} as number ${calls.push(input)}`)],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ autoStart: false, projectId: 9 }));
  expect(world.run(id).status).toBe('Pending');
  await engine.start(id);
  await world.until(() => world.run(id).status === 'Completed');

  const run = world.run(id);
  expect(run.result?.summary).toBe('It is 42.');
  expect(calls).toEqual([{ value: 1 }, { value: 2 }]);
  expect(run.iterationsUsed).toBe(3);
  expect(run.tokensUsed).toBe(360);
  expect(run.costUsd).toBeCloseTo(0.00036);
  const view = await engine.view(run);
  expect(view).toMatchObject({
    totalTokensWithChildren: 360,
    poolTokensUsed: 360,
    poolIterationsUsed: 3,
    status: 'Completed',
  });

  await world.clock.advance(5000);
  const events = await engine.events(id, { limit: 1000 });
  expect(events.map((event) => event.seq)).toEqual(events.map((_, at) => at + 1));
  const streamed = world.sink.on(`run:${id}`).filter((one) => one.type === 'run.event');
  expect(streamed.map((one) => (one.data as { seq: number }).seq)).toEqual(events.map((event) => event.seq));
  const types = world.sink.on(`run:${id}`).map((one) => one.type);
  expect(types.at(-1)).toBe('run.ended');
  expect(types).toContain('run.delta');
  expect(world.sink.on('project:9').map((one) => one.type)).toContain('run.completed');
  expect(world.sink.on('runs').filter((one) => one.type === 'tree.quiesced')).toHaveLength(1);
  expect(world.run(id)).toMatchObject({ unfinished: false, duties: [], settlements: [], publishedSeq: events.length });
});

test('wrong arguments, unknown tools, failures and timeouts come back to the model as errors', async () => {
  const world = createWorld({
    script: turns(
      {
        calls: [
          { name: 'look', arguments: { value: 'x' }, id: 'a' },
          { name: 'look', arguments: '{oops', id: 'b' },
          { name: 'nothing', arguments: {}, id: 'c' },
          { name: 'breaks', arguments: {}, id: 'd' },
          { name: 'hangs', arguments: {}, id: 'e' },
        ],
      },
      { text: 'ok' },
    ),
    tools: [
      testTool('look', async () => 'never'),
      testTool('breaks', async () => {
        throw new Fault('CONNECTOR_ERROR', 'The other side said no.', { hint: 'Ask again.' });
      }),
      testTool('hangs', () => new Promise(() => {}), { timeoutMs: 1000 }),
    ],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  const answers = world.model.requests[1]!.messages.filter((one) => one.role === 'tool');
  expect(answers.map((one) => one.toolCallId)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(answers.every((one) => one.isError)).toBe(true);
  expect(answers.map((one) => one.content).join('\n')).toMatch(
    /do not fit[\s\S]*not valid JSON[\s\S]*no tool nothing[\s\S]*said no[\s\S]*1000 ms/,
  );
});

test('a budget of turns, tokens or time ends a run', async () => {
  const world = createWorld({
    script: (_request, call) => ({
      calls: [{ name: 'look', arguments: { value: call } }],
      delayMs: 50,
    }),
    tools: [testTool('look', async () => 'more')],
  });
  const { engine } = await world.boot();
  const turnsRun = await engine.create(world.draft({ maxIterations: 3 }));
  const tokensRun = await engine.create(world.draft({ maxTokens: 2000 }));
  const timeRun = await engine.create(world.draft({ maxWallClockMs: 330 }));
  await world.until(() =>
    [turnsRun, tokensRun, timeRun].every((one) => !['Queued', 'Running'].includes(world.run(one.id).status)),
  );
  expect(world.run(turnsRun.id)).toMatchObject({ status: 'BudgetExhausted', iterationsUsed: 3, exhausted: 'run' });
  expect(world.run(tokensRun.id).status).toBe('BudgetExhausted');
  expect(world.run(tokensRun.id).tokensUsed).toBeLessThanOrEqual(2000);
  expect(world.run(timeRun.id)).toMatchObject({ status: 'TimedOut' });
  await expect(engine.resume(turnsRun.id)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  await engine.patch(turnsRun.id, { maxIterations: 4 });
  await engine.resume(turnsRun.id);
  await world.until(
    () => world.run(turnsRun.id).iterationsUsed === 4 && world.run(turnsRun.id).status === 'BudgetExhausted',
  );
});

test('cancel reaches a model call in flight, pause waits for the step, resume goes on', async () => {
  const world = createWorld({
    script: turns(
      { calls: [{ name: 'run_progress', arguments: { summary: 'half' } }], delayMs: 5000 },
      { text: 'end', delayMs: 5000 },
    ),
  });
  const { engine } = await world.boot();
  const one = await engine.create(world.draft());
  const two = await engine.create(world.draft());
  await world.clock.advance(1000);
  const cancelled = await engine.cancel(one.id, { reason: 'enough', by: 'Ann' });
  expect(cancelled).toMatchObject({ previousStatus: 'Running', affectedRunIds: [one.id] });
  await engine.pause(two.id);
  await world.clock.advance(10);
  expect(world.run(one.id)).toMatchObject({ status: 'Cancelled', failureReason: 'enough', owner: null });
  expect(world.run(two.id).status).toBe('Running');
  await world.clock.advance(5000);
  expect(world.run(two.id)).toMatchObject({ status: 'Paused', iterationsUsed: 1 });
  await world.clock.advance(60_000);
  expect(world.run(two.id).status).toBe('Paused');
  await engine.resume(two.id, { guidance: 'Be quick.' });
  await world.until(() => world.run(two.id).status === 'Completed');
  expect(world.model.requests.at(-1)!.messages.at(-1)).toMatchObject({
    role: 'user',
    content: expect.stringContaining('Be quick.'),
  });
  await expect(engine.cancel(one.id)).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
    hint: expect.stringContaining('restart'),
  });
});

test('after a kill another node goes on from the last step and repeats no finished tool call', async () => {
  const seen: string[] = [];
  const script = turns(
    { calls: [{ name: 'count', arguments: {} }] },
    { text: 'waiting', calls: [{ name: 'run_note', arguments: { content: 'n' } }], delayMs: 60_000 },
    { text: 'end' },
  );
  const world = createWorld({
    script,
    tools: [testTool('count', async (_, { idempotencyKey }) => `counted ${seen.push(idempotencyKey)}`)],
    options: { soleOwner: false },
  });
  const first = await world.boot();
  const { id } = await first.engine.create(world.draft());
  await world.clock.advance(30_000);
  expect(world.run(id).status).toBe('Running');
  first.store.die();
  await world.boot();
  await world.until(() => world.run(id).crashes === 1, 15_000);
  await world.until(() => world.run(id).status === 'Completed');
  expect(seen).toHaveLength(1);
  expect(world.run(id).writtenOffTokens).toBeGreaterThan(0);
  const tree = world.memory.disk.trees.get(id)!;
  expect(tree.holds).toEqual({});
  expect(tree.tokensUsed).toBe(world.run(id).tokensUsed + world.run(id).writtenOffTokens);
});

test('the model is told who calls and where, and that the run itself repeats what fails', async () => {
  const world = createWorld();
  const { engine } = await world.boot();
  const draft = {
    role: 'coder',
    projectId: 7,
    startedByUserId: 3,
    outputPath: 'out/',
    environmentJson: '{"TARGET":"plan9"}',
  };
  await engine.create(world.draft(draft));
  await world.clock.advance(1000);
  const [request] = world.model.requests;
  expect(request).toMatchObject({ role: 'coder', projectId: 7, userId: 3, identityId: 1, runId: 1, repeats: false });
  const system = String(request?.messages[0]?.content);
  expect(system).toContain('under out/');
  expect(system).toContain('TARGET');
  expect(JSON.stringify(request)).not.toContain('plan9');
});

test('a message that comes just before the run completes is read first', async () => {
  const world = createWorld({
    script: turns(
      { calls: [{ name: 'run_complete', arguments: { summary: 'early' } }] },
      { calls: [{ name: 'run_complete', arguments: { summary: 'late' } }] },
    ),
    ports: {
      // The check before the end is the moment in which the message comes.
      contracts: {
        async check(run) {
          if (world.model.requests.length === 1) await node.engine.deliverMessage(run.id, { text: 'wait', key: 'w' });
          return { met: true, detail: null };
        },
      },
    },
  });
  const node = await world.boot();
  const { id } = await node.engine.create(world.draft({ contractDeliverable: 'a thing' }));
  await world.clock.advance(5000);
  expect(world.run(id)).toMatchObject({ status: 'Completed', result: { summary: 'late' } });
  expect(JSON.stringify(world.model.requests[1]?.messages)).toContain('wait');
});
