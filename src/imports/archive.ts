// The files of an archive, one after the other, after all of them were looked at: nothing is unpacked of one that is made
// to do harm.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../kernel/fault.ts';
import { firstBytes, isZip, leadsOut, openZip, shortName, type ZipItem } from '../kernel/zip-reader.ts';
import { broken } from './broken.ts';
import { limits } from './limits.ts';

export interface ArchiveFile {
  name: string;
  /** The bytes, of which no more come than the archive says. */
  read(): AsyncIterable<Buffer>;
}

/** What is left of what an archive may have, over all archives in it. */
interface Budget {
  entries: number;
  total: number;
  read: number;
}

const smaller = 'Upload the conversations alone, or ask for an export of less.';
const bomb = () =>
  broken('The archive unpacks to far more than it should, as archives do that are made to do harm.', smaller);

/**
 * The files of a ZIP and of the ZIPs in it, or the file itself where it is no ZIP. Leave the loop at any time.
 *
 * @param scratch - folder for archives within the archive, each for as long as it is read
 * @throws Fault VALIDATION_FAILED
 */
export function archiveFiles(path: string, fileName: string, scratch: string): AsyncGenerator<ArchiveFile, void, void> {
  return filesOf(path, fileName, scratch, 0, {
    entries: limits.entries,
    total: limits.totalBytes,
    read: limits.readBytes,
  });
}

async function* filesOf(path: string, name: string, scratch: string, depth: number, budget: Budget) {
  const [head, { size }] = [await firstBytes(path, 4), await stat(path)];
  if (size === 0) throw broken('The file is empty.');
  if (!isZip(head)) {
    if (head.subarray(0, 4).toString('latin1') === 'PK\u0005\u0006') throw broken('The archive has no files in it.');
    yield { name, read: () => counted(createReadStream(path), budget) };
    return;
  }
  await inspect(path, size, budget);
  const zip = await opened(path);
  try {
    for await (const item of zip.entries()) {
      if (!item.isFile) continue;
      if (!/\.zip$/i.test(item.name)) yield { name: item.name, read: () => unpacked(item, budget) };
      else yield* nested(item, scratch, depth, budget);
    }
  } catch (error) {
    throw error instanceof Fault ? error : damaged(error);
  } finally {
    zip.close();
  }
}

const damaged = (cause: unknown) =>
  broken('The archive is damaged or cut off.', 'Download it again, and upload it whole.', cause);
const opened = (path: string) => openZip(path).catch((cause) => Promise.reject(damaged(cause)));

async function* nested(item: ZipItem, scratch: string, depth: number, budget: Budget): AsyncGenerator<ArchiveFile> {
  if (depth >= limits.nesting)
    throw broken('The archive has archives in archives.', 'Unpack it, and upload the archives that it has one by one.');
  const path = join(scratch, `inner-${depth}.zip`);
  try {
    await pipeline(unpacked(item, budget), createWriteStream(path, { mode: 0o600 }));
    for await (const file of filesOf(path, item.name, scratch, depth + 1, budget))
      yield { ...file, name: `${item.name}/${file.name}` };
  } finally {
    await rm(path, { force: true });
  }
}

/** Looks at every file's entry before any is unpacked. @throws Fault VALIDATION_FAILED */
async function inspect(path: string, size: number, budget: Budget): Promise<void> {
  const zip = await opened(path);
  try {
    budget.entries -= zip.entryCount;
    if (budget.entries < 0) throw broken(`The archive has more than ${limits.entries} files.`, smaller);
    const names = new Set<string>();
    let packed = 0;
    for await (const item of zip.entries()) {
      requireHarmless(item, names);
      names.add(keyOf(item.name));
      packed += item.packedBytes;
      budget.total -= item.bytes;
      // Files that share their bytes.
      if (packed > size || budget.total < 0) throw bomb();
    }
  } catch (error) {
    throw error instanceof Fault ? error : damaged(error);
  } finally {
    zip.close();
  }
}

/** What tells names apart, in the memory of a short one. */
const keyOf = (name: string): string =>
  name.length <= 64 ? name : createHash('sha256').update(name).digest('base64url');

function requireHarmless({ name, bytes, packedBytes, isLink, isEncrypted }: ZipItem, names: ReadonlySet<string>): void {
  if (leadsOut(name) || name.includes('\0'))
    throw broken('A file of the archive lies outside of its folder, as in archives that are made to do harm.');
  if (isLink)
    throw broken('The archive has a link in it.', 'Pack the files themselves in place of links, and upload that.');
  if (isEncrypted)
    throw broken('The archive is encrypted.', 'Unpack it, pack it again without a password, and upload that.');
  if (name.length > limits.nameLength)
    throw broken(`A file of the archive has a name of more than ${limits.nameLength} characters.`);
  if (names.has(keyOf(name)))
    throw broken(`The archive has two files named ${shortName(name)}, so what it says is not clear.`);
  if (bytes > limits.ratioFromBytes && bytes > packedBytes * limits.ratio) throw bomb();
}

async function* unpacked(item: ZipItem, budget: Budget): AsyncGenerator<Buffer, void, void> {
  const stream = await item.open().catch((cause) => Promise.reject(damaged(cause)));
  try {
    yield* counted(stream as AsyncIterable<Buffer>, budget);
  } catch (error) {
    throw error instanceof Fault ? error : damaged(error);
  } finally {
    stream.destroy();
  }
}

async function* counted(stream: AsyncIterable<Buffer>, budget: Budget): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of stream) {
    budget.read -= chunk.length;
    if (budget.read < 0) throw bomb();
    yield chunk;
  }
}
