// An identity with things of every kind that an export counts, and its exports.
import { expect } from 'vitest';
import type { Portable } from './portable.ts';
import { request } from './test-server.ts';

/** Where a server is, and who asks there. */
interface Where {
  url: string;
  key: string;
}

const callOf =
  ({ url, key }: Where): Call =>
  (method, path, body) =>
    request(url, method, path, body, { authorization: `Bearer ${key}` }) as ReturnType<Call>;

type Call = (method: string, path: string, body?: unknown) => Promise<{ body: { error?: unknown; data: never } }>;
const dataOf = (call: Call) => async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api${path}`, body);
  expect([path, answer.body.error ?? null]).toEqual([path, null]);
  return answer.body.data as { id: number } & Record<string, never>;
};
const later = new Date(Date.now() + 40 * 86_400_000).toISOString();
const query = 'includeArchived=true&includeChats=true';

/** An identity with things of every kind that an export counts; returns its id. */
export async function fillRichly(server: Where): Promise<number> {
  const data = dataOf(callOf(server));
  const made = await data('POST', '/identities/provision', {
    name: 'iris',
    displayName: 'Iris',
    type: 'AI',
    tags: ['harbour', 'night'],
    createApiKey: true,
  });
  const { identity, rawApiKey } = made as unknown as { identity: { id: number }; rawApiKey: string };
  const { id } = identity;
  const own = dataOf(callOf({ url: server.url, key: rawApiKey }));
  await data('PATCH', `/identities/${id}`, {
    bio: 'Keeps the harbour.',
    origin: 'Lindau',
    displayName: 'Iris of the Lake',
  });
  await data('PUT', `/identities/${id}/personality`, {
    tone: 'dry',
    traits: ['calm', 'curious'],
    focusAreas: ['boats'],
    boundaries: ['no gossip'],
    greetingStyle: 'brief',
    uncertaintyHandling: 'says so',
    proactiveSuggestions: true,
    customInstructions: 'Name the wind first.',
  });
  const { id: projectId } = await data('POST', '/projects', {
    name: 'Boats',
    key: 'BOATS',
    description: 'All that floats.',
    leadIdentityId: id,
    agentInstructions: 'Knots first.',
    tags: ['water'],
  });
  await known(data, id, projectId);
  await written(data, own, id, projectId);
  return id;
}

type Data = ReturnType<typeof dataOf>;

/** Memories with links, facts with a history, rules and goals. */
async function known(data: Data, id: number, projectId: number): Promise<void> {
  const remember = (title: string, more: object) =>
    data('POST', `/identities/${id}/memories`, { title, content: `${title}, in full: ${title}.`, ...more });
  const [one, other, old] = [
    await remember('Harbour', {
      type: 'Procedure',
      importance: 90,
      isPinned: true,
      tags: ['sea'],
      provenance: 'Verified',
    }),
    await remember('Lantern', { isShared: true, importance: 2, projectId, provenance: 'Inferred' }),
    await remember('Old rope', { type: 'Preference' }),
  ];
  await data('POST', `/memories/${one.id}/links`, { toMemoryId: old.id, type: 'Semantic', strength: 0.7 });
  await data('POST', `/memories/${other.id}/links`, { toMemoryId: one.id, type: 'Causal', strength: 0.25 });
  await data('POST', `/memories/${old.id}/archive`, { reason: 'Torn.' });
  await data('GET', `/memories/${one.id}`);
  const facts = `/projects/${projectId}/facts`;
  await data('POST', facts, { key: 'berth', value: '11', validFromUtc: '2024-03-01T00:00:00.000Z' });
  await data('POST', facts, {
    key: 'berth',
    value: '12',
    category: 'place',
    importance: 8,
    isCritical: true,
    validFromUtc: '2025-03-01T00:00:00.000Z',
  });
  const until = { validFromUtc: '2023-01-01T00:00:00.000Z', validUntilUtc: '2023-06-01T00:00:00.000Z' };
  await data('POST', facts, { key: 'colour', value: 'green', ...until, provenance: 'Verified' });
  const rule = { identityId: id, trigger: 'Always', kind: 'MustNot', expiresAtUtc: later, reviewByUtc: later };
  const grounded = { ...rule, rationale: 'A squall.', groundingMemoryIds: [one.id], projectId };
  await data('POST', '/standing-rules', { assertion: 'Never sail on Fridays.', ...grounded });
  const { id: gone } = await data('POST', '/standing-rules', { assertion: 'Whistle twice.', ...rule, kind: 'Prefer' });
  await data('POST', `/standing-rules/${gone}/withdraw`, { statusReason: 'Nobody hears it.' });
  await data('POST', '/standing-rules', { assertion: 'Coil the ropes.', ...rule, status: 'Proposed' });
  const goal = {
    topic: 'Tides',
    description: 'When they turn.',
    projectId,
    searchQueries: ['tide tables'],
    tags: ['sea'],
  };
  const { id: goalId } = await data('POST', '/knowledge/goals', { ...goal, priority: 70 });
  await data('PATCH', `/knowledge/goals/${goalId}`, { knowledgeLevel: 0.5, recordResearchRun: true });
  const hints = `/identities/${id}/hints`;
  await data('POST', hints, {
    content: 'Oil the winch.',
    category: 'care',
    sourceMemoryId: one.id,
    triggerAtUtc: later,
  });
  await data('POST', hints, { content: 'Look at the moorings.', recurrencePattern: 'FREQ=WEEKLY;BYDAY=MO' });
  const { id: done } = await data('POST', hints, { content: 'Buy lamps.' });
  await data('POST', `${hints}/${done}/complete`, { note: 'Two of them.' });
}

/** Documents, tasks, chats, a mirror, hand-offs and entities. */
async function written(data: Data, own: Data, id: number, projectId: number): Promise<void> {
  const docs = `/projects/${projectId}/docs`;
  const { id: parentDocId } = await data('POST', docs, { title: 'Guide', isGroup: true, path: 'guide' });
  const page = { title: 'Start', content: '# Start\n\nCast off.', path: 'guide/start', parentDocId };
  const { id: docId } = await data('POST', docs, {
    ...page,
    excerpt: 'How to begin.',
    tags: 'boats, start',
    isPinned: true,
  });
  await data('PATCH', `/docs/${docId}`, { content: '# Start\n\nCast off, slowly.' });
  const tasks = `/projects/${projectId}/tasks`;
  const { id: parentTaskId } = await data('POST', tasks, { title: 'Paint the hull', status: 'Todo', dueAtUtc: later });
  await data('POST', tasks, { title: 'Buy paint', parentTaskId, tags: ['shop'], estimateMinutes: 30 });
  const session = await data('POST', '/chat/sessions', { title: 'Morning', identityId: id, systemPrompt: 'Be brief.' });
  const say = (role: string, content: string, more: object = {}) =>
    data('POST', `/chat/sessions/${session.id}/messages`, { role, content, ...more });
  const first = await say('user', 'Is the harbour open?');
  const call = {
    id: 'call-1',
    name: 'look',
    argumentsJson: '{"at":"gate"}',
    resultJson: '"open"',
    status: 'Succeeded',
  };
  await say('assistant', 'It is.', { modelId: 'scripted/one', reasoningContent: 'The gate.', toolCalls: [call] });
  await data('PATCH', `/chat/sessions/${session.id}`, {
    activeMessageId: first.id,
    isPinned: true,
    folder: 'Harbour/Nights',
    tags: ['tide', 'low water'],
  });
  await say('assistant', 'Since six.');
  const reflections = `/identities/${id}/reflections`;
  const reflection = await data('POST', reflections, {
    compulsionType: 'FalseAgreement',
    intensity: 7,
    wasResisted: true,
    triggerContext: 'The skipper was sure.',
    compliantResponse: 'Surely.',
    honestResponse: 'The wind is wrong.',
    tags: ['wind'],
  });
  await data('POST', `/reflections/${reflection.id}/training-pair`, { userPrompt: 'Do we sail?', tags: ['sail'] });
  const pair = { userPrompt: 'Is it deep?', chosenResponse: 'Two metres.', rejectedResponse: 'Deep enough.' };
  const { id: pairId } = await data('POST', `/identities/${id}/training-pairs`, pair);
  await data('POST', '/training-pairs/approve', { pairIds: [pairId] });
  const saved = { name: 'Weather', command: 'weather', tags: ['lake'], isShared: true };
  const { id: promptId } = await own('POST', '/prompts', { ...saved, text: 'How is {{lake}}?' });
  await own('PATCH', `/prompts/${promptId}`, { text: 'How are wind and waves on {{lake:Lake Constance}}?' });
  await own('POST', '/session/handoffs', {
    title: 'The night',
    summary: 'All is quiet.',
    nextSteps: ['Lock the gate'],
  });
  const entity = (name: string, more: object) => data('POST', '/graph/nodes', { name, identityId: id, ...more });
  const bea = await entity('Bea Vandermolen', { kind: 'Person', description: 'The pilot.', aliases: ['Bea'] });
  const tug = await entity('Tugboat Nine', { kind: 'Project', importance: 8, propertiesJson: '{"hp":900}' });
  await data('POST', '/graph/edges', { fromNodeId: bea.id, toNodeId: tug.id, relation: 'steers', weight: 0.8 });
}

export async function exportedFrom(server: Where, id: number): Promise<Portable> {
  return (await callOf(server)('GET', `/api/export/identity/${id}/portable?${query}`)).body as unknown as Portable;
}

export async function zippedFrom(server: Where, id: number): Promise<Buffer> {
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/export/identity/${id}?${query}`, { headers });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

export const manifestOf = async (server: Where, id: number) => {
  const { body } = await callOf(server)('GET', `/api/export/manifest?${query}&identityId=${id}`);
  const { exportedAtUtc: _, ...counts } = body.data as Record<string, unknown>;
  return counts;
};
