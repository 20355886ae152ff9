// Answers of models that bring a run no further, and what people read about them.
import { expect, it } from 'vitest';
import { Fault } from '../src/kernel/fault.ts';
import type { FinishReason } from './model.ts';
import type { ScriptedTurn } from './testing/scripted-model.ts';
import { createWorld } from './testing/world.ts';

async function runWith(turn: ScriptedTurn) {
  const world = createWorld({ script: () => turn });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => ['Completed', 'Failed'].includes(world.run(id).status));
  const { status, failureReason, result } = world.run(id);
  const answers = await engine.events(id, { types: ['ModelCallCompleted'], limit: 10 });
  return { status, failureReason, result, answers, asked: world.model.requests.length };
}

it('empty ones end the run with words for people', async () => {
  const { status, failureReason, asked } = await runWith({ text: '' });
  expect([status, asked]).toEqual(['Failed', 3]);
  expect(failureReason).toBe(
    'The model gave no usable result in 3 answers in a row. It was told last: Your answer was empty. Call a tool, or answer with the result of the run.',
  );
});

it.each<[FinishReason, string, string | undefined]>([
  ['length', 'Warning', 'Answers, cut off at its limit'],
  ['content-filter', 'Warning', 'Answers, cut off by a filter of its provider'],
  ['stop', 'Information', 'Answers'],
])('one that ends by %s is told as that', async (finish, level, title) => {
  const { status, answers, result } = await runWith({ text: 'half an ans', finish });
  expect([status, result?.summary]).toEqual(['Completed', 'half an ans']);
  expect(answers).toMatchObject([{ level, title }]);
});

it('a refusal says what can be done, in whole sentences', async () => {
  const refused = (code: 'NOT_CONFIGURED' | 'PROVIDER_ERROR', message: string) =>
    runWith({ error: new Fault(code, message, { hint: 'Add credit there.', isFinal: true }) });
  expect((await refused('PROVIDER_ERROR', 'No credit')).failureReason).toBe(
    'PROVIDER_ERROR: No credit. Add credit there.',
  );
  const missing = new Fault('NOT_CONFIGURED', 'There is no such provider.', { hint: 'Add one.' });
  expect((await runWith({ error: missing })).failureReason).toBe('NOT_CONFIGURED: There is no such provider. Add one.');
});

it('a model for which even the least context is too long is named', async () => {
  const { failureReason } = await runWith({ error: new Fault('CONTEXT_TOO_LARGE', 'The conversation is too long.') });
  expect(failureReason).toMatch(
    /^CONTEXT_TOO_LARGE: scripted:test refuses even the least context, of some \d+ tokens\.$/,
  );
});
