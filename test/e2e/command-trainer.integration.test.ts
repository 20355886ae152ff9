// A trainer that is a command in the sandbox: weights and figures come out of it, or what it said when it failed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBwrapDriver } from '../../sandbox/drivers/bwrap/driver.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { trainable } from '../support/mirror-samples.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** Counts the lines, writes weights and figures; what it does follows from the name of the base model. */
const command = [
  'grep -q crash "$RIVULET_RUN" && { echo no memory >&2; exit 3; }',
  'grep -q endless "$RIVULET_RUN" && { touch "$RIVULET_OUTPUT/begun"; sleep 600; }',
  'cp "$RIVULET_DATASET" "$RIVULET_OUTPUT/adapter.txt"',
  'echo "{\\"pairs\\": $(wc -l < "$RIVULET_DATASET")}" > "$RIVULET_OUTPUT/metrics.json"',
].join('; ');
const patience = { timeout: 60_000 };

const probe = await createBwrapDriver({ directory: '/tmp/rivulet-probe-trainer', clock: systemClock }).probe();

describe.skipIf(!probe.available)('a command as the trainer', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRAINER: command, RIVULET_SANDBOX: 'bwrap' });
  });
  afterAll(() => server.close());

  const api = () => server.client;
  const runOf = async (baseModelName: string) => {
    const { datasetId, identityId } = await trainable(server);
    return api().trainingRuns.create({ params: { identityId }, body: { datasetId, baseModelName } });
  };
  const get = (id: number) => api().trainingRuns.get({ params: { id } });
  const comesTo = (id: number, status: string) =>
    expect.poll(async () => (await get(id)).status, patience).toBe(status);

  it('trains, and what came of it waits for a person', async () => {
    const { id, identityId } = await runOf('small');
    await comesTo(id, 'AwaitingApproval');
    const { adapterOutputPath, evaluationMetricsJson } = await get(id);
    expect(JSON.parse(evaluationMetricsJson ?? '')).toEqual({ pairs: 2 });
    const weights = await readFile(join(adapterOutputPath ?? '', 'adapter.txt'), 'utf8');
    expect(Object.keys(JSON.parse(weights.split('\n')[0] ?? ''))).toEqual(['prompt', 'chosen', 'rejected']);
    const candidates = async () => (await api().checkpoints.list({ params: { identityId } })).items;
    const left = { trainingRunId: id, status: 'Candidate', weightsPath: adapterOutputPath };
    await expect.poll(candidates, patience).toMatchObject([left]);
    await expect(readFile(join(adapterOutputPath ?? '', '../dataset.jsonl'))).rejects.toThrow();
  });

  it('that fails says why', async () => {
    const run = await runOf('crash');
    await comesTo(run.id, 'Failed');
    expect((await get(run.id)).errorMessage).toBe('The trainer ended with exit code 3.\nno memory');
    const statusOf = async () => (await api().datasets.get({ params: { id: run.datasetId } })).status;
    await expect.poll(statusOf, patience).toBe('Ready');
  });

  it('is stopped when its run is cancelled, and when the server stops', async () => {
    const run = await runOf('endless');
    await comesTo(run.id, 'Running');
    await api().trainingRuns.setStatus({ params: { id: run.id }, body: { status: 'Cancelled' } });
    await api().trainingRuns.setStatus({ params: { id: run.id }, body: { status: 'Queued' } });
    await comesTo(run.id, 'Running');
    await server.restart();
    expect(await get(run.id)).toMatchObject({ status: 'Failed', errorMessage: expect.stringContaining('stop') });
  });
});
