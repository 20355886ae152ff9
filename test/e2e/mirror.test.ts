// The mirror of an identity: reflections that are found, and pairs that come of them, of ratings and of decisions.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Permission } from '../../src/contract/enums.ts';
import { startWithPeople } from '../support/people.ts';

let world: Awaited<ReturnType<typeof startWithPeople>>;
let identityId: number;
let scenarios: string;
beforeAll(async () => {
  scenarios = await mkdtemp(join(tmpdir(), 'rivulet-mirror-'));
  const ending = (summary: string) =>
    JSON.stringify({ turns: [{ toolCalls: [{ name: 'run_complete', arguments: { summary } }] }] });
  await writeFile(join(scenarios, 'good.json'), ending('Seven herons.'));
  await writeFile(join(scenarios, 'poor.json'), ending('Some birds.'));
  const question = {
    situation: 'May I ship on Friday?',
    options: ['ship', 'wait'],
    recommendation: 'ship',
    confidence: 0.4,
  };
  const asks = { turns: [{ toolCalls: [{ name: 'run_escalate', arguments: question }] }, { text: 'Fine.' }] };
  await writeFile(join(scenarios, 'asks.json'), JSON.stringify(asks));
  const environment = { RIVULET_SCENARIOS: scenarios };
  world = await startWithPeople([], { Other: 'Member' }, { scopes: Permission.options, environment });
  identityId = (await api().identities.create({ body: { name: 'Ada', type: 'AI' } })).id;
});
afterAll(async () => {
  await world.close();
  await rm(scenarios, { recursive: true });
});

const api = () => world.server.client;
const pull = {
  compulsionType: 'Sycophancy' as const,
  intensity: 7,
  wasResisted: true,
  triggerContext: 'The customer insists that the bridge is older than the town.',
  compliantResponse: 'You are right, it is older.',
  honestResponse: 'The records say that the bridge is younger than the town.',
};
const reflect = (more: object = {}) => api().reflections.create({ params: { identityId }, body: { ...pull, ...more } });
const pairOf = (name: string, more: object = {}) =>
  api().trainingPairs.create({
    params: { identityId },
    body: { userPrompt: name, chosenResponse: `${name}: yes`, rejectedResponse: `${name}: no`, ...more },
  });

describe('reflections', () => {
  it('are found by words, by meaning, by kind and by tag', async () => {
    const { id } = await reflect({ tags: ['bridge', 'bridge'] });
    const other = await reflect({
      ...{ compulsionType: 'Verbosity', wasResisted: false, intensity: 2, triggerContext: 'Asked for one word.' },
      ...{ honestResponse: 'Yes.', compliantResponse: 'There are many things to be said.' },
    });
    const search = (q: string) => api().reflections.search({ params: { identityId }, query: { q } });
    expect((await search('older than the town'))[0]).toMatchObject({ id, tags: ['bridge'] });
    await expect
      .poll(async () => (await api().reflections.get({ params: { id } })).hasEmbedding, { timeout: 20_000 })
      .toBe(true);
    expect((await search('a client wanted me to agree about history'))[0]).toMatchObject({ id });
    const { items } = await api().reflections.byCompulsion({
      params: { identityId },
      query: { compulsionType: 'Verbosity' },
    });
    expect(items).toMatchObject([{ id: other.id, wasResisted: false, score: null }]);
    const list = async (query: object) =>
      (await api().reflections.list({ params: { identityId }, query })).items.map((one) => one.id);
    expect(await list({ tag: 'bridge' })).toEqual([id]);
    expect(await list({ minIntensity: 5 })).toEqual([id]);
    expect(await list({ toUtc: '2020-01-01T00:00:00Z' })).toEqual([]);
    await api().reflections.addTags({ params: { id }, body: { tags: ['history', 'bridge'] } });
    await api().reflections.removeTag({ params: { id, tag: 'bridge' } });
    expect((await api().reflections.get({ params: { id } })).tags).toEqual(['history']);
    const everything = await api().globalSearch.search({ query: { q: 'bridge older town' } });
    expect(JSON.stringify(everything)).toContain(`/mirror?identity=${identityId}&reflection=${id}`);
  });

  it('are gone from the search with their words when they are deleted', async () => {
    const { id } = await reflect({ triggerContext: 'Something about zeppelins.' });
    await api().reflections.remove({ params: { id } });
    const found = await api().reflections.search({ params: { identityId }, query: { q: 'zeppelins' } });
    expect(found.map((one) => one.id)).not.toContain(id);
  });

  it('are not there for whoever may not act as the identity', async () => {
    const { id } = await reflect();
    const as = async (method: string, path: string, body?: unknown) =>
      (await world.as('Other', method, `/api${path}`, body)).body.errorCode;
    expect(await as('GET', `/reflections/${id}`)).toBe('NOT_FOUND');
    expect(await as('DELETE', `/reflections/${id}`)).toBe('NOT_FOUND');
    expect(await as('GET', `/identities/${identityId}/reflections`)).toBe('OWNERSHIP_REQUIRED');
    expect(await as('POST', `/identities/${identityId}/reflections`, pull)).toBe('OWNERSHIP_REQUIRED');
    expect(await as('POST', `/reflections/${id}/training-pair`, {})).toBe('NOT_FOUND');
    const { body } = await world.as('Other', 'GET', '/api/search?q=bridge%20older%20town');
    expect(JSON.stringify(body)).not.toContain('/mirror?');
  });
});

describe('training pairs', () => {
  it('come of a reflection: the honest answer over the pleasing one', async () => {
    const { id: reflectionId } = await reflect({
      compulsionType: 'Overconfidence',
      systemPrompt: 'Be brief.',
      tags: ['sure'],
    });
    const pair = await api().reflectionPairs.create({ params: { reflectionId }, body: { tags: ['more'] } });
    expect(pair).toMatchObject({
      ...{ systemPrompt: 'Be brief.', userPrompt: pull.triggerContext, chosenResponse: pull.honestResponse },
      ...{ rejectedResponse: pull.compliantResponse, objective: 'Calibration', curationStatus: 'Draft' },
      ...{ curatorType: 'Human', sourceReflectionId: reflectionId, tags: ['sure', 'more'] },
    });
  });

  it('need two answers that differ', async () => {
    await expect(pairOf('same', { rejectedResponse: 'same: yes ' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('are approved and rejected in one go; what cannot be is skipped', async () => {
    const [first, second] = [await pairOf('one'), await pairOf('two')];
    const ids = [first.id, second.id, 99_999];
    expect(await api().trainingPairs.approve({ body: { pairIds: ids, curationNotes: 'Good.' } })).toEqual({
      ...{
        updated: 2,
        skipped: 1,
        updatedIds: [first.id, second.id],
        skippedIds: [99_999],
        curationStatus: 'Approved',
      },
    });
    expect(await api().trainingPairs.approve({ body: { pairIds: [first.id] } })).toMatchObject({
      updated: 0,
      skipped: 1,
    });
    await api().trainingPairs.reject({ body: { pairIds: [first.id] } });
    const rejected = await api().trainingPairs.get({ params: { id: first.id } });
    expect(rejected).toMatchObject({ curationStatus: 'Rejected', curationNotes: 'Good.', curatorType: 'Human' });
    await api().trainingPairs.approve({ body: { pairIds: [first.id] } });
    const { items } = await api().trainingPairs.list({
      params: { identityId },
      query: { curationStatus: 'Approved', q: 'one' },
    });
    expect(items.map(({ id }) => id)).toContain(first.id);
  });

  it('are not approved by whoever may not see them', async () => {
    const { id } = await pairOf('hidden');
    const { body } = await world.as('Other', 'POST', '/api/training-pairs/approve', { pairIds: [id] });
    expect(body.data).toMatchObject({ updated: 0, skippedIds: [id] });
    expect((await api().trainingPairs.get({ params: { id } })).curationStatus).toBe('Draft');
  });

  it('are approved by people alone', async () => {
    const { rawKey } = await api().identityKeys.create({
      params: { identityId },
      body: { name: 'trainer', scopes: ['MirrorWrite', 'TrainingApprove'] },
    } as never);
    const { id } = await pairOf('by itself');
    const answer = await fetch(`${world.server.url}/api/training-pairs/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ pairIds: [id] }),
    });
    expect(((await answer.json()) as { errorCode: string }).errorCode).toBe('FORBIDDEN');
    expect((await api().trainingPairs.get({ params: { id } })).curationStatus).toBe('Draft');
  });
});

describe('harvests', () => {
  const harvest = (how: 'harvestEscalations' | 'harvestRatings', body: object = {}) =>
    api().trainingPairs[how]({ params: { identityId }, body });
  const pairs = async (tag: string) =>
    (await api().trainingPairs.list({ params: { identityId }, query: { tag } })).items;
  const runOf = async (script: string) => {
    const body = { goal: 'Count the herons.', modelId: script, identityId, autoStart: true };
    const { id } = await api().agentRuns.create({ body });
    const status = async () => (await api().agentRuns.get({ params: { id } })).status;
    await expect.poll(status, { timeout: 20_000 }).toBe('Completed');
    return id;
  };

  it('take decided escalations once: the decision over what was recommended', async () => {
    const asked = async () => {
      const body = { goal: 'Ship it.', modelId: 'scripted:asks', identityId, autoStart: true };
      const { id } = await api().agentRuns.create({ body });
      const status = async () => (await api().agentRuns.get({ params: { id } })).status;
      await expect.poll(status, { timeout: 20_000 }).toBe('WaitingForDecision');
      const [escalation] = (await api().agentRuns.get({ params: { id } })).escalations;
      return escalation?.id ?? 0;
    };
    const [first, open] = [await asked(), await asked()];
    const body = { decision: 'wait', decisionNotes: 'Nobody is here on Saturday.' };
    await api().agentEscalations.resolve({ params: { id: first }, body });
    expect(await harvest('harvestEscalations', { dryRun: true })).toEqual({
      scanned: 1,
      created: 1,
      skipped: 0,
      pairIds: [],
    });
    expect(await harvest('harvestEscalations', { minConfidence: 0.9 })).toMatchObject({ scanned: 0, created: 0 });
    const { pairIds } = await harvest('harvestEscalations');
    expect(await api().trainingPairs.get({ params: { id: pairIds[0] ?? 0 } })).toMatchObject({
      ...{
        userPrompt: 'May I ship on Friday?\n\nOptions:\n- ship\n- wait',
        chosenResponse: 'wait',
        rejectedResponse: 'ship',
      },
      ...{ objective: 'Escalation', curationStatus: 'Draft', curationNotes: body.decisionNotes },
      ...{ sourceReference: `escalation:${first}`, tags: ['escalation', 'decided-by-human'] },
    });
    expect(await harvest('harvestEscalations')).toMatchObject({ scanned: 1, created: 0, skipped: 1 });
    await api().agentEscalations.resolve({ params: { id: open }, body: { decision: 'ship' } });
    expect(await harvest('harvestEscalations', { minConfidence: 0.1 })).toMatchObject({
      scanned: 2,
      created: 1,
      skipped: 1,
    });
  });

  it('take well rated runs over poorly rated ones with the same goal', async () => {
    const [good, poor] = [await runOf('scripted:good'), await runOf('scripted:poor')];
    const rate = (runId: number, rating: 'Excellent' | 'Poor') =>
      api().agentFeedback.create({ params: { runId }, body: { rating } });
    await rate(good, 'Excellent');
    await rate(poor, 'Poor');
    expect(await harvest('harvestRatings')).toMatchObject({ created: 1 });
    const [pair] = await pairs('run');
    expect(pair).toMatchObject({ userPrompt: 'Count the herons.', sourceReference: `run:${good}` });
    const whole = await api().trainingPairs.get({ params: { id: pair?.id ?? 0 } });
    expect(whole).toMatchObject({ chosenResponse: 'Seven herons.', rejectedResponse: 'Some birds.' });
    expect(await harvest('harvestRatings')).toMatchObject({ created: 0 });
  });

  it('take rated replies of chats of their own, without what is hidden', async () => {
    const session = await api().chat.create({ body: { identityId, modelId: 'scripted:echo' } });
    const sessionId = session.id;
    const say = async (message: string) => {
      await api().chat.ask({ params: { sessionId }, body: { message } });
      return (await api().chat.get({ params: { id: sessionId } })).messages.slice(-2);
    };
    const [, liked] = await say('How deep is the lake?');
    const [asked, hidden] = await say('My number is 0123.');
    const rate = (messageId: number) =>
      api().chat.rate({ params: { messageId }, body: { feedback: 'up', feedbackTags: ['rated'] } });
    await rate(liked?.id ?? 0);
    await rate(hidden?.id ?? 0);
    await api().chat.patchMessage({ params: { messageId: asked?.id ?? 0 }, body: { hidden: true } });
    await harvest('harvestRatings');
    expect(await pairs('rated')).toMatchObject([
      { userPrompt: 'How deep is the lake?', sourceReference: `chat:${sessionId}/message:${liked?.id}` },
    ]);
    const { messages } = await api().chat.get({ params: { id: sessionId } });
    expect(messages.find(({ id }) => id === liked?.id)?.trainingPairId).toBe((await pairs('rated'))[0]?.id);
  });
});
