// Collects log lines as bytes, so that many leave in one write: under load the writes would cost more than the lines.

/** Where bytes go, in order; `write` returns before they are there. */
export interface ByteSink {
  write(bytes: Buffer): unknown;
  /** Returns when every byte is written. */
  flushSync(): void;
}

const chunkBytes = 64 * 1024;
/** No character of a string takes more bytes in UTF-8. */
const bytesPerUnit = 3;

/** A destination of log lines; a line waits `waitMs` for others at most. */
export function collectLines(sink: ByteSink, waitMs: number) {
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let start = 0;
  let end = 0;
  let timer: NodeJS.Timeout | null = null;

  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (end > start) sink.write(chunk.subarray(start, end));
    start = end;
  };

  return {
    write: (line: string): void => {
      if (line.length * bytesPerUnit > chunk.length - end) {
        flush();
        chunk = Buffer.allocUnsafe(Math.max(chunkBytes, line.length * bytesPerUnit));
        start = 0;
        end = 0;
      }
      end += chunk.write(line, end, 'utf8');
      timer ??= setTimeout(flush, waitMs).unref();
    },
    flushSync: (): void => {
      flush();
      sink.flushSync();
    },
  };
}
