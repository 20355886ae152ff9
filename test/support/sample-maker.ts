// Makes one thing of every kind that operations are about, through the API, for the walks of all operations.
import { expect, vi } from 'vitest';
import { Browser } from './signing-in.ts';
import { type Answer, request } from './test-server.ts';

/** In everything that is made here. */
export const secret = 'zebra';

/** Scenarios of models that samples run on; put them into the folder of RIVULET_SCENARIOS. */
export const sampleScenarios: Record<string, object> = {
  asks: {
    turns: [{ toolCalls: [{ name: 'run_escalate', arguments: { situation: `${secret}?` } }] }, { text: 'done' }],
  },
  convenes: {
    turns: [
      {
        toolCalls: [
          { name: 'council_convene', arguments: { question: `${secret}?`, participants: ['ada', 'bob'], rounds: 1 } },
        ],
      },
      { text: 'Position: yes' },
    ],
  },
  proposes: {
    turns: [
      { toolCalls: [{ name: 'personal_memory_suggest', arguments: { content: `${secret} is theirs.` } }] },
      { text: 'noted' },
    ],
  },
  slow: { turns: [{ text: `${secret} `.repeat(2000) }], chunkSize: 1, chunkDelayMs: 50 },
  writes: {
    turns: [
      { toolCalls: [{ name: 'file_write', arguments: { path: 'a.txt', content: secret } }] },
      { text: 'written' },
    ],
  },
};

/** Milliseconds that what is done in the background may take. */
const waiting = { timeout: 20_000, interval: 50 };

/** An archive of our own form that says one thing, and a conversation about it. */
export const portableSample = (about: string) => ({
  atoms: [{ kind: 'memory', title: about, content: `${about} is known.` }],
  artifacts: [{ kind: 'session', title: about, messages: [{ role: 'user', content: about }] }],
});

type Made = { id: number } & Record<string, unknown>;

/** Makes things as the holder of a key; each is made once, those of `fresh…` anew. A model server answers at `providerUrl`. */
export function sampleMaker(url: string, key: string, providerUrl: string) {
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    request(url, method, path, body, { authorization: `Bearer ${key}` });
  const made = async (path: string, body: unknown): Promise<Made> => {
    const answer = await call('POST', path, body);
    expect([path, answer.body.error ?? null]).toEqual([path, null]);
    return answer.body.data;
  };
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | null = null;
    return () => {
      made ??= make();
      return made;
    };
  };
  let number = 0;
  const name = () => `${secret} ${++number}`;

  /** An import that is ready for review; another archive each time. */
  const freshImport = async () => {
    const { id: identityId } = await identity();
    const form = new FormData();
    form.set('identityId', String(identityId));
    form.set('file', new Blob([JSON.stringify(portableSample(name()))]), 'portable.json');
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/api/import/upload`, { method: 'POST', headers, body: form });
    const { data } = (await answer.json()) as { data: Made };
    const path = `/api/import/${data.id}`;
    await vi.waitFor(async () => expect((await call('GET', path)).body.data.statusId).toBe('ReadyForReview'), waiting);
    return data;
  };
  const freshRun = (more: object = {}) => made('/api/agent/runs', { goal: secret, modelId: 'scripted:echo', ...more });
  /** A run that has come to one of these states. */
  const runThat = async (states: string[], more: object) => {
    const run = await freshRun({ autoStart: true, ...more });
    const status = async () => (await call('GET', `/api/agent/runs/${run.id}`)).body.data.status;
    await vi.waitFor(async () => expect(states).toContain(await status()), { timeout: 60_000, interval: 10 });
    return run;
  };
  const freshEnded = () => runThat(['Completed'], {});
  const freshWaiting = () => runThat(['WaitingForDecision'], { modelId: 'scripted:asks' });
  const freshRunning = () => runThat(['Running'], { modelId: 'scripted:slow' });
  const firstOf = async (path: string): Promise<Made> => (await call('GET', path)).body.data.items[0];
  const freshIdentity = () => made('/api/identities', { name: name() });
  const receipt = async () => {
    const { id: identityId } = await identity();
    const { data } = (await call('GET', `/api/identities/${identityId}/hydration`)).body;
    return { identityId, id: data.receipt.id as number };
  };
  const freshKey = async () => {
    const { id } = await identity();
    const { key: added } = (await made(`/api/identities/${id}/api-keys`, { name: secret })) as unknown as { key: Made };
    return { identityId: id, keyId: added.id };
  };
  const freshRole = () => made('/api/agent/role-definitions', { name: name(), systemPromptTemplate: secret });
  const freshProvider = () =>
    made('/api/ai-router/providers', { name: name(), kind: 'OpenAiCompatible', baseUrl: providerUrl });
  const freshModel = async () =>
    made('/api/ai-router/models', {
      providerId: (await provider()).id,
      modelId: `openai:${secret}-${++number}`,
      providerModelName: secret,
    });
  const embedder = once(async () =>
    made('/api/ai-router/models', {
      providerId: (await provider()).id,
      modelId: `openai:${secret}-embeds`,
      providerModelName: secret,
      kind: 'Embedding',
    }),
  );
  const freshRoute = async () =>
    made('/api/ai-router/routes', { name: name(), policy: 'Priority', targets: [{ aiModelId: (await model()).id }] });
  const freshBudget = () =>
    made('/api/ai-router/budgets', { name: name(), scope: 'Tenant', period: 'Month', limitUsd: 1000 });
  const freshProviderKey = async () =>
    made(`/api/ai-router/providers/${(await provider()).id}/keys`, { label: name(), apiKey: `sk-${secret}` });
  const freshChat = (more: object = {}) =>
    made('/api/chat/sessions', { title: secret, modelId: 'scripted:echo', ...more });
  /** What a chat's model proposes to remember of a person. */
  const freshSuggestion = async (): Promise<Made> => {
    const enabledTools = ['personal_memory_suggest'];
    const { id: identityId } = await identity();
    const { id } = await freshChat({ modelId: 'scripted:proposes', identityId, enabledTools });
    const asked = await call('POST', `/api/chat/sessions/${id}/chat`, { message: secret });
    expect(asked.body.error ?? null).toBeNull();
    const pending = () => firstOf('/api/personal-memories/suggestions?status=Pending');
    await expect.poll(pending).toBeDefined();
    return pending();
  };
  const freshMessage = async (role: string) =>
    made(`/api/chat/sessions/${(await chat()).id}/messages`, { role, content: secret });
  const freshWorkspace = () => made('/api/workspaces', { name: name() });
  const writeFile = (id: number, path: string) =>
    call('PUT', `/api/workspaces/${id}/files/content`, { path, text: secret });

  const ownPassword = `${secret} and a few words`;
  const password = once(() =>
    call('POST', '/api/users/me/password', { currentPassword: '', newPassword: ownPassword }),
  );
  const freshMemory = async () =>
    made(`/api/identities/${(await identity()).id}/memories`, { title: name(), content: `${secret} ${name()}` });
  const memory = once(freshMemory);
  const freshNode = () => made('/api/graph/nodes', { name: name(), kind: 'Concept' });
  const freshFact = async () => {
    const key = name();
    const { id } = await made('/api/projects/7/facts', { key, value: secret });
    return { id, key };
  };

  const site = once(() => made('/api/projects', { name: name(), siteEnabled: true }));
  const freshBuild = async () => {
    const { id } = await made('/api/projects', { name: name(), siteEnabled: true });
    return made(`/api/projects/${id}/site-builds`, {});
  };
  const freshDoc = async (more: object = {}) => {
    const body = { title: name(), content: secret, classification: 'Public', ...more };
    return made(`/api/projects/${(await site()).id}/docs`, body);
  };

  const run = once(() => freshRun());
  const identity = once(freshIdentity);
  const role = once(freshRole);
  const provider = once(freshProvider);
  const model = once(freshModel);
  const chat = once(() => freshChat());
  const workspace = once(async () => {
    const added = await freshWorkspace();
    await writeFile(added.id, 'a.txt');
    return added;
  });

  return {
    call,
    made,
    name,
    firstOf,
    receipt,
    run,
    freshRun,
    freshRoutine: () => made('/api/agent/routines', { name: name(), briefMarkdown: secret, maxConcurrentRuns: 0 }),
    freshEnded,
    freshWaiting,
    freshRunning,
    failedRun: () => runThat(['Failed'], { modelId: 'scripted:nobody-wrote-it' }),
    written: once(() => runThat(['Completed'], { modelId: 'scripted:writes' })),
    site,
    freshDoc,
    freshPublished: async () => {
      const { id } = await freshDoc();
      return made(`/api/docs/${id}/publish`, {});
    },
    /** A build that this caller has claimed. */
    // Each of a project of its own: one build of a project is under way at a time.
    freshSuggestion,
    freshBuild,
    claimedBuild: async () => {
      await freshBuild();
      return made('/api/site-builds/claim', { builderHost: secret });
    },
    freshImport,
    freshCommitted: async () => {
      const { id } = await freshImport();
      return made(`/api/import/${id}/commit`, {});
    },
    memory,
    freshMemory,
    freshFact,
    freshNode,
    freshEdge: async () =>
      made('/api/graph/edges', {
        fromNodeId: (await freshNode()).id,
        toNodeId: (await freshNode()).id,
        relation: secret,
      }),
    freshRule: (groundingMemoryIds: number[] = []) =>
      made('/api/standing-rules', { assertion: secret, trigger: 'BeforeDeploy', kind: 'Should', groundingMemoryIds }),
    identity,
    freshBond: async () =>
      made(`/api/identities/${(await identity()).id}/relationships`, {
        otherIdentityId: (await freshIdentity()).id,
        type: 'Peer',
      }),
    // One who was refused messages meanwhile takes none.
    freshMail: async () => made('/api/messages', { recipientIds: [(await freshIdentity()).id], content: secret }),
    freshIdentity,
    freshKey,
    role,
    freshRole,
    person: () => made('/api/users', { username: `${secret}-${++number}` }) as Promise<Made & { username: string }>,
    session: async () => {
      await password();
      const login = { login: 'admin', password: ownPassword };
      return { id: (await made('/api/auth/login', login)).sessionId as number };
    },
    /** A login of the administrator at the provider `github`, which the server must have. */
    login: async () => {
      await password();
      const path = `${url}/api/oauth/providers/github/start?intent=Link`;
      const begun = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
      const browser = new Browser({ publicUrl: url, url });
      browser.keep(new URL(url).host, begun.headers.getSetCookie());
      const { data } = (await begun.json()) as { data: { authorizationUrl: string } };
      expect((await browser.go(data.authorizationUrl)).get('linked')).toBe('github');
      return { id: (await call('GET', '/api/oauth/links')).body.data.at(-1).id as number };
    },
    user: async () => ({ id: (await freshIdentity()).userId as number }),
    profile: once(() => made('/api/agent/tool-profiles', { name: name(), role: `${secret} profile` })),
    task: once(async () => made(`/api/agent/runs/${(await run()).id}/tasks`, { title: secret })),
    council: once(async () => {
      const { id } = await runThat(['Completed'], { modelId: 'scripted:convenes' });
      return firstOf(`/api/agent/runs/${id}/councils`);
    }),
    freshEscalation: async () => {
      const { id } = await freshWaiting();
      return firstOf(`/api/agent/escalations?runId=${id}`);
    },
    provider,
    freshProvider,
    freshProviderKey,
    model,
    embedder,
    freshModel,
    route: once(freshRoute),
    freshRoute,
    budget: once(freshBudget),
    freshBudget,
    callId: once(async () => {
      await freshEnded();
      return (await firstOf('/api/ai-router/usage/calls')).id;
    }),
    chat,
    freshChat,
    freshMessage,
    attached: once(async () => {
      const { id } = await freshChat();
      const attachments = [{ kind: 'Text', name: 'a.txt', text: secret }];
      await call('POST', `/api/chat/sessions/${id}/chat`, { message: secret, attachments });
      const { items } = (await call('GET', `/api/chat/sessions/${id}/messages`)).body.data;
      return items.find((one: { role: string }) => one.role === 'user') as Made;
    }),
    replying: async () => {
      const added = await freshChat({ modelId: 'scripted:slow' });
      const abort = new AbortController();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ message: secret });
      await fetch(`${url}/api/chat/sessions/${added.id}/chat/stream`, {
        method: 'POST',
        headers,
        body,
        signal: abort.signal,
      });
      abort.abort();
      return added;
    },
    freshResponse: async () => {
      const asked = { model: 'scripted:echo', input: secret, background: true };
      return (await call('POST', '/v1/responses', asked)).body.id as string;
    },
    workspace,
    freshWorkspace,
    writeFile,
    snapshot: once(async () => made(`/api/workspaces/${(await workspace()).id}/snapshots`, { label: secret })),
  };
}
export type SampleMaker = ReturnType<typeof sampleMaker>;
