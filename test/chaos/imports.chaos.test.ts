// The server killed at random moments while it reads, commits and takes back an import: nothing is lost, and nothing twice.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient, type ImportDto } from '../../src/client/index.ts';
import { chatGptConversation, spoken, zipOf } from '../support/archives.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { importsOf } from '../support/imports.ts';
import { killsOf, randomOf, seed } from '../support/seed.ts';

const [shards, perShard] = [10, 40];
const count = shards * perShard;
/** Facts that are told: one for each of these names, by conversations in turn. */
const names = ['Ada', 'Bob', 'Carl', 'Dora', 'Emil'];
/**
 * Kills in a row during one job, each later in it than the one before, and the longest time in ms between a start and the
 * last of them. RIVULET_KILLS sets more.
 */
const killsEach = killsOf(4);
const longest = 1500;
const patient = { timeout: 120_000, interval: 50 };

let server: ChildServer;
let client: Client;
beforeAll(async () => {
  server = await createChildServer();
  await server.start();
  client = createClient({ baseUrl: server.baseUrl, token: server.key });
});
afterAll(() => server?.close());

const archive = () =>
  zipOf(
    Object.fromEntries(
      Array.from({ length: shards }, (_, shard) => [
        `conversations-${shard}.json`,
        Array.from({ length: perShard }, (_one, at) => {
          const n = shard * perShard + at;
          const told = `${names[n % names.length]} works for Initech.`;
          return chatGptConversation(`c${n}`, `Talk ${n}`, spoken(`What about ${n}? ${told}`, `It is ${n * 7}.`));
        }),
      ]),
    ),
  );

const busy = /^(Parsing|Scrubbing|Committing)$/;
const at = async (id: number): Promise<ImportDto> => client.imports.get({ params: { id } });

it(`commits once and takes back all, through kills at random moments (seed ${seed})`, async () => {
  const next = randomOf(seed);
  const { data, upload } = importsOf({ url: server.baseUrl, key: server.key });
  const [{ id: identityId = 0 } = {}] = (await client.identities.list({ query: { pageSize: 1 } })).items;
  const { id: projectId } = await client.projects.create({
    body: { name: 'Histories', leadIdentityId: identityId },
  } as never);
  const hits: string[] = [];

  /** Waits until a request has begun its work: before there is nothing to be killed. */
  const begun = (id: number, from: ImportDto['statusId']) =>
    expect.poll(async () => (await at(id)).statusId, patient).not.toBe(from);

  /** Kills the server a few times while the import is at work, and waits until it has ended. */
  async function through(id: number): Promise<ImportDto> {
    for (let kill = 0; kill < killsEach; kill++) {
      await new Promise((done) => setTimeout(done, (next() * longest * (kill + 1)) / killsEach));
      const { statusId, progressPercent } = await at(id);
      if (!busy.test(statusId)) break;
      hits.push(`${statusId} ${progressPercent} %`);
      await server.kill();
      await server.start();
    }
    await expect.poll(async () => (await at(id)).statusId, patient).not.toMatch(busy);
    return at(id);
  }
  const memories = async (): Promise<string[]> => {
    const found: string[] = [];
    for (let page = 1; ; page++) {
      const { items, hasNextPage } = await client.memories.list({
        params: { identityId },
        query: { pageSize: 200, page },
      });
      found.push(...items.map(({ title }) => title));
      if (!hasNextPage) return found.filter((title) => title.startsWith('Talk ')).sort();
    }
  };
  const facts = async () =>
    (await client.facts.list({ params: { projectId }, query: { pageSize: 200 } })).items.map(({ key }) => key).sort();
  const told = names.map((name) => `${name.toLowerCase()}.works_for`).sort();

  const fields = { identityId: String(identityId), projectId: String(projectId), extractFacts: 'true' };
  const { id } = await data(upload(await archive(), fields));
  expect(await through(id)).toMatchObject({
    statusId: 'ReadyForReview',
    conversationCount: count,
    messageCount: 2 * count,
    itemCount: names.length,
    skippedCount: 0,
  });
  const review = await client.imports.review({ params: { id }, query: {} });
  expect(new Set(review.conversations.map(({ sourceId }) => sourceId)).size).toBe(count);
  expect(review.items.map(({ key }) => key).sort()).toEqual(told);

  void client.imports.commit({ params: { id }, body: {} }).catch(() => null);
  await begun(id, 'ReadyForReview');
  expect(await through(id)).toMatchObject({ statusId: 'Committed', memoryCount: count, factCount: names.length });
  const written = await memories();
  expect([written.length, new Set(written).size, await facts()]).toEqual([count, count, told]);

  void client.imports.undo({ params: { id }, body: {} }).catch(() => null);
  await begun(id, 'Committed');
  expect(await through(id)).toMatchObject({ statusId: 'ReadyForReview', memoryCount: 0, factCount: 0 });
  expect([await memories(), await facts()]).toEqual([[], []]);
  console.log(`killed at: ${hits.join(', ')}`);
  expect(hits.length).toBeGreaterThan(2);
});
