// Decoder of a stream's bytes into text pieces that cuts no character and loses no byte.

export interface TextPiece {
  /** Text to show; invalid UTF-8 appears as U+FFFD. */
  text: string;
  /** Exact bytes, only where the text cannot restore them. */
  base64: string | null;
}

export interface TextSplitter {
  /** Text of the bytes so far; a character cut at the end waits for its rest. Null when nothing is complete. */
  write(bytes: Uint8Array): TextPiece | null;
  /** Rest at the end of the stream. */
  end(): TextPiece | null;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

export function createTextSplitter(): TextSplitter {
  let held: Uint8Array = new Uint8Array();
  const piece = (bytes: Uint8Array): TextPiece | null => {
    if (bytes.length === 0) return null;
    try {
      return { text: strict.decode(bytes), base64: null };
    } catch {
      return { text: lossy.decode(bytes), base64: Buffer.from(bytes).toString('base64') };
    }
  };
  return {
    write: (bytes) => {
      const all = held.length > 0 ? Buffer.concat([held, bytes]) : bytes;
      const complete = all.length - cutCharacter(all);
      held = all.slice(complete);
      return piece(all.subarray(0, complete));
    },
    end: () => {
      const rest = held;
      held = new Uint8Array();
      return piece(rest);
    },
  };
}

/** Number of bytes at the end that begin an incomplete UTF-8 character (RFC 3629): 0 to 3. */
function cutCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    return byte <= 0b1111_0100 && length > back ? back : 0;
  }
  return 0;
}
