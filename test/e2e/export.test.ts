// Exports: what is in them, for whom, and what never is.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portableJsonSchema } from '../../src/groups/export/portable.ts';
import { openZip } from '../../src/kernel/zip-reader.ts';
import { failure } from '../support/failure.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { request } from '../support/test-server.ts';

let world: ServerWithModel;
let folder: string;
/** The administrator's identity, and an agent of theirs with a key of its own. */
let own: number;
let agent: { id: number; key: string };

beforeAll(async () => {
  world = await startServerWithModel();
  folder = mkdtempSync(join(tmpdir(), 'rivulet-exports-'));
  const { client } = world.server;
  own = (await client.identities.list()).items[0]?.id ?? 0;
  const made = await world.server.call('POST', '/api/identities/provision', {
    name: 'iris',
    displayName: 'Iris',
    type: 'AI',
    createApiKey: true,
  });
  agent = { id: made.body.data.identity.id, key: made.body.data.rawApiKey };
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const as = (key: string, path: string) => request(world.server.url, 'GET', path, undefined, bearer(key));
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function download(path: string, key = world.server.key): Promise<Buffer> {
  const response = await fetch(world.server.url + path, { headers: bearer(key) });
  expect(response.status, path).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** The files of a ZIP by their names. */
async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const path = join(folder, `${createHash('sha1').update(bytes).digest('hex')}.zip`);
  writeFileSync(path, bytes);
  const zip = await openZip(path);
  const files: Record<string, string> = {};
  for await (const entry of zip.entries()) files[entry.name] = await text(await entry.open());
  zip.close();
  return files;
}

const lines = (file = '') => file.split('\n').filter(Boolean);
interface Portable {
  identity: { name: string };
  atoms: { kind: string; title?: string; content?: string; key?: string; from?: string; to?: string; id?: string }[];
  artifacts: { kind: string; title: string; messages?: { content: string }[] }[];
}
const portable = async (id: number, query = '', key?: string): Promise<Portable> =>
  JSON.parse(String(await download(`/api/export/identity/${id}/portable${query}`, key)));
const remember = (identityId: number, title: string, more: object = {}) =>
  world.server.client.memories.create({
    params: { identityId },
    body: { title, content: `${title}, in full.`, ...more },
  });

/** Memories with a link, an archived one, a rule, a project with a fact, a document and a task, and a chat. */
async function fill(): Promise<void> {
  const { client } = world.server;
  const [one, other, gone] = [
    await remember(own, 'Harbour'),
    await remember(own, 'Lantern'),
    await remember(own, 'Old'),
  ];
  await client.memories.link({
    params: { id: one.id },
    body: { toMemoryId: other.id, type: 'Semantic', strength: 0.7 },
  });
  await client.memories.archive({ params: { id: gone.id }, body: { archived: true } });
  await client.standingRules.create({
    body: { assertion: 'Never sail on Fridays.', identityId: own, trigger: 'Always', kind: 'MustNot' },
  } as never);
  const project = await client.projects.create({ body: { name: 'Boats', leadIdentityId: own } } as never);
  const params = { projectId: project.id };
  await client.facts.create({ params, body: { key: 'berth', value: '12' } } as never);
  await client.docs.create({ params, body: { title: 'Log', content: '# Log', path: 'log' } } as never);
  await client.tasks.create({ params, body: { title: 'Paint' } } as never);
}

async function chatted(): Promise<number> {
  const { client } = world.server;
  const session = await client.chat.create({ body: { title: 'Tides' } });
  await client.chat.ask({ params: { sessionId: session.id }, body: { message: 'How is the tide?' } } as never);
  return session.id;
}

describe('what an identity holds', () => {
  beforeAll(fill);

  it('is a portable document of its schema, links among what is in it', async () => {
    const document = await portable(own);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    expect(ajv.validate(portableJsonSchema(), document), JSON.stringify(ajv.errors?.slice(0, 3))).toBe(true);
    const memories = document.atoms.filter(({ kind }) => kind === 'memory');
    expect(memories.map(({ title }) => title)).toEqual(['Harbour', 'Lantern']);
    const ids = new Set(memories.map(({ id }) => id));
    const links = document.atoms.filter(({ kind }) => kind === 'link');
    expect(links.length).toBeGreaterThan(0);
    for (const { from, to } of links) expect([ids.has(from), ids.has(to)]).toEqual([true, true]);
    expect(document.atoms).toContainEqual(expect.objectContaining({ kind: 'rule', content: 'Never sail on Fridays.' }));
    expect(document.atoms).toContainEqual(
      expect.objectContaining({ kind: 'fact', key: 'berth', value: '12', isCurrent: true }),
    );
    expect(document.artifacts.map(({ kind }) => kind)).toEqual(['project', 'task', 'document']);
    expect(document.artifacts).toContainEqual(
      expect.objectContaining({ kind: 'document', title: 'Log', content: '# Log' }),
    );
  });

  it('has what is archived and the chats where that is asked for', async () => {
    await chatted();
    const document = await portable(own, '?includeArchived=true&includeChats=true');
    expect(document.atoms.map(({ title }) => title)).toContain('Old');
    const session = document.artifacts.find(({ kind }) => kind === 'session');
    expect(session?.messages?.map(({ content }) => content)).toEqual(['How is the tide?', 'Hello world']);
  });

  it('is a ZIP whose manifest counts what is in its files, as the manifest operation does', async () => {
    const query = '?includeArchived=true&includeChats=true';
    const files = await unzipped(await download(`/api/export/identity/${own}${query}`));
    const { atoms, artifacts } = JSON.parse(files['portable.json'] ?? '') as Portable;
    const of = (kind: string) => [...atoms, ...artifacts].filter((one) => one.kind === kind).length;
    const { exportedAtUtc: _, ...counts } = JSON.parse(files['manifest.json'] ?? '');
    expect(counts).toMatchObject({
      version: '0.1',
      identityCount: 1,
      memoryCount: of('memory'),
      hebbianLinkCount: of('link'),
      factCount: of('fact'),
      docCount: of('document'),
      chatSessionCount: of('session'),
      projectCount: lines(files['projects.jsonl']).length,
      taskCount: lines(files['tasks.jsonl']).length,
      graphNodeCount: lines(files['graph-nodes.jsonl']).length,
    });
    expect([counts.memoryCount, counts.factCount, counts.taskCount, counts.docCount]).toEqual([3, 1, 1, 1]);
    const asked = await world.server.call('GET', `/api/export/manifest${query}&identityId=${own}`);
    expect(asked.body.data).toMatchObject(counts);
  });

  it('is Portable AI Memory and a folder of Markdown too', async () => {
    const pam = JSON.parse(String(await download(`/api/export/identity/${own}/portable?format=Pam`)));
    expect(pam).toMatchObject({ schema: 'portable-ai-memory', schema_version: '1.0' });
    expect(pam.memories.map((one: { type: string }) => one.type)).toEqual([
      'context',
      'context',
      'fact',
      'instruction',
    ]);
    const ids = pam.memories.map((one: { id: string }) => one.id);
    for (const { from, to } of pam.relations) expect([ids.includes(from), ids.includes(to)]).toEqual([true, true]);
    const files = await unzipped(await download(`/api/export/identity/${own}/portable?format=Omp`));
    const folders = ['memories', 'facts', 'rules'].flatMap((name) => [`${name}/MEMORY.md`, `${name}/1.md`]);
    expect(Object.keys(files)).toEqual(['MEMORY.md', 'SOUL.md', ...folders]);
    // Each file is found by way of the MEMORY.md of its folder, as the protocol has it.
    const found = (of: string): string[] =>
      [...(files[`${of}MEMORY.md`] ?? '').matchAll(/\]\(([^)]+)\)/g)].flatMap(([, name = '']) =>
        name.endsWith('/MEMORY.md') ? [of + name, ...found(of + name.replace('MEMORY.md', ''))] : [of + name],
      );
    expect(found('').sort()).toEqual([...folders].sort());
    expect(files['memories/1.md']).toContain('## Harbour\n\nHarbour, in full.');
    expect(files['rules/1.md']).toContain('Never sail on Fridays.');
  });

  it('stays one moment while others write', async () => {
    // More than are read at once.
    const numbers = Array.from({ length: 520 }, (_, at) => at);
    await Promise.all(numbers.map((at) => remember(agent.id, `Wave ${at}`)));
    const reading = portable(agent.id);
    await Promise.all(numbers.slice(0, 20).map((at) => remember(agent.id, `Late ${at}`)));
    const { atoms } = await reading;
    const ids = new Set(atoms.map(({ id }) => id));
    expect(atoms.filter(({ title }) => title?.startsWith('Wave'))).toHaveLength(520);
    for (const link of atoms.filter(({ kind }) => kind === 'link'))
      expect([ids.has(link.from), ids.has(link.to)]).toEqual([true, true]);
  });
});

describe('a chat', () => {
  it('is a document of the Data Transfer Initiative by its schema', async () => {
    const id = await chatted();
    const document = JSON.parse(String(await download(`/api/export/chatsession/${id}/dti`)));
    const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../support/dti.schema.json'), 'utf8'));
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    expect(ajv.validate(schema, document), JSON.stringify(ajv.errors)).toBe(true);
    expect(document.messages).toMatchObject([
      { text: 'How is the tide?', sender: document.identifiers[0].identifier },
      { text: 'Hello world', sender: 'AI' },
    ]);
  });

  it('has no secrets in it, unless they are asked for', async () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5'}`;
    const { client } = world.server;
    const { id } = await client.chat.create({ body: { title: 'Keys' } });
    const message = `My token is ${token}, and I am anna@example.org.`;
    await client.chat.ask({ params: { sessionId: id }, body: { message } } as never);
    const text = async (query = '') => String(await download(`/api/export/chatsession/${id}/dti${query}`));
    expect(JSON.parse(await text()).messages[0].text).toBe('My token is [GitHub token], and I am anna@example.org.');
    expect(await text()).not.toContain(token);
    expect(JSON.parse(await text('?includeSecrets=true')).messages[0].text).toBe(message);
  });

  it('is Markdown of the shown branch, of another, and of all', async () => {
    const { client } = world.server;
    const sessionId = await chatted();
    const params = { sessionId };
    const [asked, answered] = (await client.chat.get({ params: { id: sessionId } })).messages;
    await client.chat.ask({ params, body: { message: 'And the ebb?', parentMessageId: 0 } } as never);
    const at = `/api/export/chatsession/${sessionId}/markdown`;
    const text = async (query = '') => String(await download(`${at}${query}`));
    expect(await text()).toMatch(/^# [\s\S]*> And the ebb\?[\s\S]*> Hello world/);
    expect(await text()).not.toContain('tide?');
    expect(await text(`?messageId=${answered?.id}`)).toMatch(/> How is the tide\?[\s\S]*> Hello world\n\n$/);
    expect(await text(`?messageId=${asked?.id}`)).not.toContain('Hello world');
    const all = await text('?allBranches=true');
    expect(all).toMatch(/> How is the tide\?[\s\S]*> And the ebb\?/);
    expect(all).toContain(`## Answer (message ${answered?.id})`);
    expect(all).toContain(`after message ${asked?.id}`);
    const other = await chatted();
    await failure(
      world.server.call('GET', `/api/export/chatsession/${other}/markdown?messageId=${asked?.id}`),
      ...([404, 'NOT_FOUND'] as const),
    );
    await failure(as(agent.key, at), 404, 'NOT_FOUND');
  });

  it('is there for its owner alone', async () => {
    const id = await chatted();
    await failure(as(agent.key, `/api/export/chatsession/${id}/dti`), 404, 'NOT_FOUND');
  });
});

describe('an export of somebody else', () => {
  it('is refused, also to who may make keys for others', async () => {
    const { call } = world.server;
    await failure(as(agent.key, `/api/export/identity/${own}`), 403, 'FORBIDDEN');
    await failure(call('GET', '/api/export/identity/999999/portable'), 404, 'NOT_FOUND');
  });

  it('of a tenant has every identity, and nothing that opens anything', async () => {
    await remember(agent.id, 'Anchor');
    const files = await unzipped(await download('/api/export/tenant'));
    const names = Object.keys(files).filter((name) => name.startsWith('identities/'));
    expect(names).toContainEqual(expect.stringMatching(/^identities\/\d+-iris\/portable\.json$/));
    const all = Object.values(files).join('\n');
    expect(all).toContain('Anchor, in full.');
    for (const secret of [agent.key, world.server.key, createHash('sha256').update(agent.key).digest('hex')])
      expect(all).not.toContain(secret);
    expect(all).not.toMatch(/passwordHash|keyHash|secretHash|"sealed"|\$argon2|rvt_/);
    const counts = JSON.parse(files['manifest.json'] ?? '');
    expect(counts.identityCount).toBe(names.length);
    expect(counts.factCount).toBe(lines(files['facts.jsonl']).length);
    const asked = await world.server.call('GET', '/api/export/manifest');
    const { exportedAtUtc: _, ...same } = counts;
    expect(asked.body.data).toMatchObject(same);
  });
});

it('publishes the schema of the portable format', async () => {
  const response = await fetch(`${world.server.url}/schemas/portable-memory-0.1.json`);
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(portableJsonSchema())));
});
