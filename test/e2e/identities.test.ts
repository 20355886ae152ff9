// Identities from end to end: what is set of them acts in their runs and chats, and children keep below their ceiling.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const call = (method: string, path: string, body?: unknown) => stage.server.call(method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof call>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
let number = 0;
const identity = (more: object = {}) => data(call('POST', '/identities', { name: `Ada ${++number}`, ...more }));
const personality = {
  tone: 'dry as toast',
  traits: ['exact'],
  focusAreas: [],
  boundaries: ['guess'],
  greetingStyle: 'Ahoy!',
  uncertaintyHandling: 'Say so.',
  proactiveSuggestions: true,
  customInstructions: 'Use SI units.',
};
const tools = { name: 'own', safeTools: [], optInTools: [], blockedTools: [] };

describe('a personality', () => {
  it('is plain at first, and speaks in runs and chats of the identity once it is set', async () => {
    const { id } = await identity();
    expect(await data(call('GET', `/identities/${id}/personality`))).toMatchObject({ tone: '', traits: [] });
    expect(await data(call('PUT', `/identities/${id}/personality`, personality))).toEqual(personality);
    stage.cast({ speaks: [{ text: ['done'] }] });
    await stage.end((await stage.start('speaks in a run', { identityId: id })).id);
    const [scene] = stage.scenes('speaks');
    for (const said of ['dry as toast', 'Ahoy!', 'Use SI units.', 'guess', 'nobody has asked'])
      expect(scene?.system).toContain(said);
    const chat = await data(call('POST', '/chat/sessions', { identityId: id }));
    await data(call('POST', `/chat/sessions/${chat.id}/chat`, { message: 'speaks in a chat' }));
    // The chat is given a title meanwhile, by a request of its own.
    const [, ...later] = stage.scenes('speaks');
    expect(later.map(({ system }) => system).join()).toContain('dry as toast');
  });

  it('is kept out of the prompt where the hydration configuration says so', async () => {
    const { id } = await identity({ personality });
    const config = await data(call('GET', `/identities/${id}/hydration-config`));
    expect(config).toMatchObject({ preset: 'interactive', taskLimit: 30 });
    await data(call('PUT', `/identities/${id}/hydration-config`, { ...config, disabledSources: ['Personality'] }));
    stage.cast({ silent: [{ text: ['done'] }] });
    await stage.end((await stage.start('silent', { identityId: id })).id);
    expect(stage.scenes('silent')[0]?.system).not.toContain('dry as toast');
  });
});

describe('the tools of an identity', () => {
  it('narrow what its runs may use, layer by layer', async () => {
    const { id } = await identity();
    const before = await data(call('GET', `/identities/${id}/effective-tools?role=planner`));
    expect(before.safeTools).toContain('message_send');
    expect(before.appliedLayers).toEqual(['role:planner']);
    await data(call('PUT', `/identities/${id}/tool-profile`, { ...tools, blockedTools: ['message_*'] }));
    const after = await data(call('GET', `/identities/${id}/effective-tools?role=planner`));
    expect(after.safeTools).not.toContain('message_send');
    expect(after.blockedTools).toContain('message_send');
    expect(after.appliedLayers).toEqual(['role:planner', 'identity:own']);
    stage.cast({ writes: [{ calls: [['message_send', { to: 'steward', content: 'x' }]] }, { text: ['done'] }] });
    const run = await stage.end((await stage.start('writes', { identityId: id })).id);
    expect(stage.scenes('writes').at(-1)?.results.join()).toMatch(/message_send/);
    expect(run.status).toBe('Completed');
  });

  it('never widen what a role allows', async () => {
    const { id } = await identity();
    const role = `closed ${number}`;
    const lists = { safeTools: ['task_*'], optInTools: [], blockedTools: [], sandboxedTools: [] };
    await data(call('POST', '/agent/tool-profiles', { role, name: role, ...lists, discoveryEnabled: false }));
    await data(
      call('PUT', `/identities/${id}/tool-profile`, { ...tools, safeTools: ['*'], optInTools: ['message_send'] }),
    );
    const { safeTools, optInTools } = await data(
      call('GET', `/identities/${id}/effective-tools?role=${encodeURIComponent(role)}`),
    );
    expect([safeTools.includes('message_send'), optInTools]).toEqual([false, []]);
    expect(safeTools).toContain('task_create');
  });

  it('hold for its chats, too', async () => {
    const { id } = await identity();
    await data(call('PUT', `/identities/${id}/tool-profile`, { ...tools, blockedTools: ['council_*'] }));
    const chat = await data(call('POST', '/chat/sessions', { identityId: id }));
    const found = await data(call('GET', `/chat/sessions/${chat.id}/available-tools`));
    expect(found.find((one: { name: string }) => one.name === 'council_convene')).toMatchObject({
      allowedByPolicy: false,
      blockedReason: expect.stringContaining('identity:own'),
    });
  });
});

describe('a work profile', () => {
  it('gives runs of the identity their role and their tools, where they name none', async () => {
    const { id } = await identity();
    const { items } = await data(call('GET', '/agent/role-definitions?q=reviewer'));
    const profile = { name: `calm ${number}`, role: `calm ${number}`, blockedTools: ['shell_*'] };
    await data(call('POST', '/agent/tool-profiles', profile));
    const work = { roleDefinitionId: items[0].id, toolProfileName: profile.name, tags: ['qa'] };
    expect(await data(call('PUT', `/identities/${id}/work-profile`, work))).toMatchObject({
      ...work,
      roleName: 'reviewer',
    });
    const run = await data(call('POST', '/agent/runs', { goal: 'x', identityId: id }));
    expect(run).toMatchObject({ role: 'reviewer', roleDefinitionId: items[0].id });
    const named = await data(call('POST', '/agent/runs', { goal: 'x', identityId: id, role: 'planner' }));
    expect(named.role).toBe('planner');
    const policy = await data(call('GET', `/identities/${id}/effective-tools`));
    expect(policy.appliedLayers).toEqual(['role:reviewer', `work:${profile.name}`]);
    expect((await data(call('GET', '/identities/tags?q=qa'))).items).toEqual([{ tag: 'qa', count: 1 }]);
    await failure(
      call('PUT', `/identities/${id}/work-profile`, { ...work, toolProfileName: 'none' }),
      404,
      'NOT_FOUND',
    );
  });
});

it('is found by number, guid, name and username, in this order', async () => {
  const ada = await identity();
  const numbered = await identity({ name: String(ada.id) });
  for (const ref of [ada.id, ada.guid, ada.name.toUpperCase(), ada.username])
    expect((await data(call('GET', `/identities/resolve/${encodeURIComponent(ref)}`))).id).toBe(ada.id);
  expect((await data(call('GET', `/identities/by-name/${numbered.name}`))).id).toBe(numbered.id);
  expect((await data(call('GET', `/identities/by-user/${ada.userId}`))).id).toBe(ada.id);
  await failure(call('GET', '/identities/resolve/nobody%20at%20all'), 404, 'NOT_FOUND');
  expect((await data(call('GET', '/identities/memory-readable'))).map((one: { id: number }) => one.id)).toContain(
    ada.id,
  );
});

it('is cloned with chosen parts, and without the rights of its user', async () => {
  const ada = await identity({ personality, bio: 'First.' });
  await data(call('PUT', `/identities/${ada.id}/tool-profile`, { ...tools, blockedTools: ['shell_*'] }));
  const clone = (more: object) =>
    data(call('POST', `/identities/${ada.id}/clone`, { name: `Twin ${++number}`, ...more }));
  const whole = await clone({});
  expect(whole).toMatchObject({ bio: 'First.', type: 'AI' });
  expect(whole.userId).not.toBe(ada.userId);
  expect(await data(call('GET', `/identities/${whole.id}/personality`))).toEqual(personality);
  expect((await data(call('GET', `/identities/${whole.id}/tool-profile`))).blockedTools).toEqual(['shell_*']);
  const bare = await clone({ includePersonality: false, includeToolProfile: false });
  expect((await data(call('GET', `/identities/${bare.id}/personality`))).tone).toBe('');
});

describe('children', () => {
  it('are provisioned with a key, reused by name, and no more of them than the ceiling', async () => {
    const parent = await identity();
    const provision = (name: string, more: object = {}) =>
      call('POST', '/identities/provision', { name, provisionedByIdentityId: parent.id, ...more });
    const first = await data(provision(`Kid ${parent.id}`, { createApiKey: true, tags: ['t'], ttlMinutes: 60 }));
    expect(first).toMatchObject({ createdExisting: false, rawApiKey: expect.stringMatching(/^rvt_/) });
    expect(first.identity).toMatchObject({ provisionedByIdentityId: parent.id, type: 'AI' });
    await failure(provision(`Kid ${parent.id}`), 409, 'DUPLICATE');
    const again = await data(provision(`kid ${parent.id}`, { reuseExisting: true }));
    expect(again).toMatchObject({ createdExisting: true, rawApiKey: null, identityUserId: first.identityUserId });
    const many = await Promise.all(Array.from({ length: 60 }, (_, n) => provision(`Kid ${parent.id} ${n}`)));
    expect(many.filter(({ status }) => status === 200)).toHaveLength(49);
    for (const { status, body } of many.filter((one) => one.status !== 200))
      expect([status, body.errorCode]).toEqual([409, 'SWARM_CEILING_REACHED']);
    const list = await data(call('GET', `/identities/${parent.id}/children?limit=200`));
    expect(list).toMatchObject({ liveCount: 50, ceiling: 50, remaining: 0, tagVocabulary: [{ tag: 't', count: 1 }] });
    expect(list.children).toHaveLength(50);
    const adopted = await data(call('POST', `/identities/${first.identity.id}/adopt`, { clearExpiry: true }));
    expect(adopted).toMatchObject({ expiresAtUtc: null, adoptedAtUtc: expect.any(String) });
    expect(await data(call('GET', `/identities/${parent.id}/children?tag=t&liveOnly=false`))).toMatchObject({
      liveCount: 49,
      children: [{ identityId: adopted.id }],
    });
    await data(provision(`Kid ${parent.id} more`));
    expect(await data(call('GET', `/identities/${parent.id}/summary`))).toMatchObject({ childCount: 50, days: 30 });
  });
});

describe('hints', () => {
  const hints = (id: number) => `/identities/${id}/hints`;

  it('are due at their time, told once over the stream and to runs, and done', async () => {
    const { id } = await identity();
    const hint = await data(call('POST', hints(id), { content: 'Water the plants', priority: 80 }));
    await data(call('POST', hints(id), { content: 'Later', triggerAtUtc: '2100-01-01T00:00:00Z' }));
    const due = async (query = '') => (await data(call('GET', `${hints(id)}/due${query}`))).items;
    expect((await due()).map((one: { content: string }) => one.content)).toEqual(['Water the plants']);
    expect(await due('?asOfUtc=2100-01-01T00:00:00Z')).toHaveLength(2);
    stage.cast({ reminded: [{ text: ['done'] }] });
    await stage.end((await stage.start('reminded', { identityId: id })).id);
    expect(stage.scenes('reminded')[0]?.system).toContain('Water the plants');
    expect(stage.scenes('reminded')[0]?.system).not.toContain('Later');
    await data(call('POST', `${hints(id)}/${hint.id}/complete`, { note: 'wet' }));
    expect(await due()).toEqual([]);
    await failure(call('POST', `${hints(id)}/${hint.id}/dismiss`, {}), 409, 'INVALID_TRANSITION');
    expect((await data(call('GET', hints(id)))).totalCount).toBe(1);
    expect((await data(call('GET', `${hints(id)}?includeCompleted=true`))).totalCount).toBe(2);
  });

  it('come again by their rule', async () => {
    const { id } = await identity();
    const body = { content: 'Report', recurrencePattern: 'FREQ=MONTHLY;BYDAY=1MO', isRecurring: true };
    const made = await data(call('POST', hints(id), { ...body, triggerAtUtc: '2100-01-01T09:00:00Z' }));
    expect(made.triggerAtUtc).toBe('2100-01-04T09:00:00.000Z');
    const next = await data(call('POST', `${hints(id)}/${made.id}/complete`, {}));
    expect(next).toMatchObject({ triggerAtUtc: '2100-02-01T09:00:00.000Z', completedAtUtc: null });
    for (const pattern of ['FREQ=SECONDLY', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'often', 'FREQ=DAILY;X=1'])
      await failure(call('POST', hints(id), { ...body, recurrencePattern: pattern }), 400, 'VALIDATION_FAILED');
  });
});
