// Reads many objects of a git store through one process.
import { once } from 'node:events';
import { type GitPlace, startGit } from './git.ts';

export interface BlobReader {
  /** Content of an object; null when the store lacks it. */
  read(id: string): Promise<Buffer | null>;
  close(): void;
}

/** `git cat-file --batch`: one request, one answer, in turn. */
export function openBlobs(place: GitPlace): BlobReader {
  const child = startGit(place, ['cat-file', '--batch']);
  let buffered = Buffer.alloc(0);
  let isOver = false;
  let wake = () => {};
  child.stdout.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    wake();
  });
  child.on('error', () => {
    isOver = true;
    wake();
  });
  child.stdout.on('close', () => {
    isOver = true;
    wake();
  });
  child.stdin.on('error', () => {});
  const more = () =>
    new Promise<void>((resolve, reject) => {
      if (isOver) return reject(new Error('git cat-file ended early.'));
      wake = resolve;
    });
  const take = async (size: number) => {
    while (buffered.length < size) await more();
    const taken = buffered.subarray(0, size);
    buffered = buffered.subarray(size);
    return taken;
  };
  const takeLine = async () => {
    while (!buffered.includes(0x0a)) await more();
    return (await take(buffered.indexOf(0x0a) + 1)).toString().trim();
  };
  return {
    read: async (id) => {
      if (!child.stdin.write(`${id}\n`)) await once(child.stdin, 'drain');
      const header = await takeLine();
      const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(header)?.[1];
      if (size === undefined) return null;
      const content = Buffer.from(await take(Number(size)));
      await take(1);
      return content;
    },
    close: () => child.stdin.end(),
  };
}
