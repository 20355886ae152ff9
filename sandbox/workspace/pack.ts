// Downloads of many files: a folder as a zip or tar stream.
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack as tarPack } from 'tar-stream';
import { ZipFile } from 'yazl';
import type { FileInfo } from '../../src/ports/files.ts';
import type { Files } from './files.ts';
import type { FileBytes } from './read-files.ts';

export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz';

const mostEntries = 1_000_000;

/** A folder's files as an archive, made while it is read. Links are left out: where they lead is not known to be inside. */
export async function* packFolder(files: Files, path: string, format: ArchiveFormat): AsyncGenerator<Uint8Array> {
  const entries = await files.list({ path, isRecursive: true, limit: mostEntries });
  const prefix = path === '' ? '' : `${(await files.info(path)).path}/`;
  const named = entries.map((entry) => ({ entry, name: entry.path.slice(prefix.length) }));
  const stream = format === 'zip' ? zip(files, named) : tar(files, named, format === 'tar.gz');
  for await (const chunk of stream) yield chunk as Uint8Array;
}

interface Named {
  entry: FileInfo;
  /** Name in the archive. */
  name: string;
}

function zip(files: Files, named: Named[]): Readable {
  const archive = new ZipFile();
  for (const { entry, name } of named) {
    const mtime = new Date(entry.modifiedAtUtc);
    if (entry.isDirectory) archive.addEmptyDirectory(name, { mtime });
    else {
      archive.addReadStreamLazy(name, { mtime, mode: 0o100644 }, (done) => {
        files.openBytes(entry.path).then(
          (file) => done(null, Readable.from(file.body)),
          // Deleted since it was listed.
          () => done(null, Readable.from([])),
        );
      });
    }
  }
  archive.end();
  return Readable.from(archive.outputStream);
}

function tar(files: Files, named: Named[], isCompressed: boolean): Readable {
  const archive = tarPack();
  fillTar(files, archive, named).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  if (!isCompressed) return Readable.from(archive);
  const gzip = createGzip();
  archive.on('error', (error: Error) => gzip.destroy(error));
  return archive.pipe(gzip);
}

async function fillTar(files: Files, archive: Pack, named: Named[]): Promise<void> {
  for (const { entry, name } of named) {
    const mtime = new Date(entry.modifiedAtUtc);
    if (entry.isDirectory) {
      archive.entry({ name: `${name}/`, type: 'directory', mtime });
      continue;
    }
    const file = await files.openBytes(entry.path).catch(() => null);
    if (!file) continue;
    // The library's own stream type differs from Node's in its types alone.
    const target = archive.entry({ name, size: file.sizeBytes, mtime, mode: 0o644 }) as unknown as Writable;
    await pipeline(filledUp(file), target);
  }
}

/** The header promised a size; a file that shrank meanwhile is filled up. */
async function* filledUp({ body, sizeBytes }: FileBytes): AsyncGenerator<Uint8Array> {
  let left = sizeBytes;
  for await (const chunk of body) {
    left -= chunk.length;
    yield chunk;
  }
  while (left > 0) {
    const filler = Buffer.alloc(Math.min(left, 65536));
    left -= filler.length;
    yield filler;
  }
}
