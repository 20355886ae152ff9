// Reader of git objects through one process, streamed and never held as a whole.
import { once } from 'node:events';
import { type GitPlace, startGit } from './git.ts';

export interface BlobReader {
  /**
   * Content of an object; null when the store lacks it. It must be read to its end before the next one is asked for.
   */
  read(id: string): Promise<AsyncIterable<Uint8Array> | null>;
  close(): void;
}

/** Opens `git cat-file --batch`: one request, one answer, in turn. */
export function openBlobs(place: GitPlace): BlobReader {
  const { input, output, end } = startGit(place, ['cat-file', '--batch']);
  const answers = readAnswers(output);
  return {
    read: async (id) => {
      if (!input.write(`${id}\n`)) await once(input, 'drain');
      const header = await answers.line();
      const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(header)?.[1];
      return size === undefined ? null : answers.content(Number(size));
    },
    close: () => {
      input.end();
      end();
    },
  };
}

/** Parses answers without copying: bytes are passed on in the pieces in which they arrived. */
export function readAnswers(output: AsyncIterable<Buffer>) {
  const pieces = output[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const take = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const next = await pieces.next();
      if (next.done) throw new Error('git cat-file ended early.');
      rest = next.value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  };
  return {
    line: async (): Promise<string> => {
      let text = '';
      for (;;) {
        const piece = await take(Number.POSITIVE_INFINITY);
        const at = piece.indexOf(0x0a);
        text += piece.toString('latin1', 0, at < 0 ? piece.length : at);
        if (at < 0) continue;
        rest = piece.subarray(at + 1);
        return text;
      }
    },
    /** Bytes of an object; the line end after it is consumed. */
    content: async function* (size: number): AsyncGenerator<Uint8Array> {
      for (let left = size; left > 0; ) {
        const piece = await take(left);
        left -= piece.length;
        yield piece;
      }
      await take(1);
    },
  };
}
