// What an export never holds: projects and documents that the caller may not know of, and private memories of others.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openZip } from '../../src/kernel/zip-reader.ts';
import { failure } from '../support/failure.ts';
import { startWithPeople } from '../support/people.ts';

const hidden = 'zebra';
let stand: Awaited<ReturnType<typeof startWithPeople>>;
const folder = mkdtempSync(join(tmpdir(), 'rivulet-walls-'));
const idOf = (who: string) => stand.person(who).identityId;
const post = async (who: string, path: string, body: object) => {
  const answer = await stand.as(who, 'POST', `/api${path}`, body);
  expect([path, answer.body.error ?? null]).toEqual([path, null]);
  return answer.body.data.id as number;
};

beforeAll(async () => {
  stand = await startWithPeople([], { ada: 'Operator', guest: 'Operator' });
  const role = await post('owner', '/roles', { name: 'takes along', permissions: ['ExportData'] });
  for (const who of ['ada', 'guest']) {
    const given = await stand.as('owner', 'PATCH', `/api/users/${stand.person(who).userId}`, { roleIds: [role] });
    expect(given.body.error ?? null).toBeNull();
  }
  const projectId = await post('ada', '/projects', { name: hidden });
  await post('ada', `/projects/${projectId}/facts`, { key: hidden, value: hidden });
  await post('ada', `/identities/${idOf('ada')}/memories`, { title: hidden, content: `${hidden} alone` });
  const shared = { title: 'Inside', content: `${hidden} inside`, isShared: true, projectId };
  await post('ada', `/identities/${idOf('ada')}/memories`, shared);
  await post('ada', `/identities/${idOf('ada')}/memories`, { title: 'Open', content: 'lantern', isShared: true });
  await post('ada', '/prompts', { name: 'Own', command: 'own', text: `${hidden} prompt` });
  await post('ada', '/prompts', { name: 'Ours', command: 'ours', text: 'buoy', isShared: true });
  const open = await post('ada', '/projects', { name: 'Boats' });
  const members = [{ userId: stand.person('guest').userId, role: 'Viewer' }];
  const set = await stand.as('ada', 'PUT', `/api/projects/${open}/members`, { members });
  expect(set.body.error ?? null).toBeNull();
  const docs = `/projects/${open}/docs`;
  await post('ada', docs, { title: 'Secret', content: hidden, classification: 'Confidential' });
  await post('ada', docs, { title: 'Plain', content: 'harbour', classification: 'Internal' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stand.close();
});

/** All that is in a file, unpacked. */
async function textOf(who: string, path: string): Promise<string> {
  const authorization = `Bearer ${stand.person(who).key}`;
  const answer = await fetch(`${stand.server.url}/api/export${path}`, { headers: { authorization } });
  expect([path, answer.status]).toEqual([path, 200]);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (bytes.subarray(0, 2).toString() !== 'PK') return bytes.toString();
  const file = join(folder, 'one.zip');
  writeFileSync(file, bytes);
  const zip = await openZip(file);
  const found: string[] = [];
  for await (const entry of zip.entries()) found.push(entry.name, await text(await entry.open()));
  zip.close();
  return found.join('\n');
}

const formats = (id: number) =>
  ['', '/portable', '/portable?format=Pam', '/portable?format=Omp'].map((one) => `/identity/${id}${one}`);

it('has nothing of hidden projects, of private memories of others, and of classified documents', async () => {
  const tenant = await textOf('guest', '/tenant?includeArchived=true&includeChats=true');
  expect(tenant).toContain('lantern');
  expect(tenant).toContain('harbour');
  expect(tenant).toContain('buoy');
  expect(tenant).not.toContain(hidden);
  for (const path of formats(idOf('guest'))) expect(await textOf('guest', path), path).not.toContain(hidden);
  for (const path of ['/tenant', `/identity/${idOf('ada')}`])
    for (const kept of ['alone', 'prompt']) expect(await textOf('ada', path)).toContain(`${hidden} ${kept}`);
});

it('is refused for the identity of somebody else', async () => {
  for (const path of [...formats(idOf('ada')), `/manifest?identityId=${idOf('ada')}`])
    await failure(stand.as('guest', 'GET', `/api/export${path}`), 403, 'OWNERSHIP_REQUIRED');
});

it('holds nothing that opens anything', async () => {
  const secrets = /passwordHash|keyHash|secretHash|"sealed"|\$argon2|rvt_/;
  for (const path of formats(idOf('ada'))) {
    const all = await textOf('ada', path);
    expect(all.includes(stand.person('ada').key), path).toBe(false);
    expect(all, path).not.toMatch(secrets);
  }
});
