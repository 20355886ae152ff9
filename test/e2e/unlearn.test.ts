// What a run has learned is taken back: memories, changes, links and facts; what it had pushed aside counts again.
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  expect(body.error ?? null).toBeNull();
  return body.data;
};

it('takes back what a run wrote, and says what that was', async () => {
  const [identity] = (await data(call('GET', '/identities'))).items;
  const write = (title: string, content: string) =>
    data(call('POST', `/identities/${identity.id}/memories`, { title, content }));
  const found = async (q: string) =>
    (
      await data(call('GET', `/identities/${identity.id}/memories/search?q=${q}&mode=Keyword&linkExpansionDepth=0`))
    ).results.map((hit: { memory: { title: string } }) => hit.memory.title);
  const harbour = await write('Harbour', 'The harbour of Lindau closes at nine in the evening every day of the year.');
  const ferry = await write('Ferry', 'The ferry is blue.');
  const linked = await write('Linked', 'A third one.');
  const existing = await data(
    call('POST', `/memories/${ferry.id}/links`, { toMemoryId: linked.id, type: 'Semantic', strength: 0.2 }),
  );
  await data(call('POST', '/projects/7/facts', { key: 'colour', value: 'blue' }));
  await data(call('POST', '/projects/7/facts', { key: 'size', value: 'large' }));
  stage.cast({
    learn: [
      {
        calls: [
          // Says nearly what is known, so that it takes its place.
          [
            'memory_create',
            {
              title: 'Harbour',
              content: 'The harbour of Lindau closes at nine in the evening, on every day of the year.',
            },
          ],
          ['memory_update', { memoryId: ferry.id, content: 'The ferry is vermilion.' }],
          ['memory_link', { fromMemoryId: harbour.id, toMemoryId: ferry.id, type: 'Causal' }],
          ['memory_link', { fromMemoryId: ferry.id, toMemoryId: linked.id, type: 'Supports' }],
          ['fact_upsert', { key: 'colour', value: 'vermilion' }],
          ['fact_upsert', { key: 'size', value: 'large', importance: 9 }],
          ['fact_upsert', { key: 'depth', value: 'unfathomable' }],
        ],
      },
      { text: ['Done.'] },
    ],
    wait: [{ calls: [['run_escalate', { situation: 'Wait?' }]] }],
  });
  const run = await stage.start('Learn it', { projectId: 7 });
  await stage.end(run.id);
  expect(await found('vermilion')).toEqual(['Ferry']);
  expect(await data(call('GET', '/projects/7/facts/by-key/colour'))).toMatchObject({ value: 'vermilion' });

  const taken = await data(call('POST', `/agent/runs/${run.id}/unlearn`, {}));
  expect(taken).toMatchObject({ runId: run.id, revertedMemoryIds: [ferry.id], restoredMemoryIds: [harbour.id] });
  expect(taken.memoryIds).toHaveLength(1);
  expect(taken.factIds).toHaveLength(3);
  expect(await found('vermilion')).toEqual([]);
  expect(await data(call('GET', `/memories/${ferry.id}`))).toMatchObject({
    content: 'The ferry is blue.',
    provenance: 'Observed',
  });
  await failure(call('GET', `/memories/${taken.memoryIds[0]}`), 404, 'NOT_FOUND');
  const { linksFrom } = await data(call('GET', `/memories/${ferry.id}`));
  expect(linksFrom.find((link: { id: number }) => link.id === existing.id)).toMatchObject({
    type: 'Semantic',
    strength: 0.2,
  });
  const { linksFrom: none } = await data(call('GET', `/memories/${harbour.id}`));
  expect(none.filter((link: { type: string }) => link.type === 'Causal')).toEqual([]);
  expect(await data(call('GET', '/projects/7/facts/by-key/colour'))).toMatchObject({ value: 'blue' });
  expect(await data(call('GET', '/projects/7/facts/by-key/size'))).toMatchObject({ value: 'large', importance: 5 });
  await failure(call('GET', '/projects/7/facts/by-key/depth'), 404, 'NOT_FOUND');
  expect(JSON.stringify(await data(call('GET', '/projects/7/facts/by-key/depth/history')))).not.toContain(
    'unfathomable',
  );
  expect(JSON.stringify(await data(call('GET', '/projects/7/facts/by-key/colour/history')))).not.toContain('vermilion');

  // Twice is the same as once, and what is at work could learn again.
  const again = await data(call('POST', `/agent/runs/${run.id}/unlearn`, {}));
  expect(again).toEqual({
    runId: run.id,
    memoryIds: [],
    revertedMemoryIds: [],
    restoredMemoryIds: [],
    linkIds: [],
    factIds: [],
    agentMemoryIds: [],
  });
  const open = await stage.start('Wait for it');
  await stage.question(open.id);
  await failure(call('POST', `/agent/runs/${open.id}/unlearn`, {}), 409, 'INVALID_TRANSITION', /Cancel it first/);
  await failure(call('POST', '/agent/runs/999999/unlearn', {}), 404, 'NOT_FOUND');
});
