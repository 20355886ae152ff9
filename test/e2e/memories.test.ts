// Memories from end to end: written, found by words at once and by meaning soon after, linked, archived, kept apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { type Person, startWithPeople } from '../support/people.ts';
import { adminKey, request, type TestServer } from '../support/test-server.ts';

type People = Awaited<ReturnType<typeof startWithPeople>>;
let people: People;
let server: TestServer;
/** The owner's own identity, and somebody else's. */
let me = 0;
let other: Person;

beforeAll(async () => {
  people = await startWithPeople(['Member']);
  ({ server } = people);
  me = people.person('owner').identityId;
  other = people.person('Member');
});
afterAll(() => people.close());

const call = (method: string, path: string, body?: unknown, key = adminKey) =>
  request(server.url, method, path, body, { authorization: `Bearer ${key}` });
const data = async (answer: ReturnType<typeof call>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
const mine = (path = '') => `/api/identities/${me}/memories${path}`;
const remember = (content: string, more: object = {}) =>
  data(call('POST', mine(), { title: content.slice(0, 40), content, ...more }));
const search = async (question: string, more = '', at = me, key = adminKey) =>
  data(call('GET', `/api/identities/${at}/memories/search?q=${encodeURIComponent(question)}${more}`, undefined, key));
/** By words alone, and not through links. */
const found = async (question: string, more = '') =>
  (await search(question, `&mode=Keyword&linkExpansionDepth=0${more}`)).results.map(
    (hit: { memory: { id: number } }) => hit.memory.id,
  );

it('are found by their words when the POST answers, and by their meaning soon after', async () => {
  const written = await remember('The invoices of Kowalski are always paid on the 14th.', { tags: ['money'] });
  expect(written).toMatchObject({ type: 'Reference', importance: 5, hasEmbedding: false, tags: ['money'] });
  const [hit] = (await search('when does Kowalski pay?')).results;
  expect(hit).toMatchObject({ memory: { id: written.id }, matchedBy: 'Keyword', viaMemoryId: null });
  expect(hit.snippet).toContain('Kowalski');
  await expect.poll(async () => (await search('x')).embeddingCoverage).toBe(100);
  expect(await data(call('GET', `/api/memories/${written.id}`))).toMatchObject({ hasEmbedding: true, accessCount: 1 });
  const [byMeaning] = (await search('settling bills')).results;
  expect(byMeaning).toMatchObject({ memory: { id: written.id }, matchedBy: 'Semantic', keywordScore: null });
});

it('are found in scripts without blanks, and whatever the accents', async () => {
  const chinese = await remember('我们下周在上海开会讨论预算。');
  const japanese = await remember('会議は金曜日に東京で開かれます。');
  const german = await remember('Das Büro in München bleibt im August geschlossen.');
  expect(await found('上海')).toEqual([chinese.id]);
  expect((await found('会議'))[0]).toBe(japanese.id);
  expect((await found('munchen'))[0]).toBe(german.id);
});

it('say the same once, and supersede what said nearly the same', async () => {
  const text = 'The staging database moves to the new cluster on Thursday evening after the backup has run.';
  const first = await remember(text, { title: 'staging' });
  expect((await remember(text, { title: 'staging' })).id).toBe(first.id);
  const second = await remember(`${text} Really.`, { title: 'staging again' });
  expect(second.id).not.toBe(first.id);
  const detail = await data(call('GET', `/api/memories/${second.id}`));
  expect(detail.linksFrom).toMatchObject([{ toMemoryId: first.id, type: 'Supersedes', toMemoryTitle: 'staging' }]);
  expect(await found('staging database cluster', '&limit=2')).toEqual([second.id, first.id]);
  const not = await remember(text.replace('moves', 'does not move'), { title: 'staging not' });
  expect((await data(call('GET', `/api/memories/${not.id}`))).linksFrom).toEqual([]);
});

it('lead to what they are linked with', async () => {
  const cause = await remember('Zephyr outage: certificate expired.');
  await call('POST', `/api/memories/${cause.id}/archive`, {});
  await call('POST', `/api/memories/${cause.id}/archive`, { archived: false });
  const effect = await remember('Rotation of keys is automated since.');
  const link = await data(call('POST', `/api/memories/${cause.id}/links`, { toMemoryId: effect.id, type: 'Causal' }));
  expect(link).toMatchObject({ type: 'Causal', strength: 0.5 });
  const { results } = await search('zephyr', '&mode=Keyword&linkExpansionDepth=1');
  const via = results.find((one: { memory: { id: number } }) => one.memory.id === effect.id);
  expect(via).toMatchObject({ matchedBy: 'Link', viaMemoryId: cause.id });
  expect((await search('zephyr', '&mode=Keyword&linkExpansionDepth=0')).results).toHaveLength(1);
  const stronger = await data(
    call('POST', `/api/memories/${effect.id}/links/${cause.id}/strengthen`, { increment: 0.5 }),
  );
  expect(stronger).toMatchObject({ strength: 0.75, coActivationCount: 1 });
  expect((await call('DELETE', `/api/memories/${cause.id}/links/${effect.id}`)).status).toBe(200);
  await failure(call('DELETE', `/api/memories/${cause.id}/links/${effect.id}`), 404, 'NOT_FOUND', /not linked/);
});

it('are archived out of sight, and come back', async () => {
  const { id } = await remember('Quokka budget for the autumn.');
  expect(await data(call('POST', `/api/memories/${id}/archive`, { reason: 'old' }))).toMatchObject({ id });
  expect(await found('quokka')).toEqual([]);
  expect(await found('quokka', '&includeArchived=true')).toEqual([id]);
  await call('POST', `/api/memories/${id}/archive`, { archived: false });
  expect(await found('quokka')).toEqual([id]);
});

it('are changed, tagged and listed', async () => {
  const { id } = await remember('Heron plan, first draft.', { isPinned: true });
  await data(
    call('PATCH', `/api/memories/${id}`, { content: 'Osprey plan, second draft.', title: 'Osprey', importance: 9 }),
  );
  expect(await found('heron')).toEqual([]);
  expect((await found('osprey'))[0]).toBe(id);
  expect((await data(call('POST', `/api/memories/${id}/tags`, { tags: ['bird', 'plan'] }))).tags).toEqual([
    'bird',
    'plan',
  ]);
  await data(call('DELETE', `/api/memories/${id}/tags/plan`));
  const ids = async (path: string) => {
    const answer = await data(call('GET', mine(path)));
    return (answer.items ?? answer).map((one: { id: number }) => one.id);
  };
  expect(await ids('?tag=bird')).toEqual([id]);
  expect(await ids('/pinned')).toEqual([id]);
  expect((await ids('/recent?limit=1'))[0]).toBe(id);
  expect(await ids('?minImportance=9')).toEqual([id]);
});

it('stay private to their identity unless they are shared', async () => {
  const secret = await remember('Narwhal codeword is tangerine.');
  const open = await remember('Narwhal lunch is on Friday.', { isShared: true });
  await call('POST', `/api/memories/${secret.id}/links`, { toMemoryId: open.id });
  const ofMary = (path: string) => call('GET', path, undefined, other.key);
  const asMary = await search('narwhal', '', other.identityId, other.key);
  expect(asMary.results.map((hit: { memory: { id: number } }) => hit.memory.id)).toEqual([open.id]);
  expect(asMary.totalCandidates).toBe(1);
  const atMine = await search('narwhal tangerine', '', me, other.key);
  expect(atMine.results.map((hit: { memory: { id: number } }) => hit.memory.id)).toEqual([open.id]);
  expect((await data(ofMary(mine()))).items.map(({ id }: { id: number }) => id)).toEqual([open.id]);
  await failure(ofMary(`/api/memories/${secret.id}`), 404, 'NOT_FOUND');
  const detail = await data(ofMary(`/api/memories/${open.id}`));
  expect(detail).toMatchObject({ linksTo: [], linksFrom: [], readByOthersCount: 1 });
  await failure(call('PATCH', `/api/memories/${open.id}`, { title: 'x' }, other.key), 403, 'OWNERSHIP_REQUIRED');
  await failure(call('POST', mine(), { title: 'x', content: 'x' }, other.key), 403, 'OWNERSHIP_REQUIRED');
});

it('tell what became of them, by what they were found, and are forgotten for good', async () => {
  const text = 'The weir keeper Ulf opens the sluice of the upper pond at six on every weekday of the summer.';
  const first = await remember(text, { title: 'sluice' });
  await data(call('PATCH', `/api/memories/${first.id}`, { content: text.replace('six', 'seven') }));
  const second = await remember(`${text.replace('six', 'seven')} Always.`, { title: 'sluice again', importance: 9 });
  await data(call('POST', `/api/memories/${first.id}/archive`, { reason: 'Said again.' }));
  const history = (id: number, key = adminKey) => call('GET', `/api/memories/${id}/history`, undefined, key);
  expect(await data(history(first.id))).toMatchObject([
    { kind: 'Written', runId: null },
    { kind: 'Changed', content: text, title: 'sluice' },
    { kind: 'Superseded', byMemoryId: second.id },
    { kind: 'Archived', reason: 'Said again.' },
  ]);
  await data(call('PATCH', `/api/memories/${second.id}`, { isShared: true, title: 'sluice hours' }));
  expect(await data(history(second.id, other.key))).toMatchObject([{ kind: 'Written', runId: null }]);
  const [hit] = (await search('sluice of the upper pond', '&includeArchived=true&provenance=Observed')).results;
  const names = hit.factors.map(({ name }: { name: string }) => name);
  expect([hit.memory.id, names]).toEqual([second.id, ['Importance', 'Recency', 'Use']]);
  expect((await search('sluice', '&toUtc=2001-01-01T00:00:00Z')).results).toEqual([]);
  expect((await search('sluice', '&provenance=Reported')).results).toEqual([]);
  expect((await data(call('GET', mine('?fromUtc=2999-01-01T00:00:00Z')))).items).toEqual([]);
  await failure(call('DELETE', `/api/memories/${second.id}`, undefined, other.key), 403, 'OWNERSHIP_REQUIRED');
  const gone = await data(call('DELETE', `/api/memories/${second.id}`));
  expect(gone).toMatchObject({ memoryIds: [second.id], restoredMemoryIds: [first.id] });
  await failure(call('GET', `/api/memories/${second.id}`), 404, 'NOT_FOUND');
  expect(await found('sluice always')).not.toContain(second.id);
});

it('are there after a restart, and what waited for its vector gets it', async () => {
  const { id } = await remember('Pelican migration starts at dawn.');
  await server.restart();
  expect((await found('pelican'))[0]).toBe(id);
  await expect
    .poll(async () => (await data(call('GET', `/api/memories/${id}?countAccess=false`))).hasEmbedding)
    .toBe(true);
});

it('are indexed anew on request, which changes nothing where all is right', async () => {
  const done = await data(call('POST', '/api/system/maintenance', { task: 'ReindexEmbeddings' }));
  expect(done).toMatchObject({ task: 'ReindexEmbeddings', state: 'Succeeded', errorMessage: null });
  expect(JSON.parse(done.resultJson).map(({ kind }: { kind: string }) => kind)).toContain('personal memories');
});

describe('that say nearly the same', () => {
  const text = 'The staging database moves to the new cluster in the evening after the backup has run.';

  it('are listed in pairs for review, and made one by a request, with what both had', async () => {
    const { id: identityId } = await data(call('POST', '/api/identities', { name: 'Merger' }));
    const put = (title: string, content: string, more: object = {}) =>
      data(call('POST', `/api/identities/${identityId}/memories`, { title, content, ...more }));
    const one = await put('Staging moves', text, { tags: ['ops'], importance: 3, provenance: 'Observed' });
    const twin = await put('Staging moves again', `${text} Really, it does so.`, {
      ...{ tags: ['cluster'], importance: 7, provenance: 'Reported' },
    });
    const far = await put('Backups', 'Each evening at nine the backup runs.');
    await put('Numbers', text.replace('new cluster', 'cluster 7'));
    await data(call('POST', `/api/memories/${twin.id}/links`, { toMemoryId: far.id, type: 'Causal' }));
    const pairs = async () => (await data(call('GET', `/api/identities/${identityId}/memories/duplicates`))).pairs;
    expect(await pairs()).toMatchObject([{ memory: { id: twin.id }, other: { id: one.id } }]);

    const merge = () => call('POST', `/api/memories/${one.id}/merge`, { otherId: twin.id });
    const kept = await data(merge());
    expect(kept).toMatchObject({ id: one.id, title: 'Staging moves', tags: ['ops', 'cluster'], importance: 7 });
    const whole = await data(call('GET', `/api/memories/${one.id}?countAccess=false`));
    expect(whole).toMatchObject({ content: `${text}\n\n${text} Really, it does so.`, provenance: 'Reported' });
    const links = whole.linksFrom.map((link: { toMemoryId: number; type: string }) => [link.toMemoryId, link.type]);
    expect(links).toContainEqual([far.id, 'Causal']);
    expect(links).toContainEqual([twin.id, 'Supersedes']);
    expect((await data(call('GET', `/api/memories/${twin.id}`))).archivedAtUtc).not.toBeNull();
    expect(await pairs()).toEqual([]);
    // Once more changes nothing.
    await data(merge());
    expect((await data(call('GET', `/api/memories/${one.id}`))).content).toBe(whole.content);
    // The other one can be brought back, and counts again.
    await data(call('POST', `/api/memories/${twin.id}/archive`, { archived: false }));
    const back = await data(call('GET', `/api/identities/${identityId}/memories/search?q=really%20does&mode=Keyword`));
    expect(
      back.results.find((hit: { memory: { id: number } }) => hit.memory.id === twin.id).factors,
    ).not.toContainEqual(expect.objectContaining({ name: 'Superseded' }));
  });

  it('are merged within one identity, by who may write both', async () => {
    const { id: identityId } = await data(call('POST', '/api/identities', { name: 'Elsewhere' }));
    const body = { title: 'There', content: 'Something of another identity.' };
    const { id: otherId } = await data(call('POST', `/api/identities/${identityId}/memories`, body));
    const { id } = await remember('Something of mine.');
    const merge = (other: number) => call('POST', `/api/memories/${id}/merge`, { otherId: other });
    for (const other of [otherId, id]) await failure(merge(other), 400, 'VALIDATION_FAILED', /same identity/);
    await failure(merge(999_999), 404, 'NOT_FOUND');
  });
});
