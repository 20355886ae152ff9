// Detects at the start that the write-ahead log lacks frames that were synced: SQLite drops them silently.
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { Fault } from '../../kernel/fault.ts';

/** Path of the file that records the state of the log at its last fsync. */
export const guardFile = (database: string) => `${database}-synced`;

const recordBytes = 12;
const headerBytes = 32;
const frameHeaderBytes = 24;
/** In the shared memory of the log (https://www.sqlite.org/walformat.html): newest frame and salts. */
const shmBytes = 40;
const shmFrame = 16;
const shmSalts = 32;

export interface WalGuard {
  /** Present state of the log; pass it to `note` after an fsync that began later. */
  position(): Buffer | null;
  note(position: Buffer | null): void;
  /** Called when the log is removed by a regular close. */
  clear(): void;
  close(): void;
}

/** Records salts and frames of the log beside the database: 12 bytes for each fsync, which need no fsync of their own. */
export function createWalGuard(database: string): WalGuard {
  let shm: number | null = null;
  let record: number | null = null;
  const buffer = Buffer.alloc(shmBytes);
  return {
    position() {
      try {
        shm ??= openSync(`${database}-shm`, 'r');
        if (readSync(shm, buffer, 0, shmBytes, 0) < shmBytes) return null;
      } catch {
        return null;
      }
      return Buffer.concat([buffer.subarray(shmSalts, shmSalts + 8), buffer.subarray(shmFrame, shmFrame + 4)]);
    },
    note(position) {
      if (!position) return;
      record ??= openSync(guardFile(database), 'w', 0o600);
      writeSync(record, position, 0, recordBytes, 0);
    },
    clear() {
      if (record !== null) closeSync(record);
      record = null;
      rmSync(guardFile(database), { force: true });
    },
    close() {
      for (const file of [shm, record]) if (file !== null) closeSync(file);
      shm = null;
      record = null;
    },
  };
}

/**
 * Compares the log with its record; call it before the database is opened.
 *
 * @throws Fault STORE_UNAVAILABLE when it lacks frames that were on the disk
 */
export function checkWal(database: string): void {
  const file = guardFile(database);
  if (!existsSync(file)) return;
  const noted = readFileSync(file);
  if (noted.length < recordBytes) return;
  const frames = noted.readUInt32LE(8);
  if (frames === 0) return;
  const log = `${database}-wal`;
  const hasLog = existsSync(log);
  // Another program, such as sqlite3, moves a log into the database when it closes it.
  if (!hasLog && statSync(database).mtimeMs > statSync(file).mtimeMs) return;
  const wal = hasLog ? readFileSync(log) : Buffer.alloc(0);
  const isWhole = wal.length >= headerBytes && isHeader(wal);
  // A log with other salts was begun later: the former one is in the database.
  if (isWhole && !wal.subarray(16, 24).equals(noted.subarray(0, 8))) return;
  const left = isWhole ? validFrames(wal, frames) : 0;
  if (left >= frames) return;
  throw new Fault(
    'STORE_UNAVAILABLE',
    `The database has lost writes that were acknowledged: its log ${log} is damaged or was removed (${left} of ${frames} pages are left).`,
    {
      hint: `Put the log back if you have it, or restore a backup (see docs/operations.md). To go on with what is left, delete ${file}.`,
    },
  );
}

const isLittleEndian = (wal: Buffer) => wal.readUInt32BE(0) === 0x377f0682;

function isHeader(wal: Buffer): boolean {
  const magic = wal.readUInt32BE(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return false;
  const [a, b] = checksum(wal, 0, 24, [0, 0], isLittleEndian(wal));
  return a === wal.readUInt32BE(24) && b === wal.readUInt32BE(28);
}

/** Number of valid frames from the start, counted up to `most`. */
function validFrames(wal: Buffer, most: number): number {
  const pageBytes = wal.readUInt32BE(8);
  const little = isLittleEndian(wal);
  let sums: Sums = [wal.readUInt32BE(24), wal.readUInt32BE(28)];
  for (let frame = 0; frame < most; frame++) {
    const at = headerBytes + frame * (frameHeaderBytes + pageBytes);
    if (at + frameHeaderBytes + pageBytes > wal.length) return frame;
    if (!wal.subarray(at + 8, at + 16).equals(wal.subarray(16, 24))) return frame;
    sums = checksum(wal, at, 8, sums, little);
    sums = checksum(wal, at + frameHeaderBytes, pageBytes, sums, little);
    if (sums[0] !== wal.readUInt32BE(at + 16) || sums[1] !== wal.readUInt32BE(at + 20)) return frame;
  }
  return most;
}

type Sums = readonly [number, number];

/** The checksum of SQLite's log over pairs of 32-bit words. */
function checksum(bytes: Buffer, from: number, length: number, [a, b]: Sums, little: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, length);
  let first = a;
  let second = b;
  for (let at = 0; at < length; at += 8) {
    first = (first + view.getUint32(at, little) + second) >>> 0;
    second = (second + view.getUint32(at + 4, little) + first) >>> 0;
  }
  return [first, second];
}
