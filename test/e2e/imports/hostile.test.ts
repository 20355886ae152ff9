// Archives that are made to do harm, or are broken: each ends as Failed with what to do, and leaves nothing behind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatGptConversation, spoken, zipOf } from '../../support/archives.ts';
import { importsOf } from '../../support/imports.ts';
import { rawZip } from '../../support/raw-zip.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const fine = chatGptConversation('c1', 'Fine', spoken('Hello?', 'Hello.'));
const plain = JSON.stringify([fine]);
const text = (content: string) => ({ name: 'conversations.json', content: Buffer.from(content) });
const mb = 2 ** 20;

/** Each with what its message must say. */
const corpus: Record<string, readonly [() => Buffer | Promise<Buffer>, RegExp]> = {
  'a file that unpacks to a thousand times its size': [
    () => zipOf({ 'conversations.json': Buffer.alloc(40 * mb, 0x20) }),
    /far more than it should.*Upload/,
  ],
  'files that share their bytes': [
    () => {
      const packed = deflateRawSync(Buffer.alloc(9 * mb, 0x20));
      return rawZip(
        Array.from({ length: 30 }, (_, n) => ({
          name: `${n}.json`,
          content: Buffer.alloc(0),
          packed,
          bytes: 9 * mb,
          at: 0,
        })),
      );
    },
    /far more than it should/,
  ],
  'more than can be on any disk': [
    () => {
      // Not above the ratio: 25 MB each that say 4 GB.
      const packed = Buffer.alloc(25 * mb);
      return rawZip(
        [1, 2, 3, 4].map((n) => ({ name: `${n}.json`, content: Buffer.alloc(0), packed, bytes: 4_000_000_000 })),
      );
    },
    /far more than it should/,
  ],
  'archives in archives in archives': [
    async () => zipOf({ 'a.zip': await zipOf({ 'b.zip': await zipOf({ 'conversations.json': [fine] }) }) }),
    /archives in archives.*Unpack it/,
  ],
  'a name that leads out': [
    () => rawZip([{ ...text(plain), name: '../../etc/conversations.json' }]),
    /outside of its folder/,
  ],
  'a name from the root': [() => rawZip([{ ...text(plain), name: '/conversations.json' }]), /outside of its folder/],
  'a name of Windows that leads out': [
    () => rawZip([{ ...text(plain), name: 'a\\..\\..\\b.json' }]),
    /outside of its folder/,
  ],
  'a link': [
    () => rawZip([{ name: 'conversations.json', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]),
    /link/,
  ],
  'two files of one name': [() => rawZip([text(plain), text(plain)]), /two files named conversations\.json/],
  'an encrypted file': [
    () => rawZip([{ ...text(plain), flags: 1, packed: deflateRawSync(plain) }]),
    /encrypted.*without a password/,
  ],
  'an archive that is cut off': [
    async () => (await zipOf({ 'conversations.json': plain.repeat(50) })).subarray(0, 400),
    /cut off.*again/,
  ],
  'bytes in the midst that are lost': [
    async () => {
      const whole = await zipOf({
        'conversations.json': JSON.stringify(
          Array.from({ length: 400 }, (_, n) =>
            chatGptConversation(`c${n}`, `T ${Math.sin(n)}`, spoken(`${Math.cos(n)}`)),
          ),
        ),
      });
      whole.fill(0x5a, 300, 1500);
      return whole;
    },
    /damaged/,
  ],
  'an empty file': [() => Buffer.alloc(0), /empty/],
  'an archive without files': [() => zipOf({}), /no files/],
  'no archive at all': [() => Buffer.from('GIF89a…'), /Nothing to import.*ChatGPT/],
  'nothing that is known': [() => zipOf({ 'a.json': { weather: 'fine' } }), /Nothing to import/],
  'no conversations': [() => zipOf({ 'conversations.json': [] }), /Nothing to import/],
  'Latin-1': [
    () => rawZip([{ name: 'conversations.json', content: Buffer.from(plain.replace('Hello?', 'Grüße'), 'latin1') }]),
    /UTF-8/,
  ],
  'JSON that is cut off': [() => zipOf({ 'conversations.json': plain.slice(0, -40) }), /cut off/],
  'JSON with a tail': [() => zipOf({ 'conversations.json': `${plain}]` }), /damaged/],
  'JSON with a comma too many': [() => zipOf({ 'conversations.json': `${plain.slice(0, -1)},]` }), /damaged/],
  'JSON a hundred thousand levels deep': [
    () => zipOf({ 'conversations.json': `[{"mapping":${'['.repeat(100_000)}` }),
    /within each other/,
  ],
  'a text of 20 MB in JSON': [() => rawZip([text(`[{"mapping":{},"title":"${noise(20 * mb)}"}]`)]), /more than 16 MB/],
  'a name twice in an object': [
    () => zipOf({ 'conversations.json': plain.replace('"title":', '"title":"Other","title":') }),
    /"title" twice/,
  ],
};

/** Text that packs badly, so that it is no bomb. */
function noise(length: number): string {
  let [seed, made] = [7, ''];
  while (made.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    made += seed.toString(36);
  }
  return made.slice(0, length);
}

it.each(Object.entries(corpus))('%s ends as Failed', async (_, [make, message]) => {
  const { read, review, call, data } = importsOf(server);
  const done = await read(await make());
  expect(done).toMatchObject({
    statusId: 'Failed',
    errorMessage: expect.stringMatching(message),
    conversationCount: 0,
  });
  expect(readdirSync(join(server.config.dataDir, 'imports'))).toEqual([]);
  expect(await review(done.id)).toMatchObject({ conversations: [], items: [] });
  // One that has failed may come again, and goes.
  await data(call('DELETE', `/${done.id}`));
});

it('names do no harm that mean something to JavaScript', async () => {
  const { read, review } = importsOf(server);
  const odd = plain.replace(
    '"title":"Fine"',
    '"title":"Fine","__proto__":{"polluted":true},"constructor":{"prototype":1}',
  );
  const done = await read(await zipOf({ 'conversations.json': odd }));
  expect((await review(done.id)).conversations).toMatchObject([{ title: 'Fine', messageCount: 2 }]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
