// Souls from end to end: read, imported, shown, changed, compared and restored.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { Answer, TestServer } from '../support/test-server.ts';

let world: ServerWithModel;
let server: TestServer;
beforeAll(async () => {
  world = await startServerWithModel();
  ({ server } = world);
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown) => server.call(method, `/api/identities${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const text = async (path: string) => {
  const response = await fetch(`${server.url}/api/identities${path}`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  return response.text();
};
const markdown =
  '# 🦊 Vix\n\nA fox.\n\n## Role\n\n## Traits\n\n- quick\n- quiet\n\n## Gadgets\n\nMany.\n\n## System Prompt\n\nHunt well.';

it('previews, imports and exports to what imports to the same', async () => {
  expect(await data(call('POST', '/from-soul/preview', { markdown }))).toMatchObject({
    displayName: 'Vix',
    traits: ['quick', 'quiet'],
    notMapped: ['Gadgets'],
  });
  const vix = await data(call('POST', '/from-soul', { markdown }));
  expect(vix).toMatchObject({ name: 'Vix', displayName: 'Vix', bio: 'A fox.', type: 'AI' });
  expect((await data(call('GET', `/${vix.id}/personality`))).traits).toEqual(['quick', 'quiet']);
  const exported = await text(`/${vix.id}/soul.md`);
  const twin = await data(call('POST', '/from-soul', { markdown: exported, name: 'Vix Two', displayName: 'Vix' }));
  expect((await text(`/${twin.id}/soul.md`)).replace('Vix Two', 'Vix')).toBe(exported);
  for (const file of ['agents.md', 'claude.md']) expect(await text(`/${vix.id}/${file}`)).toContain('Hunt well.');
  expect(await text('/agents.md')).toContain('/api/session');
});

it('exports a package that reads back to the same soul, byte for byte', async () => {
  const authorization = `Bearer ${server.key}`;
  const zipOf = async (id: number) => {
    const response = await fetch(`${server.url}/api/identities/${id}/soul.zip`, { headers: { authorization } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    return Buffer.from(await response.arrayBuffer());
  };
  const readBack = async (zip: Buffer) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(zip)]), 'soul.zip');
    const path = `${server.url}/api/identities/from-soul/read`;
    const answer = await fetch(path, { method: 'POST', headers: { authorization }, body: form });
    return ((await answer.json()) as Answer['body']).data;
  };
  const { id } = await data(call('POST', '/from-soul', { markdown, name: 'Packed' }));
  const personality = await data(call('GET', `/${id}/personality`));
  // What a lenient reader of Markdown would lose or double.
  const hard = { tone: 'warm: "very"', boundaries: ['- no', '# never'], greetingStyle: '--- hi' };
  await data(call('PUT', `/${id}/personality`, { ...personality, ...hard }));
  const zip = await zipOf(id);
  expect(await zipOf(id)).toEqual(zip);
  const { soul, markdown: read } = await readBack(zip);
  expect(read).toBe(await text(`/${id}/soul.md`));
  expect(soul).toMatchObject({ name: 'Packed', traits: ['quick', 'quiet'], ...hard, notMapped: [] });
  await data(call('POST', '/from-soul', { markdown: read, overwriteIdentityId: id }));
  expect(await zipOf(id)).toEqual(zip);
});

it('keeps versions of each change, compares them and goes back', async () => {
  const { id } = await data(call('POST', '/from-soul', { markdown, name: 'Old' }));
  const before = await text(`/${id}/soul.md`);
  const personality = await data(call('GET', `/${id}/personality`));
  await data(call('PUT', `/${id}/personality`, { ...personality, traits: ['loud'] }));
  await data(call('PATCH', `/${id}`, { isActive: true }));
  const { items } = await data(call('GET', `/${id}/soul/versions`));
  expect(items.map((one: { number: number }) => one.number)).toEqual([2, 1]);
  const { diff } = await data(call('GET', `/${id}/soul/versions/${items[0].id}/diff`));
  expect(diff).toContain('-- quick');
  expect(diff).toContain('+- loud');
  expect(await text(`/${id}/soul/versions/${items[1].id}`)).toBe(before);
  await data(call('POST', `/${id}/soul/versions/${items[1].id}/restore`));
  expect(await text(`/${id}/soul.md`)).toBe(before);
  await data(call('POST', '/from-soul', { markdown: '# New\n\n## Traits\n\n- new', overwriteIdentityId: id }));
  expect((await data(call('GET', `/${id}/soul/versions`))).totalCount).toBe(4);
  const other = await data(call('POST', '', { name: 'Other' }));
  await failure(call('GET', `/${other.id}/soul/versions/${items[0].id}/diff`), 404, 'NOT_FOUND');
});

it('makes a role of a soul', async () => {
  const role = await data(call('POST', '/from-soul/role', { markdown, name: 'hunter', toolProfileName: 'coder' }));
  expect(role).toMatchObject({ name: 'hunter', systemPromptTemplate: expect.stringContaining('Hunt well.') });
  const profile = await server.call('GET', '/api/agent/tool-profiles/hunter');
  expect(profile.body.data.safeTools).toEqual(['shell_exec']);
});

it('is what runs, chats and /v1 of the identity speak with, also after it was restored', async () => {
  const speaking =
    '---\ntemperature: 0.8\n---\n# Sage\n\n## Boundaries\n\n- Never flatter\n\n## System Prompt\n\nSpeak in haiku.';
  const { id, displayName } = await data(call('POST', '/from-soul', { markdown: speaking }));
  const sent = async (ask: () => Promise<unknown>) => {
    const before = world.model.requests.length;
    await ask();
    await expect.poll(() => world.model.requests.length).toBeGreaterThan(before);
    const { messages, temperature } = world.model.requests.at(-1)?.body ?? {};
    return { text: JSON.stringify(messages), temperature };
  };
  const run = () => server.call('POST', '/api/agent/runs', { goal: 'Rest.', identityId: id, autoStart: true });
  const chat = async () => {
    const session = await data(server.call('POST', '/api/chat/sessions', { identityId: id, title: 'Talk' }));
    await data(server.call('POST', `/api/chat/sessions/${session.id}/chat`, { message: 'Hi' }));
  };
  const compatible = () =>
    server.call('POST', '/v1/chat/completions', {
      model: `identity:${displayName}`,
      messages: [{ role: 'user', content: 'Hi' }],
    });
  for (const ask of [run, chat, compatible]) {
    const { text: prompt, temperature } = await sent(ask);
    expect(prompt).toContain('Speak in haiku.');
    expect(prompt).toContain('What you never do: Never flatter.');
    if (ask !== run) expect(temperature).toBe(0.8);
  }
  const [first] = (await data(call('GET', `/${id}/soul/versions`))).items;
  await data(
    call('POST', '/from-soul', { markdown: '# Sage\n\n## System Prompt\n\nSpeak in prose.', overwriteIdentityId: id }),
  );
  expect((await sent(chat)).text).toContain('Speak in prose.');
  await data(call('POST', `/${id}/soul/versions/${first.id}/restore`));
  expect((await sent(chat)).text).toContain('Speak in haiku.');
});

it('reads uploaded files into one text', async () => {
  const upload = async (content: string, name: string) => {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    const headers = { authorization: `Bearer ${server.key}` };
    const response = await fetch(`${server.url}/api/identities/from-soul/read`, {
      method: 'POST',
      headers,
      body: form,
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  const read = await upload(markdown, 'SOUL.md');
  expect(read.body.data).toMatchObject({
    soul: { traits: ['quick', 'quiet'] },
    markdown: expect.stringContaining('- quick'),
  });
  expect((await upload(JSON.stringify({ name: 'nova', displayName: 'Nova' }), 'soul.json')).body.data.soul.name).toBe(
    'nova',
  );
  expect((await upload('PK\u0003\u0004 broken', 'x.zip')).status).toBe(400);
});
