// The files of a ZIP, by their names.
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

export async function filesOf(zip: Buffer): Promise<Record<string, string>> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true });
  const files: Record<string, string> = {};
  for await (const entry of archive.eachEntry())
    files[entry.fileName] = (await buffer(await archive.openReadStreamPromise(entry))).toString('utf8');
  return files;
}
