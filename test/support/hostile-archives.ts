// Archives that are made to do harm, or are broken, each with what the message about it must say.
import { deflateRawSync } from 'node:zlib';
import { chatGptConversation, spoken, zipOf } from './archives.ts';
import { rawZip } from './raw-zip.ts';

const fine = chatGptConversation('c1', 'Fine', spoken('Hello?', 'Hello.'));
export const plain = JSON.stringify([fine]);
const text = (content: string) => ({ name: 'conversations.json', content: Buffer.from(content) });
const mb = 2 ** 20;

export const hostileArchives: Record<string, readonly [() => Buffer | Promise<Buffer>, RegExp]> = {
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
  'more files than any export has': [
    () => sayingToHave(100_001, rawZip([text(plain)])),
    /more than 100000 files.*Upload/,
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
  'a name that no disk has': [
    () => rawZip([{ ...text(plain), name: `${'a/'.repeat(5000)}conversations.json` }]),
    /name of more than 4096/,
  ],
  'two long files of one name': [
    () => {
      const name = `${'long/'.repeat(30)}conversations.json`;
      return rawZip([
        { ...text(plain), name },
        { ...text(plain), name },
      ]);
    },
    /two files named/,
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
  'JSON that is cut off between two conversations': [
    () => zipOf({ 'conversations.json': plain.slice(0, -1) }),
    /cut off/,
  ],
  'JSON with a tail': [() => zipOf({ 'conversations.json': `${plain}]` }), /damaged/],
  'JSON with a comma too many': [() => zipOf({ 'conversations.json': `${plain.slice(0, -1)},]` }), /damaged/],
  'JSON a hundred thousand levels deep': [
    () => zipOf({ 'conversations.json': `[{"mapping":${'['.repeat(100_000)}` }),
    /within each other/,
  ],
  'a text of 20 MB in JSON': [
    () => rawZip([text(`[{"mapping":{},"title":"${'x'.repeat(20 * mb)}"}]`)]),
    /more than 16 MB/,
  ],
  'one object of 80 MB': [
    () => rawZip([text(`{"title":[${`"${'x'.repeat(1000)}",`.repeat(80 * 1050)}0]}`)]),
    /one object that is too large/,
  ],
  'a name twice in an object': [
    () => zipOf({ 'conversations.json': plain.replace('"title":', '"title":"Other","title":') }),
    /"title" twice/,
  ],
};

/** The archive with a directory that says to have so many files, as archives of more than 65,535 say it. */
function sayingToHave(count: number, zip: Buffer): Buffer {
  const [end, rest] = [zip.subarray(-22), zip.subarray(0, -22)];
  const directory = Buffer.alloc(56);
  directory.write('PK\u0006\u0006', 'latin1');
  directory.writeBigUInt64LE(44n, 4);
  directory.writeBigUInt64LE(BigInt(count), 24);
  directory.writeBigUInt64LE(BigInt(count), 32);
  directory.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  directory.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\u0006\u0007', 'latin1');
  locator.writeBigUInt64LE(BigInt(rest.length), 8);
  locator.writeUInt32LE(1, 16);
  const last = Buffer.from(end);
  last.writeUInt16LE(0xffff, 8);
  last.writeUInt16LE(0xffff, 10);
  return Buffer.concat([rest, directory, locator, last]);
}
