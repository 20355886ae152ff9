// Answers of models that bring a run no further, and what people read about them.
import { expect, it } from 'vitest';
import { Fault } from '../src/kernel/fault.ts';
import type { FinishReason } from './model.ts';
import type { ScriptedTurn } from './testing/scripted-model.ts';
import { createWorld } from './testing/world.ts';

async function runWith(turn: ScriptedTurn, draft: { maxTokens?: number } = {}) {
  const world = createWorld({ script: () => turn });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft(draft));
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

const atLimit =
  "half an ans\n\n[This answer was cut off at the output limit of auto, 4096 tokens. Ask for less at once, use a model that may write more, or raise the model's maxOutputTokens.]";
const filtered = 'half an ans\n\n[A filter of the provider of auto cut this answer off.]';
it.each<[FinishReason, string, string | undefined, string]>([
  ['length', 'Warning', 'Answers, cut off at its limit', atLimit],
  ['content-filter', 'Warning', 'Answers, cut off by a filter of its provider', filtered],
  ['stop', 'Information', 'Answers', 'half an ans'],
])('one that ends by %s is told as that, and so is the result', async (finish, level, title, summary) => {
  const { status, answers, result } = await runWith({ text: 'half an ans', finish });
  expect([status, result?.summary]).toEqual(['Completed', summary]);
  expect(answers).toMatchObject([{ level, title }]);
});

it('one that the tokens of the run cut off says what to raise', async () => {
  const { result } = await runWith({ text: 'half an ans', finish: 'length' }, { maxTokens: 3000 });
  expect(result?.summary).toMatch(
    /^half an ans\n\n\[This answer was cut off: the run had \d+ tokens left for it. Raise its maxTokens, or the pool of its tree.\]$/,
  );
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
