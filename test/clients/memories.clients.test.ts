// The library of Portable AI Memory on the export of an identity: its schema, digests, references and times.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Program, startProgram } from './program.ts';
import { commandOf, describeInstalled } from './suite.ts';

const client = {
  name: 'portable-ai-memory',
  set: 'python-memories',
  package: 'portable-ai-memory',
  program: 'memories_validate.py',
};
/** Blanks of many kinds, letters that can be written in two ways, and what JSON escapes. */
const odd = '  Größe ÅNGSTRÖM e\u0301 İ\u00a0\u2003ſ ß\t\r\n"\\ 🌊 \u2028 ';

describeInstalled(client, (folder) => {
  let server: TestServer;
  let program: Program;
  let own: string;
  let identityId: number;
  beforeAll(async () => {
    own = await mkdtemp(join(tmpdir(), 'rivulet-memories-'));
    server = await startTestServer();
    const { client: api } = server;
    identityId = (await api.identities.list({})).items[0]?.id ?? 0;
    const params = { identityId };
    const kept: number[] = [];
    for (const body of [
      { title: 'Harbour', content: 'It closes at nine.', tags: ['Boats & Ships', '日本', '-_-', 'a'.repeat(90)] },
      { title: odd, content: odd, importance: 100, isPinned: true, isShared: true },
      { title: 'Old', content: 'Gone.', type: 'Decision' as const },
    ])
      kept.push((await api.memories.create({ params, body })).id);
    const [one = 0, other = 0, gone = 0] = kept;
    await api.memories.link({ params: { id: one }, body: { toMemoryId: other, type: 'Contradicts', strength: 1 } });
    await api.memories.link({ params: { id: other }, body: { toMemoryId: gone, type: 'Causal', strength: 0 } });
    await api.memories.archive({ params: { id: gone }, body: { archived: true } });
    const assertion = { assertion: 'Never sail on Fridays.', identityId, trigger: 'Always', kind: 'MustNot' };
    await api.standingRules.create({ body: assertion } as never);
    const project = await api.projects.create({ body: { name: 'Boats', leadIdentityId: identityId } } as never);
    const facts = { projectId: project.id };
    for (const value of ['12', '13', odd]) await api.facts.create({ params: facts, body: { key: 'berth', value } });
    const [command = '', ...args] = await commandOf(client, folder);
    program = await startProgram(command, args, {});
  });
  afterAll(async () => {
    program?.stop();
    await server?.close();
    await rm(own, { recursive: true, force: true });
  });

  it.each([
    ['what holds now', '', 4],
    ['what held and is archived too', '&includeArchived=true', 7],
  ])('%s', async (_, query, memories) => {
    const answer = await fetch(`${server.url}/api/export/identity/${identityId}/portable?format=Pam${query}`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const file = join(own, 'store.json');
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    expect(await program.do('validate', { file })).toEqual({ memories, issues: [] });
  });
});
