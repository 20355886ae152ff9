// Uploads of many files: an archive's content into a workspace, with every guard against hostile archives.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Fault, toFault } from '../../src/kernel/fault.ts';
import { openZip } from '../../src/kernel/zip-reader.ts';
import type { Files } from './files.ts';
import type { ArchiveFormat } from './pack.ts';

export interface UnpackLimits {
  /** Bytes after unpacking. */
  bytes: number;
  files: number;
}

export interface Unpacked {
  files: number;
  bytes: number;
  /** Entries that were not taken: links, devices, names that lead out. */
  skipped: string[];
}

/** Headers of an archive may be this long before something is wrong with it. */
const headerBytes = 1024 * 1024;

/**
 * Writes an archive's files below a folder; existing files are replaced. Throws Fault IMPORT_UNSUPPORTED for a broken
 * archive, PAYLOAD_TOO_LARGE or QUOTA_EXCEEDED for one that is too large.
 */
export async function unpackInto(
  files: Files,
  folder: string,
  format: ArchiveFormat,
  source: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
): Promise<Unpacked> {
  const state: Unpacked = { files: 0, bytes: 0, skipped: [] };
  const take = async (name: string, body: AsyncIterable<Uint8Array>) => {
    state.files += 1;
    if (state.files > limits.files) throw tooLarge(`more than ${limits.files} files`);
    const path = folder === '' ? name : `${folder}/${name}`;
    await files.write(path, counted(body, state, limits));
  };
  try {
    await (format === 'zip' ? unpackZip(source, take, state, limits) : unpackTar(source, format, take, state));
    return state;
  } catch (error) {
    if (toFault(error).code !== 'INTERNAL_ERROR' || isOwnFailure(error)) throw error;
    throw new Fault('IMPORT_UNSUPPORTED', 'The archive can’t be read.', {
      hint: 'Upload a zip, tar or tar.gz file that other programs can open.',
      cause: error,
    });
  }
}

type Take = (name: string, body: AsyncIterable<Uint8Array>) => Promise<void>;

/** Errors of the system, such as a full disk, are not the archive's fault. */
const isOwnFailure = (error: unknown) => /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '');

const tooLarge = (what: string) =>
  new Fault('PAYLOAD_TOO_LARGE', `The archive holds ${what}.`, { hint: 'Upload it in parts.' });

async function* counted(body: AsyncIterable<Uint8Array>, state: Unpacked, limits: UnpackLimits) {
  for await (const chunk of body) {
    state.bytes += chunk.length;
    if (state.bytes > limits.bytes) throw tooLarge(`more than ${limits.bytes} bytes`);
    yield chunk;
  }
}

/** True for a name that stays inside; `Files` would refuse it too, but one bad name should not end the upload. */
function isUsable(name: string): boolean {
  const parts = name.split('/');
  return !name.startsWith('/') && !/[\\\0]/.test(name) && !parts.some((part) => part === '..' || /^\.git$/i.test(part));
}

async function unpackTar(source: AsyncIterable<Uint8Array>, format: ArchiveFormat, take: Take, state: Unpacked) {
  const archive = extract();
  let fed = 0;
  let delivered = 0;
  // Long names are headers of any length, which the reader gathers in memory.
  const guard = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      fed += chunk.length;
      if (fed - delivered > headerBytes) throw new Error('The headers are too long.');
      yield chunk;
    }
  };
  const unpacked = format === 'tar.gz' ? Readable.from(source).pipe(createGunzip()) : Readable.from(source);
  const feeding = pipeline(unpacked, guard, archive);
  feeding.catch((error: Error) => archive.destroy(error));
  for await (const entry of archive) {
    const { name, type } = entry.header;
    const body = (async function* () {
      for await (const chunk of entry as AsyncIterable<Uint8Array>) {
        delivered += chunk.length;
        yield chunk;
      }
    })();
    delivered += 512;
    if (type === 'file' && isUsable(name)) await take(name, body);
    else {
      if (type !== 'directory') state.skipped.push(name.slice(0, 200));
      for await (const _ of body) delivered += 0;
    }
  }
  await feeding;
}

async function unpackZip(source: AsyncIterable<Uint8Array>, take: Take, state: Unpacked, limits: UnpackLimits) {
  const path = join(tmpdir(), `rivulet-upload-${randomUUID()}.zip`);
  try {
    // A zip's directory is at its end, so it has to be on disk first.
    const received: Unpacked = { files: 0, bytes: 0, skipped: [] };
    await pipeline(counted(source, received, limits), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    const archive = await openZip(path);
    try {
      if (archive.entryCount > limits.files) throw tooLarge(`${archive.entryCount} entries`);
      for await (const entry of archive.entries()) {
        if (entry.isFolder) continue;
        if (!entry.isFile || !isUsable(entry.name)) state.skipped.push(entry.name.slice(0, 200));
        else await take(entry.name, await entry.open());
      }
    } finally {
      archive.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}
