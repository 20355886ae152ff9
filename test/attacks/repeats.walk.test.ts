// Every POST that creates or starts something, repeated with its Idempotency-Key after a crash that came between its
// writes and its answer: it is carried out once, and answered with what was made first.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: one list, a call of each operation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../src/contract/named.ts';
import type { ResourceSample } from '../../src/groups/part.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { idempotencyCollection } from '../../src/stores/idempotency.ts';
import { importsOf, smallForm } from '../support/imports.ts';
import { operations, paramsOf } from '../support/operations.ts';
import { makeOfPart } from '../support/part-samples.ts';
import { sampled } from '../support/samples.ts';
import { askSending } from '../support/sending.ts';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ RIVULET_SITE_BUILDER: 'elsewhere' });
});
afterAll(() => server.close());

interface Asked {
  id: string;
  path: string;
  body: unknown;
  key: string;
  first: Answer;
}
const asked: Asked[] = [];

/** Makes a request with a key of its own, and notes it to be repeated. */
async function ask(id: string, path: string, body?: unknown) {
  const key = `key-${asked.length}`;
  const first = await server.call('POST', path, body, { 'idempotency-key': key });
  expect({ id, status: first.status, body: first.status === 200 ? null : first.body }).toEqual({
    id,
    status: 200,
    body: null,
  });
  asked.push({ id, path, body, key, first });
  return first.body.data;
}

const data = async (path: string) => (await server.call('GET', path)).body.data;
/** Once it is started, it plays the demo: it is at work until somebody decides. */
const makeRun = async () =>
  (await server.call('POST', '/api/agent/runs', { goal: 'Stand still.', modelId: 'scripted:demo' })).body.data;

/** A run that has been queued and stopped at once. */
async function askRuns() {
  const { id } = await ask('AgentRuns_create', '/api/agent/runs', { goal: 'One of its kind.' });
  const run = `/api/agent/runs/${id}`;
  await ask('AgentRuns_spawn', `${run}/children`, { goal: 'A child.', autoStart: false });
  await ask('AgentRuns_pool', `${run}/pool`, { addTokens: 1000 });
  await ask('AgentRuns_fork', `${run}/fork`, { goal: 'A fork.' });
  const others = await Promise.all(Array.from({ length: 3 }, makeRun));
  const [paused, started, cancelled] = others.map((one) => `/api/agent/runs/${one.id}`);
  await ask('AgentRuns_start', `${started}/start`);
  await ask('AgentRuns_cancel', `${cancelled}/cancel`);
  await ask('AgentRuns_restart', `${cancelled}/restart`);
  await server.call('POST', `${cancelled}/cancel`);
  await server.call('POST', `${paused}/start`);
  await ask('AgentEscalations_create', `${paused}/escalate`, { situation: 'What now?' });
  await expect.poll(async () => (await data(paused!)).status).toBe('WaitingForDecision');
  await ask('AgentRuns_checkpoint', `${paused}/checkpoint`, { label: 'Here' });
  await ask('AgentRuns_pause', `${paused}/pause`);
  const [escalation] = (await data(`/api/agent/escalations?runId=${(await data(paused!)).id}`)).items;
  await ask('AgentEscalations_resolve', `/api/agent/escalations/${escalation.id}/resolve`, { decision: 'Go on.' });
  await ask('AgentRuns_resume', `${paused}/resume`, { guidance: 'Slowly.' });
  const still = `/api/agent/runs/${(await makeRun()).id}`;
  await ask('AgentNotes_create', `${still}/notes`, { content: 'Noted.' });
  await ask('AgentTasks_create', `${still}/tasks`, { title: 'Do it.' });
  await ask('AgentMessages_create', `${still}/messages`, { content: 'Hear me.' });
  await ask('AgentFeedback_create', `${still}/feedback`, { rating: 'Good' });
  await ask('AgentBreakpoints_create', `${still}/breakpoints`, { before: 'Tool', name: 'file_*' });
  await ask('AgentPauseChat_open', `${still}/pause-chat`, {});
}

async function askRouter() {
  const provider = { name: 'There', kind: 'OpenAiCompatible', baseUrl: 'http://127.0.0.1:9/v1' };
  const { id } = await ask('AIProviders_create', '/api/ai-router/providers', provider);
  await ask('AIProviders_createKey', `/api/ai-router/providers/${id}/keys`, { label: 'One', apiKey: 'sk-one' });
  await ask('AIModels_create', '/api/ai-router/models', { providerId: id, modelId: 'm', providerModelName: 'm' });
  await ask('AIRoutes_create', '/api/ai-router/routes', { name: 'R', policy: 'Priority', targets: [] });
  await ask('AIBudgets_create', '/api/ai-router/budgets', { name: 'B', scope: 'Tenant', period: 'Day', limitUsd: 1 });
}

async function askBilling() {
  const plan = { key: 'pro', name: 'Pro', monthlyPriceUsd: 20, quotas: [] };
  await ask('Billing_createPlan', '/api/billing/plans', plan);
  const { id } = await ask('Billing_createInvoice', '/api/billing/invoices', { finalize: true });
  await ask('Billing_moveInvoice', `/api/billing/invoices/${id}/status`, { status: 'Paid', externalReference: 'bank' });
}

async function askPeople() {
  await ask('AgentRoles_create', '/api/agent/role-definitions', { name: 'baker', systemPromptTemplate: 'Bake.' });
  await ask('AgentToolProfiles_create', '/api/agent/tool-profiles', { name: 'quiet', role: 'baker' });
  const identity = await ask('Identities_create', '/api/identities', { name: 'Ada' });
  const keys = `/api/identities/${identity.id}/api-keys`;
  const first = await ask('IdentityKeys_create', keys, { name: 'one' });
  await ask('IdentityKeys_rotate', `${keys}/${first.key.id}/rotate`, { overlapMinutes: 60 });
  const person = await ask('Users_create', '/api/users', { username: 'grace', displayName: 'Grace' });
  await ask('Users_createKey', `/api/users/${person.id}/apikey`, {});
  await ask('WebSocket_ticket', '/api/ws/tickets', {});
  const { id } = await ask('OrgUnits_create', '/api/org-units', { name: 'Bakery' });
  const unit = `/api/org-units/${id}`;
  await ask('OrgUnits_move', `${unit}/move`, { sortOrder: 2 });
  await ask('OrgUnits_addMember', `${unit}/members`, { userId: person.id });
  await ask('OrgUnits_attachIdentity', `${unit}/identities`, { identityId: identity.id });
  const { rawToken } = await ask('OrgUnits_invite', `${unit}/invites`, { email: 'eve@example.org' });
  await ask('OrgUnits_acceptInvite', '/api/org-units/invites/accept', { token: rawToken });
  await askSending(server, ask);
}

async function askIdentities() {
  const { id } = (await server.call('POST', '/api/identities', { name: 'Eve' })).body.data;
  await ask('Memories_create', `/api/identities/${id}/memories`, { title: 'Apple', content: 'It was ripe.' });
  const along = { includeMemories: true, includeRules: true };
  await ask('IdentitySwarm_clone', `/api/identities/${id}/clone`, { name: 'Eve too', ...along });
  await ask('IdentitySwarm_adopt', `/api/identities/${id}/adopt`, {});
  await ask('IdentitySwarm_provision', '/api/identities/provision', { name: 'Kid', createApiKey: true });
  const markdown = '# Sol\n\n## Traits\n- bright';
  const sol = await ask('Souls_create', '/api/identities/from-soul', { markdown });
  await ask('Souls_createRole', '/api/identities/from-soul/role', { markdown, name: 'sun' });
  const [version] = (await data(`/api/identities/${sol.id}/soul/versions`)).items;
  await ask('SoulVersions_restore', `/api/identities/${sol.id}/soul/versions/${version.id}/restore`, {});
  const hints = `/api/identities/${id}/hints`;
  const again = { content: 'Again', isRecurring: true, recurrencePattern: 'FREQ=DAILY' };
  const daily = await ask('IdentityHints_create', hints, { ...again, triggerAtUtc: '2026-01-01T00:00:00Z' });
  await ask('IdentityHints_complete', `${hints}/${daily.id}/complete`, {});
  const once = (await server.call('POST', hints, { content: 'Once' })).body.data;
  await ask('IdentityHints_dismiss', `${hints}/${once.id}/dismiss`, {});
  const message = await ask('Messages_send', '/api/messages', { recipientIds: [id], content: 'Hear me.' });
  await ask('Messages_reply', `/api/messages/${message.id}/reply`, { content: 'And this.' });
  await ask('Messages_archive', `/api/messages/threads/${message.threadId}/archive`, {});
  await ask('Messages_broadcast', '/api/messages/broadcast', { content: 'All.', everyone: true });
  const to = (await server.call('POST', '/api/identities', { name: 'Mallory' })).body.data;
  const bond = { otherIdentityId: to.id, type: 'Friend' };
  const known = await ask('Relationships_set', `/api/identities/${id}/relationships`, bond);
  const help = { kind: 'Help', summary: 'It helped.' };
  await ask('Relationships_interact', `/api/relationships/${known.id}/interactions`, help);
  const left = await ask('Session_leave', '/api/session/handoffs', { title: 'T', summary: 'S' });
  await ask('Session_claim', `/api/session/handoffs/${left.id}/claim`, {});
}

async function askMemories() {
  const { id } = (await server.call('POST', '/api/identities', { name: 'Mneme' })).body.data;
  const path = `/api/identities/${id}/memories`;
  const one = await ask('Memories_create', path, { title: 'Bread', content: 'Flour, water, salt.' });
  const other = (await server.call('POST', path, { title: 'Boats', content: 'They float.' })).body.data;
  const memory = `/api/memories/${one.id}`;
  await ask('Memories_link', `${memory}/links`, { toMemoryId: other.id, strength: 0.5 });
  await ask('Memories_strengthen', `${memory}/links/${other.id}/strengthen`, { increment: 0.5 });
  await ask('Memories_addTags', `${memory}/tags`, { tags: ['kitchen'] });
  const [kept, twin] = [
    (await server.call('POST', path, { title: 'Salt', content: 'Salt comes from the sea.' })).body.data,
    (await server.call('POST', path, { title: 'Pepper', content: 'Pepper grows in gardens.' })).body.data,
  ];
  await ask('Memories_merge', `/api/memories/${kept.id}/merge`, { otherId: twin.id });
  await ask('Facts_create', '/api/projects/7/facts', { key: 'bread.flour', value: 'rye' });
  // Of a project without runs: runs that end count for the lessons that they were told.
  const told = { title: 'Yeast', content: 'Yeast wants warmth.', kind: 'Lesson', projectId: 70 };
  const lesson = await ask('AgentMemories_create', '/api/agent-memories', told);
  await ask('AgentMemories_reinforce', `/api/agent-memories/${lesson.id}/reinforce`, { outcome: 'Helped' });
  await ask('AgentMemories_promote', `/api/agent-memories/${lesson.id}/promote`, { identityId: 1 });
  await ask('PersonalMemories_create', '/api/personal-memories', { content: 'I bake on Sundays.', category: 'Work' });
  const said = { assertion: 'Bread is baked by hand.', trigger: 'BeforePlan', kind: 'Should' };
  const rule = (await server.call('POST', '/api/standing-rules', { ...said, status: 'Proposed' })).body.data;
  await ask('StandingRules_link', `/api/standing-rules/${rule.id}/links`, { memoryId: one.id });
  await ask('StandingRules_confirm', `/api/standing-rules/${rule.id}/confirm`, {});
  await ask('StandingRules_withdraw', `/api/standing-rules/${rule.id}/withdraw`, { statusReason: 'Machines.' });
  const bread = await ask('Graph_createNode', '/api/graph/nodes', { name: 'Rye bread', kind: 'Artifact' });
  const rye = (await server.call('POST', '/api/graph/nodes', { name: 'Rye', kind: 'Concept' })).body.data;
  await ask('Graph_createEdge', '/api/graph/edges', { fromNodeId: bread.id, toNodeId: rye.id, relation: 'made_of' });
  await ask('Memories_archive', `${memory}/archive`, { reason: 'Known by heart.' });
}

async function askDocs() {
  const project = (await server.call('POST', '/api/projects', { name: 'Site', siteEnabled: true })).body.data;
  const at = `/api/projects/${project.id}`;
  const public_ = { title: 'News', content: 'One.', classification: 'Public' };
  const doc = await ask('Docs_create', `${at}/docs`, public_);
  await ask('Docs_move', `/api/docs/${doc.id}/move`, { sortOrder: 0 });
  await ask('Docs_publish', `/api/docs/${doc.id}/publish`, {});
  await server.call('PATCH', `/api/docs/${doc.id}`, { content: 'Two.' });
  await ask('Docs_restore', `/api/docs/${doc.id}/versions/1/restore`, {});
  await ask('Docs_unpublish', `/api/docs/${doc.id}/unpublish`);
  await ask('SiteBuilds_request', `${at}/site-builds`, {});
  const build = await ask('SiteBuilds_claim', '/api/site-builds/claim', { builderHost: 'elsewhere' });
  await ask('SiteBuilds_complete', `/api/site-builds/${build.id}/complete`, { success: true });
}

async function askChatsAndFiles() {
  const project = await ask('Projects_create', '/api/projects', { name: 'Archived' });
  await ask('Projects_archive', `/api/projects/${project.id}/archive`, {});
  const { id: home } = await ask('Projects_create', '/api/projects', { name: 'Tasks' });
  const list = `/api/projects/${home}/tasks`;
  const [one, other] = [
    await ask('Tasks_create', list, { title: 'T' }),
    await ask('Tasks_create', list, { title: 'U' }),
  ];
  await ask('Tasks_depend', `/api/tasks/${one.id}/dependencies`, { dependsOnTaskId: other.id });
  await ask('Tasks_move', `/api/tasks/${one.id}/move`, { sortOrder: 1 });
  await ask('Tasks_comment', `/api/tasks/${one.id}/comments`, { content: 'Said.' });
  await ask('Tasks_assign', `/api/tasks/${one.id}/assign`, {});
  await ask('Tasks_status', `/api/tasks/${one.id}/status`, { status: 'Todo' });
  await ask('Tasks_claim', `/api/tasks/${other.id}/claim`, {});
  await ask('Tasks_run', `/api/tasks/${other.id}/run`, { autoStart: false });
  const session = await ask('ChatSession_create', '/api/chat/sessions', { title: 'T' });
  const chat = `/api/chat/sessions/${session.id}`;
  await ask('ChatSession_addMessage', `${chat}/messages`, { role: 'user', content: 'Said.' });
  const workspace = await ask('Workspaces_create', '/api/workspaces', { name: 'W' });
  const place = `/api/workspaces/${workspace.id}`;
  const snapshot = await ask('Workspaces_snapshot', `${place}/snapshots`, { label: 'S' });
  await ask('Workspaces_restore', `${place}/snapshots/${snapshot.id}/restore`, {});
}

/** Resources of parts, by their samples. */
async function askRoutines() {
  const body = { name: 'One of its kind', briefMarkdown: 'Look.', maxConcurrentRuns: 0 };
  const { id } = await ask('AgentRoutines_create', '/api/agent/routines', body);
  const at = `/api/agent/routines/${id}`;
  await ask('AgentRoutines_createTrigger', `${at}/triggers`, { eventPattern: 'none.*' });
  await ask('AgentRoutines_run', `${at}/run`, {});
  await ask('AgentRoutines_disable', `${at}/disable`, {});
  await ask('AgentRoutines_enable', `${at}/enable`, {});
}

/** A prompt that is used, and has its first text again. */
async function askPrompts() {
  const draft = { name: 'Report', command: 'report', text: 'About {{topic}}' };
  const { id } = await ask('Prompts_create', '/api/prompts', draft);
  await server.call('PATCH', `/api/prompts/${id}`, { text: 'More about {{topic}}' });
  await ask('Prompts_use', `/api/prompts/${id}/use`, { values: { topic: 'rivers' } });
  await ask('Prompts_restore', `/api/prompts/${id}/versions/1/restore`);
}

/** Of two experiments one is begun, whose runs play the demo until somebody decides, and one is stopped. */
async function askEvaluation() {
  const draft = { name: 'Once', items: [{ input: 'Say hello' }] };
  const { id: datasetId } = (await server.call('POST', '/api/evaluation/datasets', draft)).body.data;
  const { id: runId } = await makeRun();
  await ask('EvaluationDatasets_collect', `/api/evaluation/datasets/${datasetId}/collect`, { runIds: [runId] });
  const begin = async (name: string) => {
    const { id } = await ask('Experiments_create', '/api/evaluation/experiments', {
      ...{ name, datasetId, maxCostUsd: 0.01, candidates: [{ name: 'demo', modelId: 'scripted:demo' }] },
      scorers: [{ kind: 'Person', name: 'ours' }],
    });
    return `/api/evaluation/experiments/${id}`;
  };
  const begun = await begin('Begun');
  await ask('Experiments_start', `${begun}/start`, {});
  await ask('Experiments_score', `${begun}/score`, { scores: [] });
  await ask('Experiments_cancel', `${await begin('Stopped')}/cancel`);
}

async function askParts() {
  for (const sample of sampled) {
    const id = operationId(sample.of, 'create');
    const post = (path: string, body: unknown, made: ResourceSample) =>
      made === sample ? ask(id, path, body) : server.call('POST', path, body).then((answer) => answer.body.data);
    await makeOfPart(sample, sampled, `${id} of a part`, post);
  }
}

/** An import that was committed and taken back: neither is done again when it is repeated afterwards. */
async function askImports() {
  const { id: identityId } = (await server.call('POST', '/api/identities', { name: 'Clio' })).body.data;
  const form = smallForm({ identityId: String(identityId), projectId: '7' });
  const { id } = await ask('Import_upload', '/api/import/upload', form);
  await importsOf(server).ended(id);
  await ask('Import_commit', `/api/import/${id}/commit`, {});
  await ask('Import_undo', `/api/import/${id}/undo`, {});
  expect(await data(`/api/import/${id}`)).toMatchObject({ statusId: 'ReadyForReview' });
}

/** As if the process had died before it could keep its answers. */
async function forgetAnswers() {
  const db = openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger });
  const kept = db.collection(idempotencyCollection);
  await kept.updateMany({}, { $set: { answer: null, owner: 'a process that died' } });
  await db.close();
}

/** The mirror of the owner's identity. */
async function askMirror() {
  const { id } = (await data('/api/auth/me')).identity;
  const own = `/api/identities/${id}`;
  const pull = { compulsionType: 'Other', intensity: 1, wasResisted: true, triggerContext: 'a question' };
  const said = { compliantResponse: 'yes', honestResponse: 'no' };
  const reflection = await ask('Reflections_create', `${own}/reflections`, { ...pull, ...said });
  await ask('Reflections_addTags', `/api/reflections/${reflection.id}/tags`, { tags: ['a'] });
  await ask('ReflectionPairs_create', `/api/reflections/${reflection.id}/training-pair`, {});
  const pair = { userPrompt: 'a question', chosenResponse: 'no', rejectedResponse: 'yes' };
  const { id: pairId } = await ask('TrainingPairs_create', `${own}/training-pairs`, pair);
  await ask('TrainingPairs_addTags', `/api/training-pairs/${pairId}/tags`, { tags: ['a'] });
  await ask('TrainingPairs_reject', '/api/training-pairs/reject', { pairIds: [pairId] });
  await ask('TrainingPairs_approve', '/api/training-pairs/approve', { pairIds: [pairId] });
  const { id: datasetId } = await ask('Datasets_create', `${own}/datasets`, {
    name: 'One',
    primaryObjective: 'Honesty',
  });
  await ask('Datasets_populate', `/api/datasets/${datasetId}/populate`, {});
  const other = (await server.call('POST', `${own}/datasets`, { name: 'Two', primaryObjective: 'Honesty' })).body.data;
  await server.call('POST', `/api/datasets/${other.id}/populate`, {});
  await ask('TrainingRuns_create', `${own}/training-runs`, { datasetId: other.id, baseModelName: 'small' });
  await ask('Checkpoints_create', `${own}/checkpoints`, { modelName: 'small', version: '1', status: 'Active' });
  await ask('TrainingPairs_harvestEscalations', `${own}/training-pairs/harvest-escalations`, {});
  await ask('TrainingPairs_harvestRatings', `${own}/training-pairs/harvest-ratings`, {});
}

const lists = [
  '/api/agent/routines',
  '/api/agent/runs',
  '/api/agent/escalations',
  '/api/agent/role-definitions',
  '/api/agent/tool-profiles',
  '/api/ai-router/providers',
  '/api/ai-router/models',
  '/api/ai-router/routes',
  '/api/ai-router/budgets',
  '/api/identities',
  '/api/chat/sessions',
  '/api/prompts',
  '/api/workspaces',
  '/api/tasks',
  '/api/messages/sent',
  '/api/messages/threads?archived=true',
  '/api/session/handoffs',
  '/api/import',
  ...sampled
    .filter(({ of }) => of.operations.list)
    .map(({ of }) => of.base + of.operations.list?.path)
    .filter((path) => paramsOf(path).length === 0),
];

/** How many there are of everything that was made. */
async function census() {
  const counts: Record<string, number> = {};
  const count = async (path: string) => {
    const page = await data(path);
    counts[path] = page.totalCount ?? page.length;
    return page.items ?? page;
  };
  for (const path of lists) await count(path);
  for (const { id } of await count('/api/agent/runs?pageSize=200')) {
    const detail = await data(`/api/agent/runs/${id}`);
    const events = await data(`/api/agent/runs/${id}/events?limit=500`);
    const said = events.filter(({ type }: { type: string }) => /^(Note|Task|Pool|Checkpoint|Escalation)/.test(type));
    counts[`events of run ${id}`] = said.length;
    counts[`pool of run ${id}`] = detail.poolTokenBudget;
    counts[`restarts of run ${id}`] = events.filter(({ type }: { type: string }) => type === 'RunRestarted').length;
    for (const part of ['notes', 'tasks', 'messages', 'feedback', 'children', 'checkpoints'])
      await count(`/api/agent/runs/${id}/${part}`);
  }
  for (const { id } of await count('/api/identities')) {
    await count(`/api/identities/${id}/api-keys?includeRevoked=true`);
    await count(`/api/identities/${id}/hints?includeDismissed=true`);
    for (const { id: memory } of await count(`/api/identities/${id}/memories?includeArchived=true`)) {
      const { tags, linksFrom } = await data(`/api/memories/${memory}?countAccess=false`);
      counts[`tags of memory ${memory}`] = tags.length;
      for (const { id: link, strength } of linksFrom) counts[`strength of link ${link}`] = strength;
    }
    await count(`/api/identities/${id}/reflections`);
    for (const kind of ['training-pairs', 'datasets', 'training-runs', 'checkpoints'])
      await count(`/api/identities/${id}/${kind}`);
    for (const { id: known } of await count(`/api/identities/${id}/relationships`))
      await count(`/api/relationships/${known}/interactions`);
  }
  await count('/api/projects/7/facts?currentOnly=false');
  for (const { id } of await count('/api/projects'))
    for (const doc of await count(`/api/projects/${id}/docs`)) await count(`/api/docs/${doc.id}/versions`);
  for (const { id, helpedCount } of await count('/api/agent-memories')) counts[`help of lesson ${id}`] = helpedCount;
  await count('/api/personal-memories');
  for (const { id } of await count('/api/org-units'))
    for (const below of ['members', 'invites', 'identities']) await count(`/api/org-units/${id}/${below}`);
  for (const { id, groundingCount, evidenceCount } of await count('/api/standing-rules'))
    counts[`links of rule ${id}`] = groundingCount + evidenceCount;
  for (const { id } of await count('/api/chat/sessions')) await count(`/api/chat/sessions/${id}/messages`);
  for (const { id } of await count('/api/workspaces'))
    counts[`snapshots of ${id}`] = (await data(`/api/workspaces/${id}`)).snapshots?.length;
  return counts;
}

/** What tells a thing from others of its kind. */
const identityOf = (value: Record<string, unknown> | null) => {
  const { id, guid, createdAtUtc, runId, checkpointId } = (value?.key ?? value ?? {}) as Record<string, unknown>;
  return { id, guid, createdAtUtc, runId, checkpointId };
};

/** These make nothing that lasts, or ask others. */
const apart = new Set([
  ...['AIProviders_syncModels', 'ChatSession_stop', 'Email_test', 'Email_send'],
  ...['encryptHeaders', 'verify', 'callEndpoint'].map((verb) => `Connectors_${verb}`),
]);

describe('a repeat after a crash before the answer', () => {
  it('is asked of every operation that honours a key', async () => {
    await askRuns();
    await askDocs();
    await askRouter();
    await askBilling();
    await askPeople();
    await askIdentities();
    await askMemories();
    await askChatsAndFiles();
    await askRoutines();
    await askEvaluation();
    await askPrompts();
    await askParts();
    await askMirror();
    await askImports();
    await ask('Demo_run', '/api/demo/run', { speed: 100 });
    const honouring = operations.filter((one) => one.method === 'POST' && one.operation.idempotent !== false);
    const left = honouring.filter(({ id }) => !apart.has(id) && !asked.some((one) => one.id === id));
    expect(left.map(({ id }) => id)).toEqual([]);
  });

  it('makes nothing twice and answers with the first', async () => {
    await server.restart(forgetAnswers);
    await expect
      .poll(async () =>
        (await data('/api/agent/runs?pageSize=200')).items.filter((one: { status: string }) =>
          ['Queued', 'Running', 'WaitingForChildren'].includes(one.status),
        ),
      )
      .toEqual([]);
    const before = await census();
    for (const { id, path, body, key, first } of asked) {
      const again = await server.call('POST', path, body, { 'idempotency-key': key });
      const told = [id, again.status, identityOf(again.body.data), again.body.error ?? null];
      expect(told).toEqual([id, 200, identityOf(first.body.data), null]);
      expect(again.headers.get('idempotency-replayed')).toBeNull();
      if (id.startsWith('IdentityKeys')) await isGood(again.body.data.rawKey);
    }
    expect(await census()).toEqual(before);
  });

  it('is answered from what was kept the next time', async () => {
    for (const { path, body, key } of asked) {
      const again = await server.call('POST', path, body, { 'idempotency-key': key });
      expect([path, again.status, again.headers.get('idempotency-replayed')]).toEqual([path, 200, 'true']);
    }
  });
});

/** A key that is shown once must open the door, also after a repeat. */
async function isGood(rawKey: string) {
  const { status } = await server.call('GET', '/api/agent/runs', undefined, { authorization: `Bearer ${rawKey}` });
  expect([200, 403]).toContain(status);
}
