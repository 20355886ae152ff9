import { expect, test } from 'vitest';
import { Fault } from '../../../src/kernel/fault.ts';
import { judge } from '../../testing/judge.ts';
import { byGoal, testTool, turnOf, turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';

const step = testTool('step', async (input) => `did ${JSON.stringify(input)}`);
const count = (upTo: number) =>
  Array.from({ length: upTo }, (_, at) => ({ calls: [{ name: 'step', arguments: { value: at } }] }));

test('restart begins anew or goes on from the last checkpoint', async () => {
  const world = createWorld({ script: turns(...count(7), { text: 'end' }), tools: [step] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ maxIterations: 6 }));
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  await engine.restart(id, { fromCheckpoint: true, maxIterations: 20 });
  await world.until(() => world.run(id).status === 'Completed');
  const going = world.model.requests.at(-1)!;
  expect(turnOf(going)).toBe(7);
  expect(world.run(id).iterationsUsed).toBe(2);
  await engine.restart(id, { goal: 'Again.' });
  await world.until(() => world.run(id).status === 'Completed' && world.run(id).restarts === 2);
  expect(world.run(id)).toMatchObject({ iterationsUsed: 8, goal: 'Again.' });
  await world.clock.advance(5000);
  expect((await engine.tree(id)).members.get(id)).toMatchObject({ ended: true, active: false });
});

test('a fork goes on from a checkpoint as a run of its own', async () => {
  const world = createWorld({ script: turns(...count(7), { text: 'end' }), tools: [step] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  const [newest] = await engine.checkpoints(id, 10);
  const fork = await engine.fork(id, { checkpointId: newest!.id, message: 'Take the other road.', autoStart: true });
  expect(fork).toMatchObject({
    forkedFrom: { runId: id, checkpointId: newest!.id },
    rootRunId: fork.id,
    parentRunId: null,
  });
  const before = world.model.requests.length;
  await world.until(() => world.run(fork.id).status === 'Completed');
  const first = world.model.requests[before]!;
  expect(turnOf(first)).toBe(5);
  expect(first.messages.at(-1)?.content).toContain('Take the other road.');
  const edits = { messages: [{ index: 1, text: 'did otherwise' }] };
  const edited = await engine.fork(id, { turn: 2, edits, autoStart: true, by: 'Ann' });
  // One write: a crash leaves the whole state, or no run.
  const inserted = world.memory.disk.events.get(edited.id)!;
  expect(inserted.map(({ type, title }) => [type, title]).slice(0, 2)).toEqual([
    ['RunCreated', 'Created'],
    ['Log', 'State edited'],
  ]);
  expect(edited).toMatchObject({ status: 'Queued', version: 1, messageCount: 4 });
  await world.until(() => world.run(edited.id).status === 'Completed');
  await expect(engine.fork(id, { checkpointId: 'nope' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await world.clock.advance(5000);
  judge(world, [id, fork.id]);
});

test('wait answers at the end or when its time is over; the same idempotency key gives the same run', async () => {
  const world = createWorld({ script: () => ({ text: 'end', delayMs: 5000 }) });
  const { engine } = await world.boot();
  const [one, two] = await Promise.all([
    engine.create(world.draft({ idempotencyKey: 'k' })),
    engine.create(world.draft({ idempotencyKey: 'k' })),
  ]);
  expect(two!.id).toBe(one!.id);
  expect([...world.memory.disk.trees.keys()]).toEqual([one!.id]);
  const short = engine.wait(one!.id, 1000);
  const long = engine.wait(one!.id, 60_000);
  const gone = engine.wait(one!.id, 60_000, AbortSignal.abort(new Error('client left')));
  gone.catch(() => {});
  await world.clock.advance(20_000);
  expect((await short).status).toBe('Running');
  expect((await long).status).toBe('Completed');
  await expect(gone).rejects.toThrow('client left');
});

test('a run with a contract completes only when its check passes', async () => {
  let met = false;
  const world = createWorld({
    script: turns(
      { text: 'Done.' },
      { calls: [{ name: 'run_complete', arguments: { summary: 'Done again.' } }] },
      { calls: [{ name: 'step', arguments: {} }] },
      { calls: [{ name: 'run_complete', arguments: { summary: 'Now.', deliverable: 'report.md' } }] },
    ),
    tools: [
      testTool('step', async () => {
        met = true;
        return 'made';
      }),
    ],
    ports: { contracts: { check: async () => ({ met, detail: 'report.md is missing' }) } },
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ contractDeliverable: 'report.md' }));
  await world.until(() => world.run(id).status === 'Completed');
  expect(world.run(id).result).toEqual({ summary: 'Now.', deliverable: 'report.md' });
  const checks = await engine.events(id, { limit: 100, types: ['DeliverableChecked'] });
  expect(checks.map((one) => one.level)).toEqual(['Warning', 'Warning', 'Information']);
});

test('messages are read at the next turn, once a key, and hold up an end that did not know of them', async () => {
  const world = createWorld({ script: turns({ text: 'Done.', delayMs: 2000 }, { text: 'Done, with the news.' }) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.clock.advance(1000);
  await engine.deliverMessage(id, { text: 'News!', from: 'Ann', key: 'n1' });
  await engine.deliverMessage(id, { text: 'News!', from: 'Ann', key: 'n1' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(world.run(id).result?.summary).toBe('Done, with the news.');
  const read = world.model.requests[1]!.messages.filter((one) => String(one.content).includes('News!'));
  expect(read).toHaveLength(1);
  await expect(engine.deliverMessage(id, { text: 'late' })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
});

test('the context is compacted before it is full, and a compaction that fails never stops the run for good', async () => {
  let refused = 0;
  const world = createWorld({
    script: (request) => {
      if (request.purpose === 'Summary')
        return ++refused > 6 ? { text: 'It read many things.' } : { error: new Fault('PROVIDER_ERROR', 'no') };
      const size = JSON.stringify(request.messages).length;
      if (size > 60_000) return { error: new Fault('CONTEXT_TOO_LARGE', 'Too much.') };
      const done = (world.memory.disk.runs.get(1)?.iterationsUsed ?? 0) >= 40;
      return done
        ? { text: 'end' }
        : {
            calls: [{ name: 'read', arguments: { value: request.messages.length + Math.random() } }],
            promptTokens: Math.floor(size / 4),
          };
    },
    tools: [testTool('read', async () => 'lorem ipsum '.repeat(300))],
    limits: { contextTokens: 20_000, maxOutputTokens: 500 },
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ contextBudgetTokens: 12_000 }));
  await world.until(() => world.run(id).status === 'Completed', 1_200_000);
  const compressions = await engine.events(id, { limit: 1000, types: ['ContextCompressed'] });
  expect(compressions.length).toBeGreaterThan(3);
  const kinds = new Set(compressions.map((one) => JSON.parse(one.payloadJson!).strategy));
  expect(kinds).toEqual(new Set(['Summarize', 'Truncate']));
  expect(world.memory.disk.messages.get(id)!.length).toBeGreaterThan(70);
  // A tool result never stands without its call.
  for (const request of world.model.requests) {
    for (const [at, message] of request.messages.entries()) {
      if (message.role === 'tool') expect(['assistant', 'tool']).toContain(request.messages[at - 1]!.role);
    }
  }
});

test('a provider that refuses every size fails the run with the reason instead of trying for ever', async () => {
  const world = createWorld({ script: () => ({ error: new Fault('CONTEXT_TOO_LARGE', 'Too much.') }) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Failed', 120_000);
  expect(world.run(id).failureReason).toContain('CONTEXT_TOO_LARGE');
});

test('rate limits are waited out, cut streams are tried again, and what keeps failing fails the run', async () => {
  let call = 0;
  const world = createWorld({
    script: byGoal({
      bumpy: [{ text: 'end' }],
      broken: [{ error: new Fault('PROVIDER_ERROR', 'It is down.') }],
      forbidden: [{ error: new Fault('NOT_CONFIGURED', 'No key.') }],
    }),
  });
  const stream = world.model.stream;
  const bumpy: typeof stream = (request) => {
    if (request.messages[1]?.content !== 'bumpy') return stream(request);
    call++;
    if (call === 1) throw new Fault('RATE_LIMITED', 'Slow down.', { retryAfterSeconds: 20 });
    if (call === 2) return cut();
    return stream(request);
  };
  async function* cut() {
    yield { type: 'start' as const, modelId: 'm' };
    yield { type: 'text' as const, delta: 'half a sen' };
    throw new Fault('PROVIDER_ERROR', 'The stream was cut.');
  }
  world.model.stream = bumpy;
  const { engine } = await world.boot();
  const [one, two, three] = await Promise.all(
    ['bumpy', 'broken', 'forbidden'].map((goal) => engine.create(world.draft({ goal }))),
  );
  await world.clock.advance(10_000);
  expect(world.run(one!.id).status).toBe('Running');
  expect(world.run(three!.id)).toMatchObject({ status: 'Failed', failureReason: 'NOT_CONFIGURED: No key.' });
  await world.until(() => world.run(one!.id).status === 'Completed' && world.run(two!.id).status === 'Failed');
  expect(world.run(one!.id)).toMatchObject({ iterationsUsed: 1, modelFailures: 0 });
  expect(world.run(one!.id).writtenOffTokens).toBeGreaterThan(0);
  await world.clock.advance(5000);
  judge(world, [one!.id, two!.id, three!.id]);
});
