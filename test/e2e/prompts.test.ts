// Saved prompts: whose they are, what they ask for, the texts that they had, and what is refused with a hint.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { startWithPeople } from '../support/people.ts';

let stand: Awaited<ReturnType<typeof startWithPeople>>;
beforeAll(async () => {
  stand = await startWithPeople(['Member', 'Viewer'], { ada: 'Member', bob: 'Member' });
});
afterAll(() => stand.close());

const at = '/api/prompts';
const as = (who: string, method: string, path = '', body?: unknown) => stand.as(who, method, at + path, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
const save = (who: string, command: string, text: string, more: object = {}) =>
  data(as(who, 'POST', '', { name: `The ${command}`, command, text, ...more }));
const names = async (who: string, query = '') =>
  (await data(as(who, 'GET', `?${query}`))).items.map((one: { command: string }) => one.command);

it('are found by words, tag and command, and filled in as they are asked for', async () => {
  const text = 'Write about {{topic}} in a {{tone:calm|lively}} tone, {{words:200}} words. {{topic}}!';
  const made = await save('ada', 'essay', text, { description: 'For the river news', tags: ['news'] });
  expect(made).toMatchObject({ isShared: false, isOwn: true, mayChange: true, version: 1, useCount: 0 });
  expect(made.variables).toEqual([
    { name: 'topic', choices: [], default: null },
    { name: 'tone', choices: ['calm', 'lively'], default: 'calm' },
    { name: 'words', choices: [], default: '200' },
  ]);
  for (const query of ['q=RIVER', 'tag=news', 'command=essay', 'isShared=false'])
    expect([query, await names('ada', query)]).toEqual([query, ['essay']]);
  expect(await names('ada', 'q=lake')).toEqual([]);

  const use = (body?: object) => as('ada', 'POST', `/${made.id}/use`, body);
  // What is filled in is text, whatever it looks like.
  const values = { topic: '{{tone}} $& rivers', tone: 'lively' };
  expect((await data(use({ values }))).text).toBe(
    'Write about {{tone}} $& rivers in a lively tone, 200 words. {{tone}} $& rivers!',
  );
  expect(await data(as('ada', 'GET', `/${made.id}`))).toMatchObject({ useCount: 1, version: 1 });
  await failure(use(), 400, 'VALIDATION_FAILED', /"topic"/);
  await failure(use({ values: { topic: 'a', mood: 'b' } }), 400, 'VALIDATION_FAILED', /topic, tone, words/);
  await failure(use({ values: { topic: 'a', tone: 'loud' } }), 400, 'VALIDATION_FAILED', /calm, lively/);
});

it('are nobody else’s until they are shared', async () => {
  const { id } = await save('ada', 'secret', 'Ada alone: {{x}}');
  const ways: [string, string, object?][] = [
    ['GET', `/${id}`],
    ['GET', `/${id}/versions`],
    ['PATCH', `/${id}`, { name: 'Mine now' }],
    ['POST', `/${id}/use`, { values: { x: 'y' } }],
    ['POST', `/${id}/versions/1/restore`],
    ['DELETE', `/${id}`],
  ];
  const admin = (method: string, path: string, body?: object) => stand.server.call(method, at + path, body);
  for (const [method, path, body] of ways) {
    await failure(as('bob', method, path, body), 404, 'NOT_FOUND', /GET \/api\/prompts/);
    await failure(admin(method, path, body), 404, 'NOT_FOUND', /GET \/api\/prompts/);
  }
  expect(await names('bob', 'q=secret')).toEqual([]);
  // Nor does what it is called stand in the way of anybody.
  await save('bob', 'secret', 'Bob alone');
  await failure(as('ada', 'POST', '', { name: 'Again', command: 'secret', text: 'x' }), 409, 'DUPLICATE', /another/);

  await data(as('ada', 'PATCH', `/${id}`, { isShared: true }));
  expect(await names('bob', 'command=secret')).toEqual(['secret', 'secret']);
  expect((await data(as('Viewer', 'POST', `/${id}/use`, { values: { x: 'y' } }))).text).toBe('Ada alone: y');
  expect(await data(as('bob', 'GET', `/${id}`))).toMatchObject({ isOwn: false, mayChange: false });
  await failure(as('bob', 'PATCH', `/${id}`, { name: 'Mine' }), 403, 'FORBIDDEN', /of your own/);
  await failure(as('bob', 'DELETE', `/${id}`), 403, 'FORBIDDEN', /of your own/);
  await failure(as('bob', 'POST', `/${id}/versions/1/restore`), 403, 'FORBIDDEN', /of your own/);
  await failure(as('Viewer', 'POST', '', { name: 'x', command: 'x', text: 'x' }), 403, 'FORBIDDEN', /ChatWrite/);
  // Who keeps the house may tidy what is shared, and takes it from nobody but by deleting it.
  await data(Promise.resolve(await admin('PATCH', `/${id}`, { description: 'Tidied' })));
  await failure(admin('PATCH', `/${id}`, { isShared: false }), 403, 'FORBIDDEN', /ada/);
  const { body } = await stand.server.call('GET', '/api/audit-events?pageSize=200');
  const noted = body.data.items.filter((one: { operation: string }) => /Prompts_patch/.test(JSON.stringify(one)));
  expect(noted.length).toBeGreaterThan(0);
  await data(Promise.resolve(await admin('DELETE', `/${id}`)));
  await failure(as('ada', 'GET', `/${id}`), 404, 'NOT_FOUND', /prompts/);
});

it('keep each text that they had, and have one again', async () => {
  const { id } = await save('ada', 'draft', 'One');
  const patch = (body: object) => as('ada', 'PATCH', `/${id}`, body);
  await data(patch({ text: 'Two', version: 1 }));
  await failure(patch({ text: 'Three', version: 1 }), 412, 'PRECONDITION_FAILED', /Read it again/);
  // What is no text makes no version.
  await data(patch({ name: 'Renamed', text: 'Two' }));
  const both = await Promise.all(['Three', 'Four'].map((text) => patch({ text })));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const restored = await data(as('ada', 'POST', `/${id}/versions/1/restore`));
  expect(restored).toMatchObject({ text: 'One', version: 5, name: 'Renamed' });
  const versions = await data(as('ada', 'GET', `/${id}/versions`));
  const told = versions.map((one: { version: number; text: string }) => `${one.version} ${one.text}`);
  expect([
    told[0],
    told
      .slice(1, 3)
      .map((one: string) => one.slice(2))
      .sort(),
    told.slice(3),
  ]).toEqual(['5 One', ['Four', 'Three'], ['2 Two', '1 One']]);
  expect(versions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toHaveLength(1);
  await failure(as('ada', 'POST', `/${id}/versions/9/restore`), 404, 'NOT_FOUND', /versions/);
});

it('say what is wrong, and what to do', async () => {
  const good = { name: 'Good', command: 'good', text: 'x' };
  const refused = (body: object, hint: RegExp) =>
    failure(as('ada', 'POST', '', { ...good, ...body }), 400, 'VALIDATION_FAILED', hint);
  for (const command of ['', 'Two Words', '/good', 'x'.repeat(51)]) await refused({ command }, /command/);
  await refused({ text: '' }, /text/);
  await refused({ text: 'x'.repeat(20_001) }, /text/);
  await refused({ text: Array.from({ length: 21 }, (_, n) => `{{v${n}}}`).join() }, /two prompts/);
  await refused({ colour: 'red' }, /colour/);
  const { id } = await save('ada', 'long', '{{x}}'.repeat(4000));
  const values = { x: 'y'.repeat(1000) };
  await failure(as('ada', 'POST', `/${id}/use`, { values }), 400, 'VALIDATION_FAILED', /less/);
});
