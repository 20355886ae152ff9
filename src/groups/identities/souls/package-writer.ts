// Writes a packaged soul: a ZIP with soul.json, which says what is in it, and SOUL.md, which holds all of it.
import { ZipFile } from 'yazl';
import type { FileReply } from '../../../contract/replies.ts';
import type { Soul } from './soul.ts';

/** The version of the package's layout that soul.json speaks. */
const specVersion = '0.5';
/** The same soul has the same bytes, whenever it is written; the year that the times of ZIPs begin with. */
const written = new Date(1980, 0, 1);

export function soulPackage(soul: Soul, markdown: string, tags: readonly string[]): FileReply {
  const about = {
    specVersion,
    name: soul.name,
    displayName: soul.displayName,
    version: '1.0.0',
    description: (soul.bio ?? soul.displayName).replaceAll(/\s+/g, ' ').slice(0, 500),
    tags,
    files: { soul: 'SOUL.md' },
  };
  const zip = new ZipFile();
  const options = { mtime: written };
  zip.addBuffer(Buffer.from(`${JSON.stringify(about, null, 2)}\n`), 'soul.json', options);
  zip.addBuffer(Buffer.from(markdown), 'SOUL.md', options);
  zip.end();
  const body = zip.outputStream as unknown as AsyncIterable<Uint8Array>;
  const fileName = `${soul.name.replaceAll(' ', '-')}.soul.zip`;
  return { kind: 'file', mediaType: 'application/zip', fileName, body };
}
