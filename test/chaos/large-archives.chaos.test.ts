// Archives and exports as large as they may be take little memory of the server, and a bounded time.
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
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
import { type ChildServer, createChildServer } from '../support/child-server.ts';
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
  server = await createChildServer();
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

/** An archive of about 590 MB, of which 240 are text. */
async function largeArchive(path: string): Promise<void> {
  const files: Record<string, () => Readable> = {};
  for (let n = 0; n < 12; n++) files[`conversations-00${n}.json`] = () => Readable.from(shard(n, 20 * mb));
  for (let n = 0; n < 7; n++) files[`file-${n}/video.mp4`] = () => Readable.from(noise(50 * mb));
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
    expect(done).toMatchObject({ statusId: 'ReadyForReview', errorMessage: null, skippedCount: 7 });
    expect(done.messageCount).toBeGreaterThan(100_000);
    expect(taken.process).toBeLessThan(most);
    expect(taken.heap).toBeLessThan(most);
    await client.imports.remove({ params: { id } });
  });

  it('of one conversation of 50,000 messages, every one of them flagged', async () => {
    const { data, upload, ended } = importsOf({ url: server.baseUrl, key: server.key });
    const texts = Array.from(
      { length: 50_000 },
      (_, n) => `Mail ${n} goes to anna.berger${n}@example.org. ${words.slice(0, 300)}`,
    );
    const bytes = Buffer.from(JSON.stringify([chatGptConversation('long', 'Long', spoken(...texts))]));
    let id = 0;
    const taken = await memoryOf(server, async () => {
      ({ id } = await data(upload(bytes, {}, 'long.json')));
      await ended(id, 300_000);
    });
    console.log(`a conversation of ${Math.round(bytes.length / mb)} MB: ${JSON.stringify(taken)} MB`);
    const done = await client.imports.get({ params: { id } });
    expect(done).toMatchObject({ statusId: 'ReadyForReview', messageCount: 50_000, scrubFlagCount: 50_000 });
    // A conversation is built as a whole, of several times its JSON; larger ones than 48 MB are not read.
    expect(taken.process).toBeLessThan(1.5 * most);
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
      `identity/${identityId}/portable?format=Pam`,
      `identity/${identityId}/portable?format=Omp`,
      `identity/${identityId}?includeChats=true`,
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
