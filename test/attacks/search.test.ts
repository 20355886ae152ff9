// The search over everything finds each kind for whom it is theirs, and nothing of it for anybody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithPeople } from '../support/people.ts';
import { request } from '../support/test-server.ts';

const word = 'quokkaberry';
let stand: Awaited<ReturnType<typeof startWithPeople>>;
let project: number;
let runId: number;

interface Hit {
  kind: string;
  id: number;
  title: string;
  score: number;
  matchedBy: string;
  projectId: number | null;
  url: string;
}

const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const make = async (who: string, path: string, body: object) => {
  const answer = await as(who, 'POST', path, body);
  expect([path, answer.body.error ?? null]).toEqual([path, null]);
  return answer.body.data;
};
const search = async (
  who: string,
  query = `q=${word}`,
): Promise<{ hits: Hit[]; countsByKind: object; warning: string | null; semanticUsed: boolean }> =>
  (await as(who, 'GET', `/search?limit=200&${query}`)).body.data;
const kindsOf = async (who: string, query?: string) =>
  [...new Set((await search(who, query)).hits.map(({ kind }) => kind))].sort();

beforeAll(async () => {
  stand = await startWithPeople([], { ada: 'Operator', guest: 'Viewer' });
  project = (await make('ada', '/projects', { name: `The ${word} project` })).id;
  const { identityId } = stand.person('ada');
  const projectId = project;
  runId = (
    await make('ada', '/agent/runs', { goal: `Pick a ${word}`, identityId, projectId, modelId: 'scripted:demo' })
  ).id;
  await make('ada', `/agent/runs/${runId}/start`, {});
  await make('ada', `/agent/runs/${runId}/escalate`, { situation: `May I eat the ${word}?` });
  await make('ada', `/projects/${projectId}/tasks`, { title: `Water the ${word}` });
  await make('ada', `/projects/${projectId}/docs`, { title: `About the ${word}`, content: `The ${word} is sweet.` });
  await make('ada', `/projects/${projectId}/facts`, { key: `${word}.colour`, value: 'red' });
  await make('ada', '/knowledge/goals', { topic: `Where the ${word} grows`, projectId });
  await make('ada', '/agent-memories', {
    title: `Pruning the ${word}`,
    content: 'in spring',
    kind: 'Lesson',
    projectId,
  });
  await make('ada', '/standing-rules', {
    assertion: `Wash each ${word}`,
    kind: 'Should',
    trigger: 'Always',
    projectId,
  });
  await make('ada', '/graph/nodes', { name: `${word} bush`, kind: 'Concept', projectId });
  // Private ones, outside the project.
  await make('ada', `/identities/${identityId}/memories`, { title: `My ${word}`, content: 'is private' });
  await make('ada', '/chat/sessions', { title: `Talk of ${word}` });
  await make('ada', '/messages', { recipientIds: [identityId], content: `A note on the ${word}` });
});
afterAll(() => stand.close());

const all = [
  'AgentMemory',
  'ChatSession',
  'Doc',
  'Escalation',
  'Fact',
  'GraphNode',
  'KnowledgeGoal',
  'Memory',
  'Message',
  'Project',
  'Run',
  'StandingRule',
  'Task',
];

describe('the search over everything', () => {
  it('finds every kind for whom it is theirs', async () => {
    expect(await kindsOf('ada')).toEqual(all);
  });

  it('finds nothing for somebody who is no member of the project, and not the owner of what is private', async () => {
    const { hits, countsByKind } = await search('guest');
    expect(hits.filter(({ title }) => title.includes(word))).toEqual([]);
    expect([hits.filter(({ matchedBy }) => matchedBy !== 'Semantic'), JSON.stringify(countsByKind)]).toEqual([
      [],
      '{}',
    ]);
    for (const mode of ['Keyword', 'Semantic', 'Hybrid'])
      expect(JSON.stringify((await search('guest', `q=${word}&mode=${mode}`)).hits)).not.toContain(word);
    for (const kind of all) expect((await search('guest', `q=${word}&kinds=${kind}`)).hits).toEqual([]);
  });

  it('shows an administrator what is in projects, and nothing that is a person’s own', async () => {
    const kinds = await kindsOf('owner');
    for (const own of ['ChatSession', 'Message']) expect(kinds).not.toContain(own);
    expect(kinds).toEqual(expect.arrayContaining(['Doc', 'Fact', 'Project', 'Run', 'Task']));
  });

  it('shows what a person keeps to that person alone, by no key with scopes', async () => {
    await make('owner', '/personal-memories', { content: 'I dislike walrusmelon jam' });
    expect(await kindsOf('owner', 'q=walrusmelon&mode=Keyword')).toEqual(['PersonalMemory']);
    for (const who of ['ada', 'guest']) expect(await kindsOf(who, 'q=walrusmelon&mode=Keyword')).toEqual([]);
    const { identityId } = stand.person('owner');
    const { rawKey } = await make('owner', `/identities/${identityId}/api-keys`, {
      name: 'some',
      scopes: ['MemoriesRead'],
    });
    const asked = { authorization: `Bearer ${rawKey}` };
    const { body } = await request(stand.server.url, 'GET', '/api/search?q=walrusmelon&mode=Keyword', undefined, asked);
    expect(body.data.hits).toEqual([]);
  });

  it('is not there for a project that is not the caller’s', async () => {
    const answer = await as('guest', 'GET', `/search?q=${word}&projectId=${project}`);
    expect([answer.status, answer.body.errorCode]).toEqual([404, 'NOT_FOUND']);
  });

  it('finds for a member what the role may see, and no more after the membership ends', async () => {
    const { userId } = stand.person('guest');
    const secret = { title: `Secret ${word}`, content: 'x', classification: 'Restricted' };
    const { id } = await make('ada', `/projects/${project}/docs`, secret);
    const members = (list: object[]) => as('ada', 'PUT', `/projects/${project}/members`, { members: list });
    const owner = { userId: stand.person('ada').userId, role: 'Owner' };
    expect((await members([owner, { userId, role: 'Viewer' }])).status).toBe(200);
    const { hits } = await search('guest');
    expect([...new Set(hits.map(({ kind }) => kind))].sort()).toEqual(
      all.filter((kind) => !['Memory', 'ChatSession', 'Message'].includes(kind)),
    );
    expect(hits.filter((one) => one.kind === 'Doc' && one.id === id)).toEqual([]);
    expect((await members([owner])).status).toBe(200);
    expect((await search('guest')).hits.filter(({ matchedBy }) => matchedBy !== 'Semantic')).toEqual([]);
  });

  it('gives a key only the kinds that its scopes read', async () => {
    const { rawKey } = await make('owner', `/identities/${stand.person('owner').identityId}/api-keys`, {
      name: 'tasks',
      scopes: ['TasksRead'],
    });
    const answer = await request(stand.server.url, 'GET', `/api/search?q=${word}`, undefined, {
      authorization: `Bearer ${rawKey}`,
    });
    expect([...new Set(answer.body.data.hits.map(({ kind }: Hit) => kind))]).toEqual(['Task']);
  });

  it('ranks kinds together: what is named so first, then what says all of it', async () => {
    await make('ada', '/knowledge/goals', { topic: 'nightly backup of the ledger' });
    await make('ada', '/standing-rules', { assertion: 'Try the backup each month', kind: 'Should', trigger: 'Always' });
    await make('ada', '/chat/sessions', { title: 'nightly backup' });
    const { hits } = await search('ada', 'q=nightly backup');
    expect(hits.slice(0, 3).map(({ kind, matchedBy }) => [kind, matchedBy])).toEqual([
      ['ChatSession', 'Exact'],
      ['KnowledgeGoal', 'Keyword'],
      ['StandingRule', expect.stringMatching(/Keyword|Hybrid/)],
    ]);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect((await search('ada', 'q=nightly backup&minScore=0.99')).hits).toHaveLength(1);
  });

  it('finds by the beginning of a word, by a part of it, and by kinds and identity', async () => {
    const typed = word.slice(0, 6);
    expect(await kindsOf('ada', `q=${typed}&kinds=Task&kinds=Run`)).toEqual(['Run', 'Task']);
    const { identityId } = stand.person('ada');
    const { hits } = await search('ada', `q=${word}&identityId=${identityId}`);
    expect([...new Set(hits.map(({ kind }) => kind))].sort()).toEqual(['Escalation', 'Memory', 'Message', 'Run']);
  });

  it('finds documents by meaning', async () => {
    await make('ada', `/projects/${project}/docs`, {
      title: 'Payroll',
      content: 'Salaries are paid on the last day of each month.',
    });
    await expect
      .poll(async () => (await search('ada', 'q=when do employees get their wages&kinds=Doc')).hits[0]?.title, {
        timeout: 20_000,
      })
      .toBe('Payroll');
    const { semanticUsed, warning } = await search('ada', 'q=wages');
    expect([semanticUsed, warning]).toEqual([true, null]);
    expect((await search('ada', 'q=wages&mode=Keyword')).semanticUsed).toBe(false);
  });
});
