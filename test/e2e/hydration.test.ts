// What a session starts with: chosen by config within a budget, with a receipt, and nothing in it that is not the session's.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const client = () => server.client;

/** An identity of its own with a key, so that files share the server and nothing else. */
async function agent(name: string) {
  const identity = await client().identities.create({ body: { name, type: 'AI' } });
  const { rawKey } = await client().identityKeys.create({ params: { identityId: identity.id }, body: { name: 'own' } });
  return { id: identity.id, own: createClient({ baseUrl: server.url, token: rawKey }) };
}
const remember = (identityId: number, title: string, more: object = {}) =>
  client().memories.create({ params: { identityId }, body: { title, content: `${title} is so.`, ...more } });

it('tell pinned, important, recent and surfaced memories once each, with the reasons', async () => {
  const { id } = await agent('keeper');
  const pinned = await remember(id, 'Anchor', { isPinned: true, importance: 3 });
  const plain = await remember(id, 'Zebra crossing', { importance: 9 });
  const context = await client().hydration.get({
    params: { identityId: id },
    query: { query: 'zebra', format: 'Markdown' },
  });
  expect(context.pinnedMemories.map((one) => one.id)).toEqual([pinned.id]);
  expect(context.identityMemories.map((one) => one.id)).toEqual([plain.id]);
  expect(context.markdown).toContain(`<recalled-memory id="${pinned.id}" provenance="Observed"`);
  expect(context.markdown?.match(/Zebra crossing is so/g)).toHaveLength(1);
  const { items } = context.receipt;
  expect(items.find(({ id, leftOut }) => id === pinned.id && leftOut === null)?.why).toBe('It is pinned.');
  expect(items.filter((one) => one.id === plain.id && one.leftOut === 'Duplicate').length).toBeGreaterThan(0);
  expect(context.sources.find(({ source }) => source === 'PinnedMemories')).toMatchObject({
    enabled: true,
    includedCount: 1,
  });
  const json = await client().hydration.get({ params: { identityId: id } });
  expect(json.markdown).toBeNull();
});

it('stay within the token budget, and say what was left out', async () => {
  const { id } = await agent('spender');
  for (let n = 0; n < 8; n++) await remember(id, `Topic ${n} ${'long '.repeat(50)}`);
  const context = await client().hydration.get({
    params: { identityId: id },
    query: { tokenBudget: 300, format: 'Markdown' },
  });
  expect(context.tokenEstimate).toBeLessThanOrEqual(300);
  expect((context.markdown ?? '').length).toBeLessThanOrEqual(1200);
  expect(context.sources.some(({ truncated }) => truncated)).toBe(true);
  expect(context.receipt.items.some(({ leftOut }) => leftOut === 'Budget')).toBe(true);
});

it('follow the preset and what the config switches off', async () => {
  const { id } = await agent('lean');
  await remember(id, 'Recent thing');
  const by = (preset: 'lean' | 'agent-minimal' | 'all') =>
    client().hydration.get({ params: { identityId: id }, query: { preset } });
  const off = (context: Awaited<ReturnType<typeof by>>) =>
    context.sources.filter(({ enabled }) => !enabled).map(({ source }) => source);
  expect(off(await by('lean'))).toContain('RecentMemories');
  expect((await by('agent-minimal')).identityMemories).toEqual([]);
  const config = await client().hydrationConfig.get({ params: { identityId: id } });
  await client().hydrationConfig.replace({
    params: { identityId: id },
    body: { ...config, identityMemoryLimit: 0, disabledSources: ['RecentMemories'] } as never,
  });
  const none = await by('all');
  expect([...none.identityMemories, ...none.recentMemories]).toEqual([]);
});

it('offer the hand-off that waits, critical facts, rules and messages', async () => {
  const { id, own } = await agent('heir');
  const project = await client().projects.create({ body: { name: 'Heirloom', leadIdentityId: id } });
  await client().facts.create({
    params: { projectId: project.id },
    body: { key: 'deploy.branch', value: 'main', isCritical: true },
  });
  await client().standingRules.create({
    body: { assertion: 'Ask before deleting.', kind: 'Must', trigger: 'Always', identityId: id },
  });
  await own.session.leave({ body: { title: 'Half done', summary: 'The roof is open.', nextSteps: ['Close it'] } });
  await client().messages.send({ body: { recipientIds: [id], content: 'Are you there?', requiresReply: true } });
  const context = await own.hydration.get({
    params: { identityId: id },
    query: { projectId: project.id, format: 'Markdown' },
  });
  expect(context.handoff).toMatchObject({ title: 'Half done', status: 'Open' });
  expect(context.keyFacts).toMatchObject([{ key: 'deploy.branch', value: 'main' }]);
  expect(context.standingRules.map((one) => one.assertion)).toContain('Ask before deleting.');
  expect(context.pendingReplies.map((one) => one.content)).toEqual(['Are you there?']);
  expect(context.projects.map((one) => one.id)).toEqual([project.id]);
  for (const text of ['The roof is open.', 'Close it', 'Are you there?', 'Ask before deleting.', 'deploy.branch'])
    expect(context.markdown).toContain(text);
  const without = await own.hydration.get({ params: { identityId: id }, query: { includeHandoff: false } });
  expect(without.handoff).toBeNull();
});

it('keep a receipt, which is replayed with one item removed, and forgets what is forgotten', async () => {
  const { id } = await agent('archivist');
  const [one, two] = [await remember(id, 'First light'), await remember(id, 'Second wind')];
  const { receipt } = await client().hydration.get({ params: { identityId: id } });
  const again = await client().hydration.get({ params: { identityId: id } });
  expect(again.receipt.id).toBe(receipt.id);
  expect((await client().hydration.receipts({ params: { identityId: id } })).totalCount).toBe(1);
  const params = { identityId: id, id: receipt.id };
  expect(await client().hydration.receipt({ params })).toEqual(receipt);
  const replay = await client().hydration.replay({ params, body: { without: [{ kind: 'memory', id: one.id }] } });
  expect(replay.markdown).not.toContain('First light');
  expect(replay.markdown).toContain('Second wind');
  expect(replay.tokenEstimate).toBeLessThan(receipt.tokenEstimate);
  expect(replay.items.filter((item) => item.leftOut === 'Removed').map((item) => item.id)).toContain(one.id);
  await client().memories.archive({ params: { id: two.id }, body: {} });
  const later = await client().hydration.replay({ params, body: {} });
  expect(later.markdown).not.toContain('Second wind');
  expect(later.gone.map((item) => item.id)).toContain(two.id);
  expect(JSON.stringify(await client().hydration.receipts({ params: { identityId: id } }))).not.toContain(
    'First light',
  );
});

it('tell nobody else: neither who may not act as the identity, nor about hidden projects, nor of private memories', async () => {
  const [one, other] = [await agent('insider'), await agent('outsider')];
  await remember(other.id, 'Private diary');
  await remember(other.id, 'Shared harbour', { isShared: true });
  const hidden = await client().projects.create({ body: { name: 'Secret garden' } });
  await remember(one.id, 'Garden gate', { projectId: hidden.id, isPinned: true });
  await remember(other.id, 'Garden wall', { projectId: hidden.id, isShared: true });
  await remember(one.id, 'Open road');
  const asked = {
    params: { identityId: one.id },
    query: { query: 'diary harbour garden', format: 'Markdown' },
  } as const;
  for (const caller of [one.own, client()]) {
    const context = await caller.hydration.get(asked);
    const said = JSON.stringify(context);
    expect(said).toContain('Open road');
    expect(said).toContain('Shared harbour');
    for (const secret of ['Private diary', 'Garden gate', 'Garden wall', 'Secret garden'])
      expect(said).not.toContain(secret);
  }
  await expect(other.own.hydration.get(asked)).rejects.toMatchObject({ code: 'OWNERSHIP_REQUIRED' });
});
