// Archives and exports as large as they may be take little memory of the server, and a bounded time.
import { openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { type ChatMessageDoc, chatMessageSpec, chatSessionSpec } from '../../src/groups/chat/documents.ts';
import { memoryRecord } from '../../src/groups/memories/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { chatGptConversation, spoken, writeZip } from '../support/archives.ts';
import { asBuilt } from '../support/child/build.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { hostileArchives } from '../support/hostile-archives.ts';
import { importsOf } from '../support/imports.ts';
import { memoryOf, tellsMemory } from '../support/process-memory.ts';

const mb = 2 ** 20;
/** MB that an import or an export may take besides. */
const most = 200;
const many = 100_000;

let server: ChildServer;
let client: Client;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-large-'));
  server = await createChildServer({}, asBuilt);
  await server.start();
  client = createClient({ baseUrl: server.baseUrl, token: server.key });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const words = 'the lantern of the harbour swings in the wind while boats come home and nobody asks who lit it '.repeat(
  20,
);

/** A shard of ChatGPT's conversations of ten messages each, made while it is packed. */
function* shard(number: number, bytes: number) {
  for (let [n, made] = [0, 1]; made < bytes; n++) {
    const texts = Array.from({ length: 10 }, (_, at) => `${number}.${n}.${at} ${words.slice(n % 90, 1000 + (n % 90))}`);
    const one = JSON.stringify(chatGptConversation(`c${number}-${n}`, `Talk ${number}.${n}`, spoken(...texts)));
    made += one.length + 1;
    yield (n === 0 ? '[' : ',') + one;
  }
  yield ']';
}

function* noise(bytes: number) {
  const piece = Buffer.alloc(mb, 7);
  for (let made = 0; made < bytes; made += piece.length) yield piece;
}

/** An archive of about 590 MB, of which 140 are text. */
async function largeArchive(path: string): Promise<void> {
  const files: Record<string, () => Readable> = {};
  for (let n = 0; n < 12; n++) files[`conversations-00${n}.json`] = () => Readable.from(shard(n, 11.7 * mb));
  for (let n = 0; n < 9; n++) files[`file-${n}/video.mp4`] = () => Readable.from(noise(50 * mb));
  await writeZip(path, files, false);
}

describe.skipIf(!tellsMemory)('memory', () => {
  it('of an import of almost 600 MB', async () => {
    const path = join(folder, 'large.zip');
    await largeArchive(path);
    const megabytes = (await stat(path)).size / mb;
    expect(megabytes).toBeGreaterThan(570);
    const { data, upload, ended } = importsOf({ url: server.baseUrl, key: server.key });
    // What the first import of a process reads in stays.
    const first = JSON.stringify([chatGptConversation('w', 'First', spoken('Who?', 'Me.'))]);
    await ended((await data(upload(Buffer.from(first), {}, 'first.json'))).id);
    const began = performance.now();
    let id = 0;
    const taken = await memoryOf(server, async () => {
      ({ id } = await data(upload(await openAsBlob(path), { extractFacts: 'true' })));
      await rm(path);
      await ended(id, 600_000);
    });
    const done = await client.imports.get({ params: { id } });
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(
      `import of ${Math.round(megabytes)} MB, ${done.messageCount} messages, in ${seconds} s: ${JSON.stringify(taken)} MB`,
    );
    expect(done).toMatchObject({ statusId: 'ReadyForReview', errorMessage: null, skippedCount: 9 });
    expect(done.messageCount).toBeGreaterThan(100_000);
    // Less than the text that it read.
    expect(taken.process).toBeLessThan(140);
    expect(taken.heap).toBeLessThan(140);
    await client.imports.remove({ params: { id } });
  });

  it.each([
    ['of 50,000 messages, every one of them flagged', 50_000, words.slice(0, 300), 50_000],
    ['as long as one may be, in letters of two bytes', 38_000, '船'.repeat(560), 38_000],
  ])('of one conversation %s', async (_, count, text, flags) => {
    const { data, upload, ended } = importsOf({ url: server.baseUrl, key: server.key });
    const texts = Array.from({ length: count }, (_one, n) => `Mail ${n} goes to anna.berger${n}@example.org. ${text}`);
    const bytes = Buffer.from(JSON.stringify([chatGptConversation(`long ${count}`, 'Long', spoken(...texts))]));
    let id = 0;
    const taken = await memoryOf(server, async () => {
      ({ id } = await data(upload(bytes, {}, 'long.json')));
      await ended(id, 300_000);
    });
    console.log(`a conversation of ${Math.round(bytes.length / mb)} MB: ${JSON.stringify(taken)} MB`);
    const done = await client.imports.get({ params: { id } });
    expect(done).toMatchObject({ statusId: 'ReadyForReview', messageCount: count, scrubFlagCount: flags });
    expect(taken.process).toBeLessThan(most);
    await client.imports.remove({ params: { id } });
  });

  it('of hostile archives, and what they leave behind', async () => {
    const { data, upload, ended } = importsOf({ url: server.baseUrl, key: server.key });
    const end = async (bytes: Buffer) => {
      const { id } = await data(upload(bytes));
      const { statusId } = await ended(id, 120_000);
      expect(statusId).toBe('Failed');
      await client.imports.remove({ params: { id } });
    };
    const resident = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
    const disk = async () => {
      const names = await readdir(server.folder, { recursive: true });
      const sizes = await Promise.all(names.map((name) => stat(join(server.folder, name)).catch(() => null)));
      return sizes.reduce((sum, one) => sum + (one?.isFile() ? one.size : 0), 0) / mb;
    };
    const archives = Object.entries(hostileArchives);
    // What a first round compiles, caches and leaves to be collected is no archive's: a second one must add nothing.
    for (const [, [make]] of archives) await end(await make());
    const before = { resident: resident(), disk: await disk() };
    let peak = 0;
    for (const [name, [make]] of archives) {
      const bytes = await make();
      const taken = await memoryOf(server, () => end(bytes));
      peak = Math.max(peak, taken.process);
      expect([name, taken.process < most]).toEqual([name, true]);
    }
    const left = { resident: resident() - before.resident, disk: (await disk()) - before.disk };
    console.log(
      `hostile archives: at most ${peak} MB; left ${Math.round(left.resident)} MB, ${left.disk.toFixed(1)} on disk`,
    );
    expect(left.resident).toBeLessThan(60);
    expect(left.disk).toBeLessThan(16);
    expect(await readdir(join(server.folder, 'imports'))).toEqual([]);
  });

  it('of exports with 100,000 memories and 100,000 messages', async () => {
    const [{ id: identityId = 0 } = {}] = (await client.identities.list({ query: { pageSize: 1 } })).items;
    const body = { title: 'Anchor', content: words.slice(0, 400) };
    await client.memories.create({ params: { identityId }, body });
    const session = await client.chat.create({ body: { title: 'Long' } });
    await client.chat.ask({ params: { sessionId: session.id }, body: { message: 'Hello' } } as never);
    await multiplied(session.id);
    const read = async (path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${server.key}` };
      const response = await fetch(`${server.baseUrl}/api/export/${path}`, { headers });
      expect(response.status).toBe(200);
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
      return bytes;
    };
    const paths = [
      `identity/${identityId}/portable`,
      `identity/${identityId}/portable?format=Pam`,
      `identity/${identityId}/portable?format=Omp`,
      `identity/${identityId}?includeChats=true`,
      `tenant?includeChats=true`,
      `chatsession/${session.id}/dti`,
    ];
    for (const path of paths) {
      let bytes = 0;
      const began = performance.now();
      const taken = await memoryOf(server, async () => {
        bytes = await read(path);
      });
      const seconds = Math.round((performance.now() - began) / 1000);
      console.log(`${path}: ${Math.round(bytes / mb)} MB in ${seconds} s: ${JSON.stringify(taken)} MB`);
      expect(bytes).toBeGreaterThan(mb / 4);
      expect(taken.process).toBeLessThan(most);
    }
  });
});

/** Copies a memory and the last message of a chat until there are many, while the server is down. */
async function multiplied(sessionId: number): Promise<void> {
  await server.stop();
  const db = openEmbeddedDb({ folder: server.folder, clock: systemClock, logger: silentLogger, sync: null });
  const [memories, messages] = [db.collection(memoryRecord.spec), db.collection(chatMessageSpec)];
  const memory = await memories.findOne({ title: 'Anchor' });
  const last = await messages.findOne({ sessionId }, { sort: { _id: -1 } });
  if (!memory || !last) throw new Error('nothing to copy');
  // Far above what the server has given out.
  const from = 10_000_000;
  const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  for (let n = 0; n < many; n += 1000) {
    const numbers = Array.from({ length: 1000 }, (_, at) => from + n + at);
    await memories.insertMany(
      numbers.map((_id) => ({ ...memory, _id, guid: guid(_id), title: `Anchor ${_id}`, digest: `copy ${_id}` })),
    );
    const copies = numbers.map((_id) => ({ ...last, _id, parentId: _id === from ? last._id : _id - 1 }));
    await messages.insertMany(copies as ChatMessageDoc[]);
  }
  const activeMessageId = from + many - 1;
  await db.collection(chatSessionSpec).updateOne({ _id: sessionId }, { $set: { activeMessageId } });
  await db.close();
  await server.start();
}
