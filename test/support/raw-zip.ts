// ZIPs byte by byte, for what no library would write.
import { crc32 } from 'node:zlib';

export interface RawEntry {
  name: string;
  content: Buffer;
  /** Bytes that it says to unpack to. */
  bytes?: number;
  /** General purpose flags; 1 is encrypted. */
  flags?: number;
  /** Unix mode with the file's type. */
  mode?: number;
  /** Deflated bytes in place of the content as it is. */
  packed?: Buffer;
  /** Number of the entry whose bytes it shares. */
  at?: number;
}

export function rawZip(entries: readonly RawEntry[]): Buffer {
  const [locals, directory]: [Buffer[], Buffer[]] = [[], []];
  const offsets: number[] = [];
  let offset = 0;
  for (const [number, entry] of entries.entries()) {
    const stored = entry.packed ?? entry.content;
    const name = Buffer.from(entry.name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(entry.flags ?? 0, 2);
    about.writeUInt16LE(entry.packed ? 8 : 0, 4);
    about.writeUInt32LE(crc32(stored), 10);
    about.writeUInt32LE(stored.length, 14);
    about.writeUInt32LE(entry.bytes ?? entry.content.length, 18);
    about.writeUInt16LE(name.length, 22);
    if (entry.at === undefined || entry.at === number) {
      offsets[number] = offset;
      const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), about, name, stored]);
      locals.push(local);
      offset += local.length;
    } else offsets[number] = offsets[entry.at] as number;
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offsets[number] as number, 10);
    // Made on Unix, so that the mode counts.
    directory.push(Buffer.from('PK\u0001\u0002', 'latin1'), Buffer.from([20, 3]), about, rest, name);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, listed, Buffer.from('PK\u0005\u0006', 'latin1'), end]);
}
