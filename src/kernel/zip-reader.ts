// Zip files entry by entry, as an async iterable over yauzl's callbacks; and what tells of a file and of names in it.
import { open as openFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { open, type Entry as ZipEntry, type ZipFile } from 'yauzl';

export interface ZipItem {
  name: string;
  isFile: boolean;
  isFolder: boolean;
  isLink: boolean;
  isEncrypted: boolean;
  /** Bytes in the archive, and as many as it says that they unpack to. */
  packedBytes: number;
  bytes: number;
  /** The unpacked bytes; an error if there are more than the archive says. */
  open(): Promise<Readable>;
}

export interface ZipReader {
  entryCount: number;
  entries(): AsyncGenerator<ZipItem>;
  close(): void;
}

/** Opens a zip file. Rejects when it is none. */
export function openZip(path: string): Promise<ZipReader> {
  return new Promise((resolve, reject) => {
    // Names that lead out are for the caller to judge, not a reason to refuse the whole archive.
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, decodeStrings: false } as const;
    open(path, options, (error, archive) => {
      if (error) reject(error);
      else resolve({ entryCount: archive.entryCount, entries: () => entries(archive), close: () => archive.close() });
    });
  });
}

async function* entries(archive: ZipFile): AsyncGenerator<ZipItem> {
  for (let entry = await next(archive); entry; entry = await next(archive)) yield item(archive, entry);
}

function next(archive: ZipFile): Promise<ZipEntry | null> {
  return new Promise((resolve, reject) => {
    const listeners = {
      entry: (entry: ZipEntry) => settle(() => resolve(entry)),
      end: () => settle(() => resolve(null)),
      error: (error: Error) => settle(() => reject(error)),
    };
    const settle = (finish: () => void) => {
      for (const [event, listener] of Object.entries(listeners)) archive.removeListener(event, listener);
      finish();
    };
    for (const [event, listener] of Object.entries(listeners)) archive.once(event, listener);
    archive.readEntry();
  });
}

/** Unix file type in the upper half of the external attributes; 0 where another system made the archive. */
const typeMask = 0o170000;
const regularFile = 0o100000;
const symbolicLink = 0o120000;

function item(archive: ZipFile, entry: ZipEntry): ZipItem {
  const name = Buffer.from(entry.fileName as unknown as Uint8Array).toString();
  const type = (entry.externalFileAttributes >>> 16) & typeMask;
  const isFolder = name.endsWith('/');
  return {
    name,
    isFolder,
    isFile: !isFolder && (type === 0 || type === regularFile),
    isLink: type === symbolicLink,
    isEncrypted: entry.isEncrypted(),
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    open: () =>
      new Promise((resolve, reject) => {
        archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
      }),
  };
}

/** Whether a file begins as a ZIP with files in it does. */
export const isZip = (head: Buffer): boolean => head.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';

export async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await openFile(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether the name of an entry stands for a place outside of the folder that it is unpacked to. */
export const leadsOut = (name: string): boolean => /^([/\\]|[a-z]:)/i.test(name) || name.split(/[/\\]/).includes('..');

/** The name of an entry as messages show it. */
export const shortName = (name: string): string => name.replaceAll(/[^\P{C}]/gu, '').slice(-100);
