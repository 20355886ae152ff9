// What is forgotten is nowhere any more: not in an answer, and not in any file of the data folder or of a backup.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backUp } from '../../src/stores/backup/back-up.ts';
import { temporaryFolder } from '../support/embedded-db.ts';
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

/** Files of a folder that hold a text, whatever its case. */
async function holding(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    if (bytes.toString('latin1').toLowerCase().includes(text)) found.push(entry.name);
  }
  return found;
}

/** That texts are in the data folder, then forgotten, and then nowhere. */
async function gone(words: readonly string[], forget: () => Promise<unknown>): Promise<void> {
  const { dataDir } = stage.server.config;
  for (const word of words) expect([word, await holding(dataDir, word)]).not.toEqual([word, []]);
  await forget();
  for (const word of words) {
    expect([word, await holding(dataDir, word)]).toEqual([word, []]);
  }
  const folder = join(temporaryFolder(), 'backup');
  const request = { dataFolder: dataDir, target: folder, withoutDatabase: false, secretElsewhere: false };
  await backUp({ ...request, version: 'test', now: 0 });
  for (const word of words) expect([word, await holding(folder, word)]).toEqual([word, []]);
}

const identity = async () => (await data(call('GET', '/identities'))).items[0].id;

it('memories, with what was written of them before, their links, tags and entities', async () => {
  const at = `/identities/${await identity()}/memories`;
  const { id } = await data(
    call('POST', at, {
      title: 'Zorbelquist harbour',
      content: `The gate of Vantrellian opens with plumifex. ${'It is long. '.repeat(800)} Brindlewort.`,
      tags: ['snorvelite'],
    }),
  );
  const other = await data(call('POST', at, { title: 'Other', content: 'Something else about a harbour.' }));
  await data(call('POST', `/memories/${id}/links`, { toMemoryId: other.id }));
  await data(call('PATCH', `/memories/${id}`, { content: 'The gate of Vantrellian opens with quaxolore now.' }));
  await expect.poll(async () => (await data(call('GET', `/memories/${id}`))).hasEmbedding).toBe(true);
  await data(call('GET', `${at}/search?q=quaxolore%20harbour`));
  await expect
    .poll(async () => (await data(call('GET', '/graph/nodes?q=Vantrellian'))).items.length)
    .toBeGreaterThan(0);
  await gone(['zorbelquist', 'vantrellian', 'quaxolor', 'snorvelit'], () => data(call('DELETE', `/memories/${id}`)));
  for (const word of ['plumifex', 'brindlewort']) expect(await holding(stage.server.config.dataDir, word)).toEqual([]);
  expect(
    (await data(call('GET', `${at}/search?q=quaxolore`))).results.map(
      (hit: { memory: { id: number } }) => hit.memory.id,
    ),
  ).not.toContain(id);
  expect((await data(call('GET', '/graph/nodes?q=Vantrellian'))).items).toEqual([]);
});

it('what people wanted to be remembered, many at once', async () => {
  for (const word of ['flumberquat', 'drozzlepin'])
    await data(call('POST', '/personal-memories', { content: `My locker holds a ${word}.`, category: 'Work' }));
  await data(call('GET', '/personal-memories/search?q=flumberquat'));
  await gone(['flumberquat', 'drozzlepin'], () =>
    data(call('POST', '/personal-memories/forget', { category: 'Work', confirm: true })),
  );
});

it('what agents have learned for all', async () => {
  const lesson = { title: 'Krandlewick', content: 'Bolts of Krandlewick are left-handed.', kind: 'Lesson' };
  const { id } = await data(call('POST', '/agent-memories', lesson));
  await gone(['krandlewick'], () => data(call('DELETE', `/agent-memories/${id}`)));
});

it('what a run has learned, with the run', async () => {
  stage.cast({
    learn: [
      {
        calls: [
          ['memory_create', { title: 'Gorplewick', content: 'The mole of Gorplewick is sunken.' }],
          ['fact_upsert', { key: 'depth', value: 'Trindlemoor' }],
        ],
      },
      { text: ['Done.'] },
    ],
  });
  const run = await stage.start('Learn it', { projectId: 7 });
  await stage.end(run.id);
  await gone(['gorplewick', 'trindlemoor'], async () => {
    await data(call('POST', `/agent/runs/${run.id}/unlearn`, {}));
    // Its own transcript goes with the run.
    await data(call('DELETE', `/agent/runs/${run.id}`));
  });
});
