// WebSocket text frames as they go over the wire: a server's are not masked, so that all clients get the same bytes.

/** First byte of a whole text message (FIN and opcode, RFC 6455 §5.2). */
const wholeText = 0x81;
/** Payload lengths from here on stand in two and in eight bytes after the head. */
const [twoBytes, eightBytes] = [126, 65_536];

const made = new WeakMap<readonly Uint8Array[], Buffer>();

/** All messages framed, in one piece; made once for each list, which must not change. */
export function framesOf(messages: readonly Uint8Array[]): Buffer {
  const known = made.get(messages);
  if (known) return known;
  let size = 0;
  for (const { length } of messages) size += headBytes(length) + length;
  // A buffer of its own: a slice of Node's pool would keep the whole pool in memory for a client that does not read.
  const frames = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const message of messages) {
    at = writeHead(frames, at, message.length);
    frames.set(message, at);
    at += message.length;
  }
  made.set(messages, frames);
  return frames;
}

const headBytes = (length: number): number => (length < twoBytes ? 2 : length < eightBytes ? 4 : 10);

/** Writes the head of a frame; answers where its payload begins. */
function writeHead(frames: Buffer, at: number, length: number): number {
  frames[at] = wholeText;
  if (length < twoBytes) {
    frames[at + 1] = length;
    return at + 2;
  }
  if (length < eightBytes) {
    frames[at + 1] = 126;
    return frames.writeUInt16BE(length, at + 2);
  }
  frames[at + 1] = 127;
  return frames.writeBigUInt64BE(BigInt(length), at + 2);
}
