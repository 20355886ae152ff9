// A server that is killed while it reads or commits an import goes on where it was, and writes nothing twice.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient, type ImportDto } from '../../../src/client/index.ts';
import { chatGptConversation, spoken, zipOf } from '../../support/archives.ts';
import { type ChildServer, createChildServer } from '../../support/child-server.ts';
import { importsOf } from '../../support/imports.ts';

const [shards, perShard] = [20, 15];
const count = shards * perShard;
/** A lease must pass before another process takes the work over; a loaded machine is no fault. */
const patient = { timeout: 60_000, interval: 20 };

let server: ChildServer;
let client: Client;
beforeAll(async () => {
  server = await createChildServer();
  await server.start();
  client = createClient({ baseUrl: server.baseUrl, token: server.key });
});
afterAll(() => server.close());

const conversation = (n: number) =>
  chatGptConversation(
    `c${n}`,
    `Talk ${n}`,
    spoken(`What about ${n}?`, `It is ${n * 7}.`, 'And then?', `Then ${n + 1}.`),
  );
const archive = () =>
  zipOf(
    Object.fromEntries(
      Array.from({ length: shards }, (_, shard) => [
        `conversations-${shard}.json`,
        Array.from({ length: perShard }, (_one, n) => conversation(shard * perShard + n)),
      ]),
    ),
  );

/** Kills the server once the import is as far as it is asked for, and starts it again; answers how far it was. */
async function killedAt(id: number, isFar: (one: ImportDto) => boolean): Promise<ImportDto> {
  let last = await client.imports.get({ params: { id } });
  await expect
    .poll(async () => {
      last = await client.imports.get({ params: { id } });
      return isFar(last);
    }, patient)
    .toBe(true);
  await server.kill();
  await server.start();
  return last;
}

async function ended(id: number, look: (one: ImportDto) => void = () => {}): Promise<ImportDto> {
  await expect
    .poll(async () => {
      const one = await client.imports.get({ params: { id } });
      look(one);
      return one.statusId;
    }, patient)
    .not.toMatch(/^(Parsing|Scrubbing|Committing)$/);
  return client.imports.get({ params: { id } });
}

async function titles(identityId: number): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const { items, hasNextPage } = await client.memories.list({
      params: { identityId },
      query: { pageSize: 200, page },
    });
    found.push(...items.map(({ title }) => title));
    if (!hasNextPage) return found.filter((title) => title.startsWith('Talk ')).sort();
  }
}

it('is read and committed once, however often the server dies', async () => {
  const [{ id: identityId = 0 } = {}] = (await client.identities.list({ query: { pageSize: 1 } })).items;
  const { data, upload } = importsOf({ url: server.baseUrl, key: server.key });
  const { id } = await data(upload(await archive(), { identityId: String(identityId) }));
  // At the very beginning: nothing, or a part of it, is read.
  await killedAt(id, () => true);
  expect(await ended(id)).toMatchObject({
    statusId: 'ReadyForReview',
    conversationCount: count,
    messageCount: 4 * count,
    skippedCount: 0,
  });
  const review = await client.imports.review({ params: { id }, query: {} });
  expect(new Set(review.conversations.map(({ sourceId }) => sourceId)).size).toBe(count);
  expect(review.conversations).toHaveLength(count);

  const commit = client.imports.commit({ params: { id }, body: {} }).catch(() => null);
  const before = await killedAt(id, (one) => one.statusId === 'Committing' && one.progressPercent > 25);
  expect(before.statusId).toBe('Committing');
  await commit;
  const progress: number[] = [];
  const whole = await ended(id, ({ progressPercent }) => progress.push(progressPercent));
  expect(whole).toMatchObject({ statusId: 'Committed', memoryCount: count });
  // It goes on where it was, and so does what people are shown.
  expect(Math.min(...progress)).toBeGreaterThanOrEqual(before.progressPercent);
  const written = await titles(identityId);
  expect(written).toHaveLength(count);
  expect(new Set(written).size).toBe(count);

  const undo = client.imports.undo({ params: { id }, body: {} }).catch(() => null);
  await killedAt(id, ({ statusId }) => statusId !== 'Committed');
  await undo;
  expect(await ended(id)).toMatchObject({ statusId: 'ReadyForReview', memoryCount: 0 });
  expect(await titles(identityId)).toEqual([]);
}, 240_000);
