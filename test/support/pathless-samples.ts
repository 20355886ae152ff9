// How writing operations without ids in their paths are called, so that they succeed and write; and those with ids for
// which a sample that is answered is not one that writes.
import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import { Permission } from '../../src/contract/enums.ts';
import { operationId } from '../../src/contract/named.ts';
import type { ResourceSample } from '../../src/groups/part.ts';
import { tokenTo } from './mailbox.ts';
import { mirrorOf } from './mirror-samples.ts';
import { paramsOf } from './operations.ts';
import { makeOfPart } from './part-samples.ts';
import { portableSample, type SampleMaker, secret } from './sample-maker.ts';
import { planDraft, type Sample, sampled, someMonth } from './samples.ts';
import { openRegistration, strangersPassword as password, register } from './strangers.ts';
import { request, type TestServer } from './test-server.ts';

export interface Call extends Omit<Sample, 'params'> {
  params?: Sample['params'];
  /** Whose key or token it is called with; the owner's unless given, nobody's if null. */
  key?: string | null;
  /** Who reads the entry of it, where that is not the owner of the first tenant; `new` for who has registered by it. */
  reader?: string;
  /** In place of a JSON body. */
  form?: FormData;
}
interface World {
  server: TestServer;
  maker: SampleMaker;
}
type Sampler = (world: World) => Promise<Call>;

let people = 0;
/** Somebody who has registered, and so owns a tenant. */
async function newcomer({ server }: World) {
  await openRegistration(server);
  const username = `${secret}-newcomer-${++people}`;
  const { body } = await register(server, username);
  const email = `${username}@example.com`;
  return { username, email, token: body.data.accessToken as string, refreshToken: body.data.refreshToken as string };
}
/** A member of the first tenant with a password and the tokens of a session. */
async function member({ server, maker }: World) {
  const { id, username } = await maker.person();
  const email = `${username}@example.com`;
  await server.call('PATCH', `/api/users/${id}`, { email });
  await server.call('POST', `/api/users/${id}/reset-password`, { newPassword: password });
  const { data } = (await request(server.url, 'POST', '/api/auth/login', { login: username, password })).body;
  return { id, username, email, token: data.accessToken as string, refreshToken: data.refreshToken as string };
}
const as = ({ server }: World, token: string, method: string, path: string, body?: unknown) =>
  request(server.url, method, path, body, { authorization: `Bearer ${token}` });
const code = (of: string, later = 0) =>
  new TOTP({ secret: Secret.fromBase32(of) }).generate({ timestamp: Date.now() + later * 30_000 });

const redirectUri = 'http://127.0.0.1:7/callback';
/** PKCE: a verifier and its challenge, of RFC 7636. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** A request of an OAuth client that the owner has not answered. */
async function requestOf({ server }: World) {
  const grants = ['authorization_code', 'refresh_token'];
  const client = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', grant_types: grants };
  const { client_id } = (await request(server.url, 'POST', '/api/oauth2/register', client)).body;
  const asked = { response_type: 'code', client_id, code_challenge: challenge, code_challenge_method: 'S256' };
  const { body } = await server.call('GET', `/api/oauth2/authorize?${new URLSearchParams(asked)}`);
  return { client_id: client_id as string, requestId: body.data.requestId as string };
}
/** The owner has let a client in, which has its code. */
async function codeOf(world: World) {
  const { client_id, requestId } = await requestOf(world);
  const { body } = await world.server.call('POST', '/api/oauth/consents', { requestId, approved: true });
  const code = new URL(body.data.redirectUrl).searchParams.get('code') ?? '';
  const own = { client_id, redirect_uri: redirectUri, code_verifier: verifier, code };
  return { client_id, fields: { grant_type: 'authorization_code', ...own } };
}

async function mailToMyself({ server, maker }: World) {
  const { id } = (await server.call('GET', '/api/auth/me')).body.data.identity;
  return (await maker.made('/api/messages', { recipientIds: [id], content: secret })).id;
}

const simple =
  (body: unknown): Sampler =>
  async () => ({ body });
const named =
  (more: object): Sampler =>
  async ({ maker }) => ({ body: { name: maker.name(), ...more } });

const soul = '# Sol\n\n## Traits\n- bright';
const played = { messages: [{ role: 'user', content: secret }] };
const asked = { model: 'scripted:echo', messages: [{ role: 'user', content: secret }] };
/** Puts back what `GET` answers, without what only the server writes. */
const replaced =
  (path: string, serverOwn: readonly string[]): Sampler =>
  async ({ server }) => {
    const { data } = (await server.call('GET', path)).body;
    return { body: Object.fromEntries(Object.entries(data).filter(([name]) => !serverOwn.includes(name))) };
  };

export const pathless: Record<string, Sampler> = {
  Connectors_encryptHeaders: simple({}),
  Billing_createPlan: async () => ({ body: planDraft() }),
  Billing_createInvoice: async () => ({ body: { periodStartUtc: someMonth().toISOString() } }),
  Billing_subscribe: async ({ maker }) => ({
    body: { planId: (await maker.made('/api/billing/plans', planDraft())).id },
  }),
  OrgUnits_acceptInvite: async ({ maker }) => {
    const { id } = await maker.made('/api/org-units', { name: maker.name() });
    const invited = await maker.made(`/api/org-units/${id}/invites`, { email: 'ada@example.org' });
    return { body: { token: (invited as unknown as { rawToken: string }).rawToken } };
  },
  Export_tenant: async () => ({ params: {} }),
  Graph_createNode: named({ kind: 'Concept' }),
  Graph_createEdge: async ({ maker }) => ({
    body: { fromNodeId: (await maker.freshNode()).id, toNodeId: (await maker.freshNode()).id, relation: secret },
  }),
  AgentMemories_create: async ({ maker }) => ({
    body: { title: maker.name(), content: `${maker.name()} wants warmth.`, kind: 'Lesson' },
  }),
  AgentRoles_create: named({ systemPromptTemplate: secret }),
  AgentRoutines_create: simple({ name: secret, briefMarkdown: secret }),
  Experiments_score: async ({ server, maker }) => {
    const dataset = await maker.made('/api/evaluation/datasets', { name: maker.name(), items: [{ input: 'Hello' }] });
    const { id } = await maker.made('/api/evaluation/experiments', {
      ...{ name: maker.name(), datasetId: dataset.id, maxCostUsd: 0.01 },
      ...{ candidates: [{ name: 'usual' }], scorers: [{ kind: 'Person', name: 'ours' }] },
    });
    const at = `/api/evaluation/experiments/${id}`;
    await server.call('POST', `${at}/start`, {});
    const first = async () => (await server.call('GET', `${at}/cases`)).body.data.items[0];
    await expect.poll(async () => (await first()).status).toBe('Done');
    const scores = [{ caseId: (await first()).id, scorer: 'ours', value: 1 }];
    return { params: { id }, body: { scores } };
  },
  Shares_create: async ({ maker }) => ({ body: { runId: (await maker.run()).id } }),
  AgentRuns_create: simple({ goal: secret, modelId: 'scripted:echo' }),
  AgentToolProfiles_create: async ({ maker }) => ({ body: { name: maker.name(), role: maker.name() } }),
  AIBudgets_create: named({ scope: 'Tenant', period: 'Month', limitUsd: 1000 }),
  AIModels_create: async ({ maker }) => ({
    body: { providerId: (await maker.provider()).id, modelId: maker.name(), providerModelName: secret },
  }),
  AIPlayground_chat: simple({ ...played, modelId: 'scripted:echo' }),
  AIPlayground_stream: simple({ ...played, modelId: 'scripted:echo' }),
  AIPlayground_compare: simple({ modelIds: ['scripted:echo', 'scripted:demo'], messages: asked.messages }),
  AIPlayground_embeddings: async ({ maker }) => ({
    body: { modelId: (await maker.embedder()).modelId, inputs: [secret] },
  }),
  AIProviders_create: named({ kind: 'OpenAiCompatible', baseUrl: 'http://127.0.0.1:9/v1' }),
  AIRoutes_create: named({ policy: 'Priority', targets: [] }),
  AISettings_replace: replaced('/api/ai-router/settings', ['version', 'updatedAtUtc', 'updatedByName']),
  // One that is still being made.
  ChatCompletionsCompat_cancel: async ({ maker }) => {
    const slow = { model: 'scripted:slow', input: secret, background: true };
    return { params: { responseId: (await maker.call('POST', '/v1/responses', slow)).body.id } };
  },
  ChatSession_patchMessage: async ({ maker }) => ({
    params: { messageId: (await maker.freshMessage('user')).id },
    body: { content: `${secret} anew` },
  }),
  Support_create: simple({ subject: secret, description: secret }),
  LogSubscriptions_create: simple({ domain: 'Webhook', minLevel: 'Error' }),
  Help_feedback: async () => ({ params: { slug: 'runs' }, body: { helpful: true } }),
  Auth_register: async (world) => {
    await openRegistration(world.server);
    const username = `${secret}-registered-${++people}`;
    return {
      key: null,
      reader: 'new',
      body: { username, email: `${username}@example.com`, password, displayName: secret },
    };
  },
  Auth_login: async (world) => ({ key: null, body: { login: (await member(world)).username, password } }),
  Auth_refresh: async (world) => ({ key: null, body: { refreshToken: (await member(world)).refreshToken } }),
  Auth_logout: async (world) => ({ key: (await member(world)).token, body: {} }),
  Auth_enrollTotp: async (world) => ({ key: (await member(world)).token, body: { password } }),
  Auth_confirmTotp: async (world) => {
    const { token } = await member(world);
    const enrolled = (await as(world, token, 'POST', '/api/auth/mfa/totp/enroll', { password })).body.data;
    return { key: token, body: { code: code(enrolled.secret) } };
  },
  Auth_disableTotp: async (world) => {
    const { token } = await member(world);
    const enrolled = (await as(world, token, 'POST', '/api/auth/mfa/totp/enroll', { password })).body.data;
    await as(world, token, 'POST', '/api/auth/mfa/totp/confirm', { code: code(enrolled.secret) });
    return { key: token, body: { password, code: code(enrolled.secret, 1) } };
  },
  Auth_confirmEmail: async (world) => {
    const { email, token } = await newcomer(world);
    return { key: null, reader: token, body: { token: await tokenTo(world.server.config.dataDir, email, 'confirm') } };
  },
  Auth_resendEmail: async (world) => ({ key: null, body: { email: (await member(world)).email } }),
  Auth_forgotPassword: async (world) => ({ key: null, body: { login: (await member(world)).username } }),
  Auth_resetPassword: async (world) => {
    const { email, username } = await member(world);
    await request(world.server.url, 'POST', '/api/auth/password/forgot', { login: username });
    const token = await tokenTo(world.server.config.dataDir, email, 'reset');
    return { key: null, body: { token, newPassword: `${password} anew` } };
  },
  Auth_introspect: async ({ server }) => ({ body: { token: server.key } }),
  OAuthServer_register: simple({ redirect_uris: [redirectUri], client_name: secret }),
  OAuthServer_token: async (world) => ({ key: null, reader: world.server.key, body: (await codeOf(world)).fields }),
  OAuthServer_revoke: async (world) => {
    const { client_id, fields } = await codeOf(world);
    const { body } = await request(world.server.url, 'POST', '/api/oauth2/token', fields);
    return { key: null, reader: world.server.key, body: { token: body.refresh_token, client_id } };
  },
  OAuth_consent: async (world) => ({ body: { requestId: (await requestOf(world)).requestId, approved: true } }),
  ChatCompletionsCompat_chat: simple(asked),
  ChatCompletionsCompat_complete: simple({ model: 'scripted:echo', prompt: secret }),
  ChatCompletionsCompat_messages: simple({ ...asked, max_tokens: 100 }),
  ChatCompletionsCompat_countTokens: simple(asked),
  ChatCompletionsCompat_embeddings: async ({ maker }) => ({
    body: { model: (await maker.embedder()).modelId, input: secret },
  }),
  ChatCompletionsCompat_respond: simple({ model: 'scripted:echo', input: secret }),
  ChatUi_send: simple({ id: 'a-chat', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: secret }] }] }),
  ChatUi_agUi: simple({
    threadId: 'a-thread',
    runId: 'a-run',
    state: {},
    tools: [],
    context: [],
    forwardedProps: {},
    messages: [{ id: '1', role: 'user', content: secret }],
  }),
  ChatSession_create: simple({ title: secret }),
  ChatSession_renameFolder: async ({ maker }) => {
    const [folder, to] = [maker.name(), maker.name()];
    await maker.made('/api/chat/sessions', { title: secret, folder });
    return { body: { folder, to } };
  },
  ChatSession_renameTag: async ({ maker }) => {
    const [tag, to] = [maker.name(), maker.name()];
    await maker.made('/api/chat/sessions', { title: secret, tags: [tag] });
    return { body: { tag, to } };
  },
  Identities_create: named({}),
  Souls_preview: simple({ markdown: soul }),
  Souls_create: async ({ maker }) => ({ body: { markdown: soul, name: maker.name() } }),
  Souls_createRole: async ({ maker }) => ({ body: { markdown: soul, name: maker.name() } }),
  Souls_read: async () => {
    const form = new FormData();
    form.set('file', new Blob([soul]), 'SOUL.md');
    return { form };
  },
  Import_upload: async ({ maker }) => {
    const form = new FormData();
    form.set('file', new Blob([JSON.stringify(portableSample(maker.name()))]), 'portable.json');
    return { form };
  },
  IdentitySwarm_provision: named({ createApiKey: true }),
  Maintenance_start: simple({ task: 'VerifyAuditChain' }),
  // Whatever other operations have left of it goes first.
  Demo_seed: async ({ server }) => {
    await server.call('POST', '/api/demo/reset', { confirm: true });
    return { body: { size: 'Small', includeHistory: false } };
  },
  Demo_run: simple({ scenario: 'SingleRun', speed: 100 }),
  Demo_reset: async ({ server }) => {
    await server.call('POST', '/api/demo/run', { scenario: 'SingleRun', speed: 100 });
    return { body: { confirm: true } };
  },
  System_changeConfig: simple({ settings: { RIVULET_BACKUPS_KEPT: '3' } }),
  Messages_send: async ({ maker }) => ({ body: { recipientIds: [(await maker.identity()).id], content: secret } }),
  Messages_mark: async (world) => ({ params: { id: await mailToMyself(world) }, body: {} }),
  Messages_remove: async (world) => ({ params: { id: await mailToMyself(world) } }),
  Messages_markMany: async ({ maker }) => {
    const { id } = await maker.identity();
    await maker.freshMail();
    return { body: { identityId: id, all: true } };
  },
  Messages_broadcast: async ({ maker }) => {
    await maker.identity();
    return { body: { content: secret, everyone: true } };
  },
  SiteBuilds_claim: async ({ maker }) => {
    await maker.freshBuild();
    return { body: { builderHost: secret } };
  },
  PersonalMemories_create: async ({ maker }) => ({ body: { content: maker.name(), category: 'Work' } }),
  PersonalMemories_forget: async ({ maker }) => {
    await maker.made('/api/personal-memories', { content: maker.name(), category: 'Work' });
    return { body: { all: true, confirm: true } };
  },
  // Of nothing that was decided or rated nothing comes.
  TrainingPairs_harvestEscalations: async ({ server, maker }) => {
    const { id } = await maker.freshWaiting();
    const run = (await server.call('GET', `/api/agent/runs/${id}`)).body.data;
    await server.call('POST', `/api/agent/escalations/${run.escalations[0].id}/resolve`, { decision: secret });
    return { params: { identityId: run.identityId }, body: {} };
  },
  TrainingPairs_harvestRatings: async ({ server, maker }) => {
    const { id } = await maker.freshEnded();
    await server.call('POST', `/api/agent/runs/${id}/feedback`, { rating: 'Excellent' });
    const run = (await server.call('GET', `/api/agent/runs/${id}`)).body.data;
    return { params: { identityId: run.identityId }, body: {} };
  },
  TrainingPairs_approve: async ({ maker }) => ({ body: { pairIds: [(await mirrorOf(maker).pair()).id] } }),
  TrainingPairs_reject: async ({ maker }) => ({ body: { pairIds: [(await mirrorOf(maker).pair()).id] } }),
  WebSocket_ticket: simple({}),
  Roles_create: named({ permissions: [Permission.enum.RunsRead] }),
  Session_leave: simple({ title: secret, summary: secret }),
  TenantPolicy_replace: replaced('/api/tenant-policy', ['version', 'updatedAtUtc', 'updatedByName']),
  Users_create: async () => ({ body: { username: `${secret}-made-${++people}` } }),
  Users_replaceProfile: async (world) => ({ key: (await member(world)).token, body: { displayName: secret } }),
  Users_close: async (world) => ({ key: (await member(world)).token, body: { password } }),
  Users_changePassword: async (world) => ({
    key: (await member(world)).token,
    body: { currentPassword: password, newPassword: `${password} anew` },
  }),
  Workspaces_create: named({}),
};

for (const sample of sampled) {
  const { of } = sample;
  const id = operationId(of, 'create');
  if (Object.hasOwn(pathless, id) || paramsOf(of.base + (of.operations.create?.path ?? '')).length > 0) continue;
  pathless[id] = async ({ maker }) => {
    let body: unknown;
    const post = async (path: string, sent: unknown, made: ResourceSample) => {
      if (made !== sample) return maker.made(path, sent);
      body = sent;
      return { id: 0 };
    };
    await makeOfPart(sample, sampled, maker.name(), post);
    return { body };
  };
}
