// Transcript of a command's output for a model: its beginning and end, with the number of characters left out between.

export interface Transcript {
  add(bytes: Uint8Array): void;
  text(): string;
  /** Whether the text is empty or ends with a line break. */
  endsLine(): boolean;
}

/** Keeps at most `limit` characters: a quarter from the beginning, the rest from the end, where errors tend to be. */
export function createTranscript(limit: number): Transcript {
  const decoder = new TextDecoder();
  const headSize = Math.floor(limit / 4);
  const tailSize = limit - headSize;
  let head = '';
  let tail = '';
  let dropped = 0;
  return {
    add: (bytes) => {
      let text = decoder.decode(bytes, { stream: true });
      const room = headSize - head.length;
      if (room > 0) {
        head += text.slice(0, room);
        text = text.slice(room);
      }
      tail += text;
      // Cut now and then, not at every piece.
      if (tail.length > 2 * tailSize) {
        dropped += tail.length - tailSize;
        tail = tail.slice(-tailSize);
      }
    },
    text: () => {
      const left = dropped + Math.max(0, tail.length - tailSize);
      return left === 0 ? head + tail : `${head}\n[… ${left} characters left out …]\n${tail.slice(-tailSize)}`;
    },
    endsLine: () => {
      const all = tail || head;
      return all === '' || all.endsWith('\n');
    },
  };
}
