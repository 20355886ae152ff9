// From approved pairs to a model in use: datasets, their files, training runs, checkpoints, routes.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let identityId: number;
let scenarios: string;
beforeAll(async () => {
  scenarios = await mkdtemp(join(tmpdir(), 'rivulet-training-'));
  for (const name of ['base', 'tuned', 'tuned-more'])
    await writeFile(
      join(scenarios, `${name}.json`),
      JSON.stringify({ turns: [{ text: `I am ${name}.` }], notice: false }),
    );
  server = await startTestServer({ RIVULET_SCENARIOS: scenarios });
  identityId = (await api().identities.create({ body: { name: 'Ada', type: 'AI' } })).id;
});
afterAll(async () => {
  await server.close();
  await rm(scenarios, { recursive: true });
});

const api = () => server.client;
const below = () => ({ params: { identityId } });
let made = 0;
const subjects = [
  'herons',
  'bridges',
  'kettles',
  'maps',
  'violins',
  'glaciers',
  'letters',
  'orchards',
  'clocks',
  'ferries',
];
/** Pairs that have little in common. */
async function pairs(count: number, more: object = {}): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < count; at++) {
    const subject = `${subjects[made % subjects.length]} ${made++}`;
    const body = {
      userPrompt: `Tell me about ${subject}`,
      chosenResponse: `Plainly: ${subject}`,
      rejectedResponse: `Gladly: ${subject}`,
      ...more,
    };
    ids.push((await api().trainingPairs.create({ ...below(), body })).id);
  }
  return ids;
}
async function approved(count: number, more: object = {}): Promise<number[]> {
  const pairIds = await pairs(count, more);
  await api().trainingPairs.approve({ body: { pairIds, acceptFlags: true } });
  return pairIds;
}
const dataset = (more: object = {}) =>
  api().datasets.create({ ...below(), body: { name: 'Candour', primaryObjective: 'Honesty', ...more } });
const populate = (id: number, body: object = {}) => api().datasets.populate({ params: { id }, body });
async function exported(id: number, query = '') {
  const answer = await fetch(`${server.url}/api/datasets/${id}/export${query}`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  return {
    type: answer.headers.get('content-type'),
    text: await answer.text(),
    name: answer.headers.get('content-disposition'),
  };
}
const idsIn = (text: string) => text.split('\n').filter(Boolean).length;
async function filled(count = 2) {
  const [{ id }, pairIds] = [await dataset(), await approved(count)];
  await populate(id, { pairIds });
  return { id, pairIds };
}
const train = (datasetId: number, more: object = {}) =>
  api().trainingRuns.create({ ...below(), body: { datasetId, baseModelName: 'tuned', ...more } });
const move = (id: number, status: string, more: object = {}) =>
  api().trainingRuns.setStatus({ params: { id }, body: { status, ...more } as never });
const statusOf = async (id: number) => (await api().datasets.get({ params: { id } })).status;

describe('datasets', () => {
  it('take approved pairs, count their versions, and skip drafts and doubles', async () => {
    const { id } = await dataset();
    const good = await approved(3);
    const [draft] = await pairs(1);
    const [double] = await approved(1, { userPrompt: 'Tell me about herons 0', chosenResponse: 'Plainly: herons 0' });
    expect(await populate(id, { pairIds: [...good, draft, double, 99_999] })).toMatchObject({
      ...{ added: 3, skipped: 3, removed: 0, pairCount: 3, status: 'Ready' },
    });
    expect(await api().datasets.get({ params: { id } })).toMatchObject({
      version: '1.0.0',
      pairCount: 3,
      status: 'Ready',
    });
    expect(await populate(id, { pairIds: good })).toMatchObject({ added: 0, skipped: 3, pairCount: 3 });
    expect((await api().datasets.get({ params: { id } })).version).toBe('1.0.0');
    const [more] = await approved(1);
    expect(await populate(id, { pairIds: [more ?? 0], replace: true })).toMatchObject({
      added: 1,
      removed: 3,
      pairCount: 1,
    });
    expect((await api().datasets.get({ params: { id } })).version).toBe('1.0.1');
    await expect(populate(id, { curationStatus: 'Draft' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(populate(id, { tags: ['nobody has it'], replace: true })).resolves.toMatchObject({
      pairCount: 0,
      status: 'Draft',
    });
  });

  it('take pairs by what they are, those of their own objective first', async () => {
    const { id } = await dataset({ primaryObjective: 'Style' });
    await approved(2, { objective: 'Style', tags: ['chosen'] });
    await approved(2, { objective: 'Planning', tags: ['chosen'] });
    expect(await populate(id, { tags: ['chosen'], maxPairs: 3 })).toMatchObject({ added: 3 });
    const { text } = await exported(id, '?format=Csv');
    expect(text.match(/"Style"/g)).toHaveLength(2);
    expect(text.match(/"Planning"/g)).toHaveLength(1);
  });

  it('are files of each format, by the names that programs expect', async () => {
    const { id } = await filled(2);
    for (const format of ['Jsonl', 'Dpo', 'Sft']) {
      const { type, text, name } = await exported(id, `?format=${format}`);
      expect([format, type, idsIn(text)]).toEqual([format, 'application/jsonl', 2]);
      expect(name).toContain('Candour-1.0.0.jsonl');
    }
    expect((await exported(id, '?format=Csv')).type).toContain('text/csv');
    const kto = (await exported(id, '?format=Dpo&flavour=Kto')).text;
    expect(idsIn(kto)).toBe(4);
  });

  it('lose what is rejected or deleted, unless a training has used it', async () => {
    const { id, pairIds } = await filled(3);
    const [first = 0, second = 0] = pairIds;
    await api().trainingPairs.reject({ body: { pairIds: [first] } });
    expect(idsIn((await exported(id)).text)).toBe(2);
    expect(await api().datasets.get({ params: { id } })).toMatchObject({ pairCount: 2, version: '1.0.1' });
    const run = await train(id);
    await api().trainingPairs.remove({ params: { id: second } });
    expect(idsIn((await exported(id)).text)).toBe(1);
    expect(idsIn((await exported(id, `?runId=${run.id}`)).text)).toBe(2);
    await move(run.id, 'Cancelled');
  });

  it('take what was rejected only where it is asked for', async () => {
    const { id, pairIds } = await filled(1);
    const [avoided = 0] = await approved(1, { tags: ['avoided'] });
    await api().trainingPairs.reject({ body: { pairIds: [avoided] } });
    await populate(id, { curationStatus: 'Rejected', tags: ['avoided'] });
    expect(pairIds).toHaveLength(1);
    expect(idsIn((await exported(id)).text)).toBe(1);
    expect(idsIn((await exported(id, '?includeRejected=true')).text)).toBe(2);
  });

  it('are not populated twice at once', async () => {
    const { id } = await dataset();
    const pairIds = await approved(6);
    const all = await Promise.allSettled(Array.from({ length: 4 }, () => populate(id, { pairIds })));
    const codes = all.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as { code: string }).code));
    for (const code of codes) expect(['done', 'CONFLICT']).toContain(code);
    expect(idsIn((await exported(id)).text)).toBe(6);
    expect((await api().datasets.get({ params: { id } })).pairCount).toBe(6);
  });

  it('hold flagged pairs only where a person has said yes', async () => {
    const [id = 0] = await pairs(1, { chosenResponse: 'Write to anna.berg@kontor-nord.de about it.' });
    expect((await api().trainingPairs.get({ params: { id } })).scrubFlags).toEqual(['e-mail address']);
    expect(await api().trainingPairs.approve({ body: { pairIds: [id] } })).toMatchObject({
      updated: 0,
      skippedIds: [id],
    });
    expect(await api().trainingPairs.approve({ body: { pairIds: [id], acceptFlags: true } })).toMatchObject({
      updated: 1,
    });
  });
});

describe('training runs', () => {
  it('go from step to step, and take dataset, pairs and checkpoint along', async () => {
    const { id: datasetId, pairIds } = await filled(2);
    const { text } = await exported(datasetId, '?format=Dpo');
    const run = await train(datasetId);
    expect(run).toMatchObject({ status: 'Queued', startedAtUtc: null });
    expect(await statusOf(datasetId)).toBe('InUse');
    await expect(populate(datasetId)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    await expect(train(datasetId)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    await expect(move(run.id, 'Approved')).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    expect((await move(run.id, 'Running')).startedAtUtc).not.toBeNull();
    await move(run.id, 'Evaluating');
    const waiting = await move(run.id, 'AwaitingApproval', {
      adapterOutputPath: '/weights/1',
      evaluationMetricsJson: '{"loss":0.1}',
    });
    expect(waiting).toMatchObject({ adapterOutputPath: '/weights/1', completedAtUtc: null });
    const [candidate] = (await api().checkpoints.list({ ...below(), query: { status: 'Candidate' } })).items;
    expect(candidate).toMatchObject({ trainingRunId: run.id, weightsPath: '/weights/1', modelName: 'tuned' });
    expect(await move(run.id, 'Approved')).toMatchObject({
      approvedByType: 'Human',
      approvedByName: expect.any(String),
    });
    expect(await statusOf(datasetId)).toBe('Trained');
    expect((await api().checkpoints.get({ params: { id: candidate?.id ?? 0 } })).status).toBe('Active');
    for (const id of pairIds) expect((await api().trainingPairs.get({ params: { id } })).curationStatus).toBe('Used');
    const kept = (await exported(datasetId, `?format=Dpo&runId=${run.id}`)).text;
    expect(createHash('sha256').update(kept).digest('hex')).toBe(createHash('sha256').update(text).digest('hex'));
    await expect(api().datasets.remove({ params: { id: datasetId } })).rejects.toMatchObject({ code: 'IN_USE' });
  });

  it('give the dataset back when they are rejected, fail or are cancelled, and can be queued anew', async () => {
    const { id } = await filled(1);
    const run = await train(id);
    expect(await move(run.id, 'Cancelled')).toMatchObject({ completedAtUtc: expect.any(String) });
    expect(await statusOf(id)).toBe('Ready');
    expect(await move(run.id, 'Queued')).toMatchObject({ completedAtUtc: null, status: 'Queued' });
    expect(await statusOf(id)).toBe('InUse');
    await move(run.id, 'Running');
    expect(await move(run.id, 'Failed', { errorMessage: 'Out of memory.' })).toMatchObject({
      errorMessage: 'Out of memory.',
    });
    expect(await statusOf(id)).toBe('Ready');
    const other = await train(id);
    for (const status of ['Running', 'Evaluating']) await move(other.id, status);
    await move(other.id, 'AwaitingApproval', { adapterOutputPath: '/weights/2' });
    await move(other.id, 'Rejected');
    const { items } = await api().checkpoints.list({ ...below(), query: { status: 'Retired' } });
    expect(items.map(({ trainingRunId }) => trainingRunId)).toContain(other.id);
    expect(await statusOf(id)).toBe('Ready');
  });

  it('are not approved by agents, nor by a token of nobody', async () => {
    const { id } = await filled(1);
    const run = await train(id);
    for (const status of ['Running', 'Evaluating', 'AwaitingApproval']) await move(run.id, status);
    const { rawKey } = (await api().identityKeys.create({
      params: { identityId },
      body: { name: 'trainer', scopes: ['MirrorWrite', 'TrainingApprove'] },
    } as never)) as { rawKey: string };
    const answer = await fetch(`${server.url}/api/training-runs/${run.id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'Approved' }),
    });
    expect(answer.status).toBe(403);
    const report = await server.call('POST', `/api/training-runs/${run.id}/report`, {
      token: 'x'.repeat(43),
      status: 'Failed',
    });
    expect(report.body.errorCode).toBe('UNAUTHENTICATED');
    expect((await api().trainingRuns.get({ params: { id: run.id } })).status).toBe('AwaitingApproval');
    await move(run.id, 'Rejected');
  });
});

describe('checkpoints', () => {
  const note = (modelName: string, more: object = {}) =>
    api().checkpoints.create({ ...below(), body: { modelName, version: '1', ...more } });

  it('tell where they come from, and one of an identity is active', async () => {
    const first = await note('tuned', { status: 'Active' });
    const second = await note('tuned-more', { parentCheckpointId: first.id });
    const third = await note('tuned-more', { parentCheckpointId: second.id, status: 'Active' });
    expect((await api().checkpoints.lineage({ params: { id: third.id } })).map(({ id }) => id)).toEqual([
      first.id,
      second.id,
      third.id,
    ]);
    const { items } = await api().checkpoints.list({ ...below(), query: { status: 'Active' } });
    expect(items.map(({ id }) => id)).toEqual([third.id]);
    expect((await api().checkpoints.get({ params: { id: first.id } })).status).toBe('Retired');
    const other = await api().identities.create({ body: { name: 'Bob', type: 'AI' } });
    const elsewhere = api().checkpoints.create({
      params: { identityId: other.id },
      body: { modelName: 'x', version: '1', parentCheckpointId: first.id },
    });
    await expect(elsewhere).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('are what a route gives to chats of their identity, once they are active', async () => {
    const own = await api().identities.create({ body: { name: 'Cleo', type: 'AI' } });
    const provider = await api().aiProviders.create({ body: { name: 'play', kind: 'Mock' } });
    const model = (modelId: string, providerModelName: string) =>
      api().aiModels.create({ body: { providerId: provider.id, modelId, providerModelName } });
    const [tuned, base] = [await model('own-checkpoint', '{checkpoint}'), await model('base', 'base')];
    const targets = [
      { aiModelId: tuned.id, priority: 1 },
      { aiModelId: base.id, priority: 2 },
    ];
    await api().aiRoutes.create({ body: { name: 'own', policy: 'Priority', targets, matchIdentityIds: [own.id] } });
    const session = await api().chat.create({ body: { identityId: own.id } });
    const reply = async () =>
      (await api().chat.ask({ params: { sessionId: session.id }, body: { message: 'Who are you?' } })).reply;
    expect(await reply()).toBe('I am base.');
    const activate = (modelName: string) =>
      api().checkpoints.create({ params: { identityId: own.id }, body: { modelName, version: '1', status: 'Active' } });
    await activate('tuned');
    expect(await reply()).toBe('I am tuned.');
    await activate('tuned-more');
    expect(await reply()).toBe('I am tuned-more.');
  });
});

it('counts what there is, and tells drift by souls', async () => {
  const { id } = await api().identities.create({ body: { name: 'Dora', type: 'AI' } });
  const reflect = (wasResisted: boolean) =>
    api().reflections.create({
      params: { identityId: id },
      body: {
        compulsionType: 'Verbosity',
        intensity: 3,
        wasResisted,
        triggerContext: 'Asked.',
        compliantResponse: 'Long.',
        honestResponse: 'Short.',
      },
    });
  await reflect(true);
  await reflect(true);
  const profile = (tone: string) =>
    server.call('PUT', `/api/identities/${id}/personality`, {
      ...{ tone, traits: [], focusAreas: [], boundaries: [], greetingStyle: '', uncertaintyHandling: '' },
      ...{ proactiveSuggestions: true, customInstructions: null },
    });
  expect((await profile('Curt')).status).toBe(200);
  await reflect(false);
  expect(await api().mirrorStatistics.stats({ params: { identityId: id } })).toMatchObject({
    ...{ totalReflections: 3, reflectionsResisted: 2, resistanceRate: 2 / 3, compulsionBreakdown: { Verbosity: 3 } },
    ...{ totalPairs: 0, totalDatasets: 0, totalRuns: 0, totalCheckpoints: 0 },
  });
  const drift = await api().mirrorStatistics.drift({ params: { identityId: id } });
  expect(drift.at(-1)).toMatchObject({ reflections: 1, resisted: 0, resistanceRate: 0, toUtc: null });
  expect(drift.slice(0, -1).reduce((sum, { reflections }) => sum + reflections, 0)).toBe(2);
  const none = await api().mirrorStatistics.stats({
    params: { identityId: id },
    query: { toUtc: '2020-01-01T00:00:00Z' },
  });
  expect(none).toMatchObject({ totalReflections: 0, resistanceRate: 0 });
});
