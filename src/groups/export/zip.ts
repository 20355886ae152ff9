// A ZIP whose files are made while they are sent, one after the other.
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  name: string;
  /** Called when its turn has come. */
  open(): AsyncIterable<Uint8Array>;
}

/** The bytes of the archive; whoever stops reading stops the making. */
export async function* zipOf(entries: readonly ZipEntry[], at: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as unknown as Readable;
  const open: Readable[] = [];
  zip.on('error', (error: Error) => void output.destroy(error));
  for (const { name, open: read } of entries)
    zip.addReadStreamLazy(name, { mtime: at }, (give) => {
      const stream = Readable.from(read());
      open.push(stream);
      give(null, stream);
    });
  zip.end();
  try {
    for await (const bytes of output) yield bytes as Uint8Array;
  } finally {
    for (const stream of open) stream.destroy();
  }
}
