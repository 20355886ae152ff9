// One thing of every kind that operations are about, made through the API, and how each operation with ids is called
// biome-ignore-all lint/style/noExcessiveLinesPerFile: one list, an entry for each operation that is made by hand.
// so that its owner gets an answer. An operation without a sample has no way to be walked, which fails test/meta/parts.test.ts.
import { defaultSettings } from '../../src/groups/identities/settings.ts';
import { parts } from '../../src/groups/parts.ts';
import { mirrorSamples } from './mirror-samples.ts';
import { callOf, operationsOf } from './part-samples.ts';
import { type SampleMaker, secret } from './sample-maker.ts';
import { droppedDelivery } from './sending.ts';

/** How an operation is called; parameters by name. */
export interface Sample {
  params: Record<string, string | number>;
  body?: unknown;
  query?: string;
  headers?: Record<string, string>;
}

const at = (make: (maker: SampleMaker) => Promise<{ id: number }>, name = 'id', more: Omit<Sample, 'params'> = {}) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({ params: { [name]: (await make(maker)).id }, ...more }),
});
const ofRun = (more: Omit<Sample, 'params'> = {}) => at((maker) => maker.run(), 'runId', more);
const ofShare = () => at(async (maker) => maker.made('/api/shares', { runId: (await maker.run()).id }));
const ofIdentity = (body?: object) => at((maker) => maker.identity(), 'identityId', body ? { body } : {});
const ofHint = (body: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { id: identityId } = await maker.identity();
    const { id: hintId } = await maker.made(`/api/identities/${identityId}/hints`, { content: secret });
    return { params: { identityId, hintId }, body };
  },
});
const ofReceipt = (body?: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({
    params: { ...(await maker.receipt()) },
    ...(body && { body }),
  }),
});
const ofVersion = () => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { id } = await maker.identity();
    return { params: { id, versionId: (await maker.firstOf(`/api/identities/${id}/soul/versions`)).id } };
  },
});
const ofThread = (body?: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({
    params: { threadId: Number((await maker.freshMail()).threadId) },
    ...(body && { body }),
  }),
});
const ofMemory = (body?: object, query?: string) =>
  at((maker) => maker.memory(), 'id', { ...(body && { body }), ...(query && { query }) });
const ofKey = (query?: string) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { key } = await maker.freshFact();
    return { params: { projectId: 7, key }, ...(query && { query }) };
  },
});
let months = 0;
/** A month long ago, of which a tenant without a plan can have an invoice: another one each time. */
export const someMonth = () => new Date(Date.UTC(1971, months++));
const ofInvoice = (more: Omit<Sample, 'params'> = {}) =>
  at(
    (maker) => maker.made('/api/billing/invoices', { periodStartUtc: someMonth().toISOString(), notes: secret }),
    'id',
    more,
  );
/** Every tenant sees the plans of the operator: no secret stands in them. */
export const planDraft = () => ({
  ...{ key: `p-${crypto.randomUUID().slice(0, 8)}`, name: 'A plan' },
  ...{ monthlyPriceUsd: 1, quotas: [] },
});

const inSite = (body?: object, query?: string) =>
  at((maker) => maker.site(), 'projectId', { ...(body && { body }), ...(query && { query }) });
const ofImport = (body?: object) => at((maker) => maker.freshImport(), 'id', body ? { body } : {});
const ofDoc = (body?: object, query?: string) =>
  at((maker) => maker.freshDoc(), 'id', { ...(body && { body }), ...(query && { query }) });
const ofDocVersion = (body?: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({
    params: { id: (await maker.freshDoc()).id, version: 1 },
    ...(body && { body }),
  }),
});
const ofPromptVersion = () => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { id } = await maker.made('/api/prompts', {
      name: maker.name(),
      command: `p-${crypto.randomUUID().slice(0, 8)}`,
      text: secret,
    });
    return { params: { id, version: 1 } };
  },
});
const ofTwoMemories = (body?: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { id } = await maker.freshMemory();
    const { id: targetId } = await maker.freshMemory();
    await maker.made(`/api/memories/${id}/links`, { toMemoryId: targetId });
    return { params: { id, targetId }, ...(body && { body }) };
  },
});
const ofFiles = (query = '') => at((maker) => maker.written(), 'runId', { query });

/** A response of its own: one that is made in the background can be cancelled, too. */
const ofResponse = () => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({ params: { responseId: await maker.freshResponse() } }),
});

/** Of an MCP server that is out of reach. */
const ofMcp = (more: Omit<Sample, 'params'> = {}, name?: string) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const body = { name: maker.name(), type: 'Mcp', baseUrl: 'http://127.0.0.1:9/mcp' };
    return { params: { id: (await maker.made('/api/connectors', body)).id, ...(name && { name }) }, ...more };
  },
});

/** A unit of its own with what belongs to it, made by another operation below it. */
const inUnit = (name: 'memberId' | 'inviteId' | 'identityId', body?: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { id } = await maker.made('/api/org-units', { name: maker.name() });
    const made = (below: string, what: object) => maker.made(`/api/org-units/${id}/${below}`, what);
    const { id: identityId } = await maker.identity();
    const belonging = {
      memberId: async () => (await made('members', { identityId })).id,
      inviteId: async () =>
        ((await made('invites', { email: 'ada@example.org' })) as unknown as { invite: { id: number } }).invite.id,
      identityId: async () => (await made('identities', { identityId })).id,
    };
    return { params: { id, [name]: await belonging[name]() }, ...(body && { body }) };
  },
});

interface SampleOf {
  sample(maker: SampleMaker): Promise<Sample>;
}

/** How each operation with ids is called. Those that take something away have a thing of their own to take. */
export const samples: Record<string, SampleOf> = {
  Billing_replacePlan: at((maker) => maker.made('/api/billing/plans', planDraft()), 'id', {
    body: { ...planDraft(), isActive: true, isDefault: false },
  }),
  Billing_invoice: ofInvoice(),
  Billing_moveInvoice: ofInvoice({ body: { status: 'Open' } }),
  Billing_download: ofInvoice({ query: 'format=Csv' }),
  OrgUnits_changeMember: inUnit('memberId', { title: 'changed' }),
  OrgUnits_removeMember: inUnit('memberId'),
  OrgUnits_revokeInvite: inUnit('inviteId'),
  OrgUnits_detachIdentity: inUnit('identityId'),
  ConnectorMcp_discover: ofMcp({ body: {} }),
  ConnectorMcp_tools: ofMcp(),
  ConnectorMcp_settings: ofMcp(),
  ConnectorMcp_setSettings: ofMcp({ body: { sampling: 'Ask' } }),
  ConnectorMcp_decide: ofMcp({ body: { enabled: false } }, 'delete_all'),
  AgentRuns_get: at((maker) => maker.run()),
  AgentRuns_export: at((maker) => maker.run(), 'id', { query: 'format=Markdown' }),
  AgentRuns_patch: at((maker) => maker.run(), 'id', { body: { goal: `${secret} too` } }),
  AgentRuns_remove: at((maker) => maker.freshEnded()),
  AgentRuns_start: at((maker) => maker.freshRun()),
  AgentRuns_restart: at((maker) => maker.freshEnded()),
  AgentRuns_cancel: at((maker) => maker.freshRun()),
  AgentRuns_pause: at((maker) => maker.freshWaiting()),
  BotProfiles_get: at(async (maker) => {
    const identity = await maker.identity();
    await maker.call('PUT', `/api/bot-profiles/${identity.id}`, { displayName: secret });
    return identity;
  }, 'identityId'),
  BotProfiles_replace: ofIdentity({ displayName: secret }),
  AgentRuns_resume: at(async (maker) => {
    const run = await maker.freshWaiting();
    await maker.call('POST', `/api/agent/runs/${run.id}/pause`, {});
    return run;
  }),
  AgentRuns_pool: at((maker) => maker.run(), 'id', { body: { poolTokenBudget: 9_000_000 } }),
  AgentRuns_checkpoint: at((maker) => maker.freshWaiting()),
  AgentRuns_checkpoints: at((maker) => maker.run()),
  AgentRuns_state: at((maker) => maker.run()),
  AgentRuns_fork: at((maker) => maker.freshEnded()),
  AgentRuns_wait: at((maker) => maker.run(), 'id', { query: 'timeoutMs=1' }),
  AgentRuns_children: at((maker) => maker.run()),
  AgentRuns_spawn: at((maker) => maker.run(), 'id', { body: { goal: secret } }),
  AgentRuns_events: ofRun(),
  AgentRuns_searchEvents: ofRun(),
  AgentRunFiles_list: ofFiles(),
  AgentRunFiles_read: ofFiles('path=a.txt'),
  AgentRunFiles_download: ofFiles('path=a.txt'),
  AgentRunFiles_deliverable: ofFiles(),
  AgentRunFiles_diff: ofFiles(),
  AgentRunFiles_output: ofFiles(),
  AgentNotes_list: ofRun(),
  AgentNotes_create: ofRun({ body: { content: secret } }),
  AgentTasks_list: ofRun(),
  AgentTasks_create: ofRun({ body: { title: secret } }),
  AgentTasks_patch: at((maker) => maker.task(), 'id', { body: { title: `${secret} too` } }),
  AgentMessages_list: ofRun(),
  AgentMessages_create: ofRun({ body: { content: secret } }),
  AgentRoutines_get: at((maker) => maker.freshRoutine()),
  AgentRoutines_patch: at((maker) => maker.freshRoutine(), 'id', { body: { briefMarkdown: `${secret} too` } }),
  AgentRoutines_remove: at((maker) => maker.freshRoutine()),
  AgentRoutines_enable: at(async (maker) => {
    const routine = await maker.freshRoutine();
    await maker.call('POST', `/api/agent/routines/${routine.id}/disable`, {});
    return routine;
  }),
  AgentRoutines_disable: at((maker) => maker.freshRoutine()),
  AgentRoutines_nextDue: at((maker) => maker.freshRoutine()),
  AgentRoutines_run: at((maker) => maker.freshRoutine()),
  AgentRoutines_runs: at((maker) => maker.freshRoutine()),
  AgentRoutines_latest: at(async (maker) => {
    const routine = await maker.freshRoutine();
    await maker.made(`/api/agent/routines/${routine.id}/run`, {});
    return routine;
  }),
  AgentRoutines_simulate: at((maker) => maker.freshRoutine(), 'id', { query: 'days=7' }),
  AgentRoutines_briefs: at((maker) => maker.freshRoutine()),
  AgentRoutines_listTriggers: at((maker) => maker.freshRoutine()),
  AgentRoutines_createTrigger: at((maker) => maker.freshRoutine(), 'id', { body: { eventPattern: `${secret}.*` } }),
  AgentRoutines_removeTrigger: {
    sample: async (maker) => {
      const { id } = await maker.freshRoutine();
      const trigger = await maker.made(`/api/agent/routines/${id}/triggers`, { eventPattern: `${secret}.*` });
      return { params: { id, triggerId: trigger.id } };
    },
  },
  AgentFeedback_list: ofRun(),
  AgentFeedback_create: ofRun({ body: { rating: 'Good', notes: secret } }),
  AgentEscalations_resolve: at((maker) => maker.freshEscalation(), 'id', { body: { decision: secret } }),
  AgentEscalations_create: at((maker) => maker.freshRunning(), 'runId', { body: { situation: secret } }),
  AgentCouncils_list: ofRun(),
  AgentCouncils_get: at((maker) => maker.council()),
  AgentCouncils_debate: at((maker) => maker.council()),
  AgentBreakpoints_list: ofRun(),
  AgentBreakpoints_create: ofRun({ body: { before: 'Tool', name: 'file_*', forTree: true } }),
  AgentBreakpoints_remove: {
    sample: async (maker): Promise<Sample> => {
      const { id: runId } = await maker.run();
      const made = await maker.made(`/api/agent/runs/${runId}/breakpoints`, { before: 'Role', name: maker.name() });
      return { params: { runId, key: made.id } };
    },
  },
  AgentPauseChat_open: ofRun({ body: {} }),
  AgentRoles_get: at((maker) => maker.role()),
  AgentRoles_patch: at((maker) => maker.role(), 'id', { body: { systemPromptTemplate: secret } }),
  AgentRoles_remove: at((maker) => maker.freshRole()),
  AgentRoles_byName: { sample: async (maker) => ({ params: { name: String((await maker.role()).name) } }) },
  AgentRoleSoul_get: at((maker) => maker.role()),
  AgentToolProfiles_replace: {
    sample: async (maker) => {
      const { id, role, name } = await maker.profile();
      const lists = { safeTools: [], optInTools: [], blockedTools: [], sandboxedTools: [] };
      return { params: { id }, body: { role, name, ...lists, discoveryEnabled: false } };
    },
  },
  AgentToolProfiles_byRole: { sample: async (maker) => ({ params: { role: String((await maker.profile()).role) } }) },
  Users_get: at((maker) => maker.user()),
  Users_replace: at((maker) => maker.user(), 'id', {
    body: { username: `${secret}-replaced`, type: 'Agent', role: 'Agent', isActive: true },
  }),
  Users_remove: at((maker) => maker.person()),
  Users_byUsername: {
    sample: async (maker) => ({ params: { username: (await maker.person()).username } }),
  },
  Users_createKey: at((maker) => maker.person()),
  Users_removeKey: at(async (maker) => {
    const person = await maker.person();
    await maker.made(`/api/users/${person.id}/apikey`, {});
    return person;
  }),
  Users_resetPassword: at((maker) => maker.person(), 'id', { body: {} }),
  AuditEvents_get: at((maker) => maker.firstOf('/api/audit-events')),
  Auth_endSession: at((maker) => maker.session()),
  OAuth_unlink: at((maker) => maker.login()),
  Users_patch: at((maker) => maker.user(), 'id', { body: { displayName: secret } }),
  AIProviders_get: at((maker) => maker.provider()),
  AIProviders_patch: at((maker) => maker.freshProvider(), 'id', { body: { priority: 5 } }),
  AIProviders_remove: at((maker) => maker.freshProvider()),
  AIProviders_test: at((maker) => maker.provider(), 'id', { body: {} }),
  AIProviders_syncModels: at((maker) => maker.provider(), 'id', { body: {} }),
  AIProviders_resetCircuit: at((maker) => maker.provider(), 'id', { body: {} }),
  AIProviders_listKeys: at((maker) => maker.provider(), 'providerId'),
  AIProviders_createKey: at((maker) => maker.provider(), 'providerId', { body: { label: secret, apiKey: secret } }),
  AIProviders_patchKey: at((maker) => maker.freshProviderKey(), 'id', { body: { weight: 2 } }),
  AIProviders_removeKey: at((maker) => maker.freshProviderKey()),
  AIModels_get: at((maker) => maker.model()),
  AIModels_patch: at((maker) => maker.model(), 'id', { body: { displayName: secret } }),
  AIModels_remove: at((maker) => maker.freshModel()),
  AIRoutes_get: at((maker) => maker.route()),
  AIRoutes_patch: at((maker) => maker.route(), 'id', { body: { description: secret } }),
  AIRoutes_remove: at((maker) => maker.freshRoute()),
  AIRoutes_setTargets: {
    sample: async (maker) => ({
      params: { id: (await maker.route()).id },
      body: { targets: [{ aiModelId: (await maker.model()).id }] },
    }),
  },
  AIRoutes_explain: at((maker) => maker.route(), 'id', { body: {} }),
  AIBudgets_get: at((maker) => maker.budget()),
  AIBudgets_patch: at((maker) => maker.budget(), 'id', { body: { limitUsd: 900 } }),
  AIBudgets_remove: at((maker) => maker.freshBudget()),
  AIUsage_call: { sample: async (maker) => ({ params: { id: await maker.callId() } }) },
  ChatSession_get: at((maker) => maker.chat()),
  ChatSession_patch: at((maker) => maker.chat(), 'id', { body: { isPinned: true } }),
  ChatSession_remove: at((maker) => maker.freshChat()),
  ChatSession_tools: at((maker) => maker.chat(), 'sessionId'),
  ChatSession_ask: at((maker) => maker.freshChat(), 'sessionId', { body: { message: secret } }),
  ChatSession_stream: at((maker) => maker.freshChat(), 'sessionId', { body: { message: secret } }),
  ChatSession_resume: at((maker) => maker.chat(), 'sessionId'),
  ChatSession_stop: at((maker) => maker.replying(), 'sessionId'),
  ChatSession_messages: at((maker) => maker.chat(), 'sessionId'),
  ChatSession_addMessage: at((maker) => maker.chat(), 'sessionId', { body: { role: 'user', content: secret } }),
  ChatSession_patchMessage: at((maker) => maker.freshMessage('user'), 'messageId', { body: { content: secret } }),
  ChatSession_attachment: {
    sample: async (maker) => ({ params: { messageId: (await maker.attached()).id, index: 0 } }),
  },
  ChatSession_rate: at((maker) => maker.freshMessage('assistant'), 'messageId', { body: { feedback: 'up' } }),
  ChatCompletionsCompat_model: {
    sample: async (maker) => ({ params: { model: `role:${(await maker.role()).name}` } }),
  },
  ChatCompletionsCompat_response: ofResponse(),
  ChatCompletionsCompat_forget: ofResponse(),
  ChatCompletionsCompat_cancel: ofResponse(),
  ChatCompletionsCompat_inputItems: ofResponse(),
  ChatUi_resume: at((maker) => maker.chat(), 'key'),
  Export_chatSession: at((maker) => maker.chat(), 'sessionId'),
  Export_chatMarkdown: at((maker) => maker.chat(), 'sessionId'),
  Export_identity: ofIdentity(),
  Export_portable: ofIdentity(),
  Identities_get: at((maker) => maker.identity()),
  Identities_patch: at((maker) => maker.identity(), 'id', { body: { bio: secret } }),
  Identities_replace: {
    sample: async (maker) => {
      const { id, name } = await maker.freshIdentity();
      return { params: { id }, body: { name, displayName: secret, type: 'AI', isActive: true } };
    },
  },
  Identities_setPresence: at((maker) => maker.identity(), 'id', { body: { presenceState: 'Dormant' } }),
  Identities_remove: at((maker) => maker.freshIdentity()),
  Infrastructure_jobs: { sample: async () => ({ params: { name: 'runs' } }) },
  Infrastructure_control: { sample: async () => ({ params: { name: 'runs' }, body: { action: 'ClearFailed' } }) },
  Infrastructure_retry: {
    sample: async (maker) => ({ params: { name: 'runs', jobId: String((await maker.failedRun()).id) }, body: {} }),
  },
  Identities_byName: { sample: async (maker) => ({ params: { name: String((await maker.identity()).name) } }) },
  Identities_byUser: { sample: async (maker) => ({ params: { userId: (await maker.user()).id } }) },
  Identities_resolve: { sample: async (maker) => ({ params: { identityRef: String((await maker.identity()).name) } }) },
  IdentitySwarm_adopt: at((maker) => maker.freshIdentity(), 'id', { body: {} }),
  IdentitySwarm_clone: {
    sample: async (maker) => ({ params: { id: (await maker.identity()).id }, body: { name: maker.name() } }),
  },
  IdentitySwarm_children: at((maker) => maker.identity(), 'identityId'),
  IdentitySwarm_summary: at((maker) => maker.identity(), 'identityId'),
  IdentityProfiles_personality: ofIdentity(),
  IdentityProfiles_setPersonality: ofIdentity({
    tone: secret,
    traits: [],
    focusAreas: [],
    boundaries: [],
    greetingStyle: '',
    uncertaintyHandling: '',
    proactiveSuggestions: false,
  }),
  IdentityProfiles_toolProfile: ofIdentity(),
  IdentityProfiles_setToolProfile: ofIdentity({ name: secret, safeTools: [], optInTools: [], blockedTools: [] }),
  IdentityProfiles_workProfile: ofIdentity(),
  IdentityProfiles_setWorkProfile: ofIdentity({ tags: [secret] }),
  IdentityProfiles_messagingPolicy: ofIdentity(),
  IdentityProfiles_setMessagingPolicy: ofIdentity(defaultSettings.messaging),
  IdentityProfiles_memoryConfig: ofIdentity(),
  IdentityProfiles_setMemoryConfig: ofIdentity(defaultSettings.memory),
  IdentityProfiles_effectiveTools: ofIdentity(),
  HydrationConfig_get: ofIdentity(),
  HydrationConfig_replace: ofIdentity(defaultSettings.hydration),
  IdentityMessaging_check: {
    sample: async (maker) => ({
      params: { senderId: (await maker.identity()).id, recipientId: (await maker.identity()).id },
    }),
  },
  Memories_list: ofIdentity(),
  Memories_create: ofIdentity({ title: secret, content: secret }),
  Memories_pinned: ofIdentity(),
  Memories_recent: ofIdentity(),
  Memories_search: at((maker) => maker.identity(), 'identityId', { query: `q=${secret}` }),
  Memories_get: ofMemory(),
  Memories_history: ofMemory(),
  Memories_remove: at((maker) => maker.freshMemory(), 'id'),
  Memories_patch: ofMemory({ title: secret }),
  Memories_replace: ofMemory({
    title: secret,
    content: secret,
    type: 'Reference',
    importance: 5,
    isPinned: false,
    isShared: false,
    tags: [],
  }),
  Memories_archive: at((maker) => maker.freshMemory(), 'id', { body: {} }),
  Memories_merge: {
    sample: async (maker) => {
      const { id: otherId } = await maker.freshMemory();
      return { params: { id: (await maker.freshMemory()).id }, body: { otherId } };
    },
  },
  Memories_duplicates: ofIdentity(),
  Memories_link: {
    sample: async (maker) => {
      const { id: toMemoryId } = await maker.freshMemory();
      return { params: { id: (await maker.memory()).id }, body: { toMemoryId } };
    },
  },
  Memories_unlink: ofTwoMemories(),
  Memories_strengthen: ofTwoMemories({}),
  Memories_addTags: ofMemory({ tags: [secret] }),
  Memories_removeTag: {
    sample: async (maker) => ({ params: { id: (await maker.memory()).id, tag: 'none' } }),
  },
  StandingRules_link: {
    sample: async (maker) => ({
      params: { id: (await maker.freshRule()).id },
      body: { memoryId: (await maker.memory()).id },
    }),
  },
  StandingRules_unlink: {
    sample: async (maker) => {
      const { id: memoryId } = await maker.memory();
      return { params: { id: (await maker.freshRule([memoryId])).id, memoryId } };
    },
  },
  Unlearning_run: {
    sample: async (maker) => {
      const { id } = await maker.freshEnded();
      await maker.made('/api/agent-memories', { title: secret, content: secret, kind: 'Lesson', sourceRunId: id });
      return { params: { id }, body: {} };
    },
  },
  Docs_list: inSite(),
  Docs_create: inSite({ title: secret }),
  DurableStreams_read: {
    sample: async (maker) => ({ params: { topic: `run:${(await maker.run()).id}` }, query: 'offset=-1' }),
  },
  Docs_tree: inSite(),
  Docs_search: inSite(undefined, `q=${secret}`),
  Docs_byPath: {
    sample: async (maker) => {
      const { path } = await maker.freshDoc();
      const { id: projectId } = await maker.site();
      return { params: { projectId }, query: `path=${path}` };
    },
  },
  Docs_get: ofDoc(),
  Docs_links: ofDoc(),
  Docs_replace: {
    sample: async (maker) => {
      const { id, ...doc } = await maker.freshDoc();
      const { path, slug, type, sortOrder, isGroup, isPinned, classification, includeInNav } = doc;
      const same = { path, slug, type, sortOrder, isGroup, isPinned, classification, includeInNav };
      return { params: { id }, body: { ...same, title: secret, content: `${secret} too` } };
    },
  },
  Docs_patch: ofDoc({ content: `${secret} too` }),
  Docs_remove: ofDoc(),
  Docs_move: ofDoc({ sortOrder: 0 }),
  Docs_publish: ofDoc({}),
  Docs_unpublish: at((maker) => maker.freshPublished()),
  Docs_versions: ofDoc(),
  Docs_version: ofDocVersion(),
  Docs_restore: ofDocVersion({}),
  Prompts_restore: ofPromptVersion(),
  Import_get: ofImport(),
  Import_remove: ofImport(),
  Import_review: ofImport(),
  Import_decide: ofImport({ approveAll: true }),
  Import_conversation: {
    sample: async (maker) => {
      const { id } = await maker.freshImport();
      const { body } = await maker.call('GET', `/api/import/${id}/review`);
      return { params: { id, conversationId: String(body.data.conversations[0].id) } };
    },
  },
  Import_commit: ofImport({}),
  Import_undo: at((maker) => maker.freshCommitted(), 'id', { body: {} }),
  SiteBuilds_request: inSite({}),
  SiteBuilds_status: inSite(),
  SiteBuilds_complete: at((maker) => maker.claimedBuild(), 'id', { body: { success: true } }),
  PersonalMemories_decide: at((maker) => maker.freshSuggestion(), 'id', { body: { accept: true } }),
  Graph_node: at((maker) => maker.freshNode()),
  Graph_removeNode: at((maker) => maker.freshNode()),
  Graph_removeEdge: at((maker) => maker.freshEdge()),
  Facts_list: { sample: async () => ({ params: { projectId: 7 } }) },
  Facts_create: { sample: async () => ({ params: { projectId: 7 }, body: { key: secret, value: secret } }) },
  Facts_search: { sample: async () => ({ params: { projectId: 7 }, query: `q=${secret}` }) },
  Facts_byKey: ofKey(),
  Facts_asOf: ofKey('atUtc=2100-01-01T00:00:00Z'),
  Facts_history: ofKey(),
  Facts_get: at((maker) => maker.freshFact()),
  Facts_patch: at((maker) => maker.freshFact(), 'id', { body: { value: `${secret} too` } }),
  Facts_remove: at((maker) => maker.freshFact()),
  IdentityHints_list: ofIdentity(),
  IdentityHints_create: ofIdentity({ content: secret }),
  IdentityHints_due: ofIdentity(),
  IdentityHints_replace: ofHint({ content: secret, priority: 5, isRecurring: false }),
  IdentityHints_complete: ofHint({}),
  IdentityHints_dismiss: ofHint({}),
  Hydration_get: ofIdentity(),
  Hydration_receipts: ofIdentity(),
  Hydration_receipt: ofReceipt(),
  Hydration_replay: ofReceipt({}),
  Interest_list: ofIdentity(),
  Interest_replace: ofIdentity({ interests: [{ topic: secret }] }),
  Relationships_list: ofIdentity(),
  Relationships_set: {
    sample: async (maker) => ({
      params: { identityId: (await maker.identity()).id },
      body: { otherIdentityId: (await maker.freshIdentity()).id, type: 'Peer' },
    }),
  },
  Relationships_get: at((maker) => maker.freshBond()),
  Relationships_patch: at((maker) => maker.freshBond(), 'id', { body: { notes: secret } }),
  Relationships_remove: at((maker) => maker.freshBond()),
  Relationships_interactions: at((maker) => maker.freshBond()),
  Relationships_interact: at((maker) => maker.freshBond(), 'id', { body: { kind: 'Help', summary: secret } }),
  Relationships_between: {
    sample: async (maker) => {
      const { identityId, otherIdentityId } = await maker.freshBond();
      return { params: { identityId: Number(identityId), otherIdentityId: Number(otherIdentityId) } };
    },
  },
  Shares_get: ofShare(),
  Shares_remove: ofShare(),
  Session_claim: at((maker) => maker.made('/api/session/handoffs', { title: secret, summary: secret }), 'id', {
    body: {},
  }),
  Souls_get: at((maker) => maker.identity()),
  Souls_zip: at((maker) => maker.identity()),
  SoulVersions_list: at((maker) => maker.identity()),
  SoulVersions_get: ofVersion(),
  SoulVersions_diff: ofVersion(),
  SoulVersions_restore: ofVersion(),
  AgentFiles_agents: at((maker) => maker.identity()),
  AgentFiles_claude: at((maker) => maker.identity()),
  Messages_get: at((maker) => maker.freshMail()),
  Messages_remove: at((maker) => maker.freshMail()),
  Messages_reply: at((maker) => maker.freshMail(), 'id', { body: { content: secret } }),
  Messages_mark: at((maker) => maker.freshMail(), 'id', { body: {} }),
  Messages_thread: ofThread(),
  Messages_archive: ofThread({}),
  IdentityKeys_list: at((maker) => maker.identity(), 'identityId'),
  IdentityKeys_create: at((maker) => maker.identity(), 'identityId', { body: { name: secret } }),
  IdentityKeys_rotate: { sample: async (maker) => ({ params: await maker.freshKey(), body: {} }) },
  IdentityKeys_remove: { sample: async (maker) => ({ params: await maker.freshKey() }) },
  Workspaces_get: at((maker) => maker.workspace()),
  Workspaces_patch: at((maker) => maker.workspace(), 'id', { body: { description: secret } }),
  Workspaces_remove: at((maker) => maker.freshWorkspace(), 'id', { body: {} }),
  Workspaces_listFiles: at((maker) => maker.workspace()),
  Workspaces_read: at((maker) => maker.workspace(), 'id', { query: 'path=a.txt' }),
  Workspaces_write: at((maker) => maker.workspace(), 'id', { body: { path: 'b.txt', text: secret } }),
  Workspaces_removeFile: at(
    async (maker) => {
      const workspace = await maker.freshWorkspace();
      await maker.writeFile(workspace.id, 'c.txt');
      return workspace;
    },
    'id',
    { body: { path: 'c.txt' } },
  ),
  Workspaces_snapshot: at((maker) => maker.workspace(), 'id', { body: { label: secret } }),
  Workspaces_restore: {
    sample: async (maker) => ({
      params: { id: (await maker.workspace()).id, snapshotId: (await maker.snapshot()).id },
      body: {},
    }),
  },
};

/** A project goes only when it is archived, and by its key. */
samples.Projects_remove = {
  sample: async (maker) => {
    const { id, key } = await maker.made('/api/projects', { name: maker.name() });
    await maker.call('POST', `/api/projects/${id}/archive`, {});
    return { params: { id }, body: { confirmKey: key } };
  },
};

const privately = (body?: object) =>
  at(
    (maker) => maker.made('/api/projects', { name: maker.name(), repositoryUrl: 'https://git.example.com/a.git' }),
    'id',
    body ? { body } : {},
  );
samples.RepositoryCredentials_read = privately();
samples.RepositoryCredentials_set = privately({ secret });
samples.RepositoryCredentials_remove = privately();

const freshTask = async (maker: SampleMaker): Promise<{ id: number; projectId: number }> => {
  const { id: projectId } = await maker.made('/api/projects', { name: maker.name() });
  const { id } = await maker.made(`/api/projects/${projectId}/tasks`, { title: secret });
  return { id, projectId };
};
const ofTask = (body?: object) => at(freshTask, 'id', body ? { body } : {});
const ofProject = (body?: object) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({
    params: { projectId: (await freshTask(maker)).projectId },
    ...(body && { body }),
  }),
});
Object.assign(samples, {
  Tasks_get: ofTask(),
  Tasks_replace: ofTask({ title: secret, status: 'Backlog', priority: 1, sortOrder: 0, tags: [] }),
  Tasks_patch: ofTask({ title: `${secret} too` }),
  Tasks_remove: ofTask(),
  Tasks_listIn: ofProject(),
  Tasks_create: ofProject({ title: secret }),
  Tasks_board: ofProject(),
  Tasks_status: ofTask({ status: 'Todo' }),
  Tasks_assign: ofTask({ note: secret }),
  Tasks_claim: ofTask({}),
  Tasks_move: ofTask({ sortOrder: 0 }),
  Tasks_run: ofTask({ autoStart: false }),
  Tasks_runs: ofTask(),
  Tasks_comments: ofTask(),
  Tasks_comment: ofTask({ content: secret }),
  Tasks_uncomment: {
    sample: async (maker: SampleMaker): Promise<Sample> => {
      const { id } = await freshTask(maker);
      const { id: commentId } = await maker.made(`/api/tasks/${id}/comments`, { content: secret });
      return { params: { id, commentId } };
    },
  },
  Tasks_depend: {
    sample: async (maker: SampleMaker): Promise<Sample> => {
      const [{ id }, other] = [await freshTask(maker), await freshTask(maker)];
      return { params: { id }, body: { dependsOnTaskId: other.id } };
    },
  },
  Tasks_undepend: {
    sample: async (maker: SampleMaker): Promise<Sample> => {
      const [{ id }, { id: dependsOnTaskId }] = [await freshTask(maker), await freshTask(maker)];
      await maker.made(`/api/tasks/${id}/dependencies`, { dependsOnTaskId });
      return { params: { id, dependsOnTaskId } };
    },
  },
} satisfies typeof samples);
Object.assign(samples, mirrorSamples satisfies typeof samples);

const ofMail = (more: { credentials?: string; uid?: string; body?: object; query?: string }) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { credentials, uid, body, query } = more;
    const { id } = await maker.made('/api/connectors', { name: maker.name(), type: 'Email', credentials });
    return {
      params: { connectorId: id, ...(uid !== undefined && { uid }) },
      ...(body && { body }),
      ...(query && { query }),
    };
  },
});
Object.assign(samples, {
  Channels_resend: {
    sample: async ({ call }: SampleMaker): Promise<Sample> => {
      const { id, deliveryId } = await droppedDelivery(call);
      return { params: { id }, body: { deliveryId } };
    },
  },
} satisfies typeof samples);
const nowhere = JSON.stringify({ imapHost: 'mail.invalid', username: 'amy', password: secret });
Object.assign(samples, {
  Email_folders: ofMail({}),
  Email_inbox: ofMail({}),
  Email_message: ofMail({ uid: '1' }),
  Email_attachment: ofMail({ uid: '1', query: 'part=2' }),
  Email_send: ofMail({ body: { to: ['amy@example.com'], subject: 'Hello', text: 'Good day.' } }),
  Email_test: ofMail({ credentials: nowhere, body: {} }),
} satisfies typeof samples);

/** Operations that only ask another server, which their samples do not have: they say so. */
export const askElsewhere: ReadonlySet<string> = new Set(
  ['folders', 'inbox', 'message', 'attachment', 'send'].map((one) => `Email_${one}`),
);

/** Operations whose sample stands above. */
export const byHand: ReadonlySet<string> = new Set(Object.keys(samples));
export const sampled = parts.flatMap((part) => part.samples);

/** Each operation with an id has a thing of its own. */
for (const sample of sampled) {
  for (const operation of operationsOf(sample, sampled)) {
    if (byHand.has(operation.id)) continue;
    samples[operation.id] = { sample: (maker) => callOf(operation, sample, sampled, maker.name(), maker.made) };
  }
}

/** Operations that need git on the machine. */
export const needGit: ReadonlySet<string> = new Set(
  Object.keys(samples).filter((id) => /^(AgentRunFiles|Workspaces)_/.test(id)),
);
