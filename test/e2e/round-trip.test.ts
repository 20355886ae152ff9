// What one server exports of an identity, an empty one reads, and exports alike.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importsOf } from '../support/imports.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let [from, to]: [TestServer | null, TestServer | null] = [null, null];
beforeAll(async () => {
  [from, to] = [await startTestServer(), await startTestServer()];
});
afterAll(async () => {
  await from?.close();
  await to?.close();
});

interface Atom {
  kind: string;
  id: string;
  title: string;
  content: string;
  from: string;
  to: string;
}

async function data(server: TestServer, method: string, path: string, body?: unknown) {
  const answer = await server.call(method, `/api${path}`, body);
  expect([path, answer.body.error ?? null]).toEqual([path, null]);
  return answer.body.data;
}

const soul = '# Iris\n\n## Traits\n- curious\n- calm\n\n## Values\n- honesty\n';

/** An identity with memories of every kind, links, facts and a rule, in one project. */
async function fill(server: TestServer): Promise<number> {
  const { id } = await data(server, 'POST', '/identities/from-soul', { markdown: soul });
  const project = await data(server, 'POST', '/projects', { name: 'Boats', key: 'BOATS', leadIdentityId: id });
  const remember = (title: string, more: object) =>
    data(server, 'POST', `/identities/${id}/memories`, { title, content: `${title}, in full: ${title}.`, ...more });
  const [one, other, old] = [
    await remember('Harbour', { type: 'Procedure', importance: 9, isPinned: true, tags: ['sea', 'night'] }),
    await remember('Lantern', { isShared: true, importance: 2, projectId: project.id }),
    await remember('Old rope', { type: 'Preference' }),
  ];
  await data(server, 'POST', `/memories/${one.id}/links`, { toMemoryId: old.id, type: 'Semantic', strength: 0.7 });
  await data(server, 'POST', `/memories/${other.id}/links`, { toMemoryId: one.id, type: 'Causal', strength: 0.25 });
  await data(server, 'POST', `/memories/${old.id}/archive`, { reason: 'Torn.' });
  const facts = `/projects/${project.id}/facts`;
  await data(server, 'POST', facts, { key: 'berth', value: '11' });
  await data(server, 'POST', facts, { key: 'berth', value: '12', category: 'place', importance: 8, isCritical: true });
  await data(server, 'POST', facts, { key: 'colour', value: 'green' });
  const rule = { assertion: 'Never sail on Fridays.', identityId: id, trigger: 'Always', kind: 'MustNot' };
  await data(server, 'POST', '/standing-rules', rule);
  return id;
}

async function exported(server: TestServer, id: number) {
  const path = `/api/export/identity/${id}/portable?includeArchived=true`;
  return (await server.call('GET', path)).body as { identity: { soul: string }; atoms: Atom[] };
}

const times = /"(?:\w+Utc|provenance|temporalSource)":("[^"]*"|null),?/g;

/** Atoms without what is a store's own: ids, times, and who says it. */
function own({ atoms }: { atoms: Atom[] }) {
  const titles = new Map(atoms.map(({ id, title }) => [id, title]));
  return atoms
    .filter((atom) => atom.kind !== 'rule' && (atom as { isCurrent?: boolean }).isCurrent !== false)
    .map(({ id: _, ...atom }) => ({
      ...JSON.parse(JSON.stringify(atom).replaceAll(times, '').replaceAll(',}', '}')),
      isArchived: (atom as { archivedAtUtc?: string | null }).archivedAtUtc != null,
      ...(atom.kind === 'link' && { from: titles.get(atom.from), to: titles.get(atom.to) }),
    }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

it('comes back equal but for ids and times', async () => {
  const [first, second] = [from as TestServer, to as TestServer];
  const document = await exported(first, await fill(first));
  expect(own(document).map(({ kind }) => kind)).toEqual(expect.arrayContaining(['fact', 'link', 'memory']));

  const { id } = await data(second, 'POST', '/identities/from-soul', { markdown: document.identity.soul });
  const project = await data(second, 'POST', '/projects', { name: 'Boats', key: 'BOATS', leadIdentityId: id });
  const { read, review, data: answered, call } = importsOf(second);
  const bytes = Buffer.from(JSON.stringify(document));
  const where = { identityId: String(id), projectId: String(project.id) };
  const made = await read(bytes, where, 'iris.portable.json');
  const { items, skipped } = await review(made.id);
  expect(skipped).toEqual([]);
  // A rule would come as a memory: nothing that is imported binds anybody.
  const rule = items.find(({ category }: { category: string }) => category === 'rule');
  await answered(call('PATCH', `/${made.id}/review`, { items: [{ id: rule.id, approved: false }] }));
  await answered(call('POST', `/${made.id}/commit`, {}));

  const back = await exported(second, id);
  expect(own(back)).toEqual(own(document));
  expect(back.identity.soul).toBe(document.identity.soul);
  await answered(call('POST', `/${made.id}/undo`, {}));
  expect(own(await exported(second, id))).toEqual([]);
});
