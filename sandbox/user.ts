// Host user of a sandbox: one of a reserved range when the server is root, else the server's own.
import { readFileSync } from 'node:fs';
import { getegid, geteuid } from 'node:process';

export interface SandboxUser {
  uid: number;
  gid: number;
  /** True when the user is not the server's own, so that files must be given to it. */
  isDedicated: boolean;
}

/** Above every range that distributions, systemd and container engines hand out. */
const highRange = { first: 1_900_000_000, count: 100_000 };
/** For hosts whose user namespace ends at 65535: systemd's range of dynamic users. */
const lowRange = { first: 61_184, count: 4_000 };

/**
 * The host user of a workspace, the same at every boot.
 *
 * @param key stable name of the workspace, e.g. `run-42`.
 */
export function sandboxUser(
  key: string,
  uidMap = readUidMap(),
  server = { uid: geteuid?.() ?? 0, gid: getegid?.() ?? 0 },
): SandboxUser {
  if (server.uid !== 0) return { ...server, isDedicated: false };
  const range = covers(uidMap, highRange.first + highRange.count) ? highRange : lowRange;
  const id = range.first + (hash(key) % range.count);
  return { uid: id, gid: id, isDedicated: true };
}

function readUidMap(): string {
  try {
    return readFileSync('/proc/self/uid_map', 'utf8');
  } catch {
    return '';
  }
}

function covers(uidMap: string, id: number): boolean {
  return uidMap.split('\n').some((line) => {
    const [inside, , count] = line.trim().split(/\s+/).map(Number);
    return inside !== undefined && count !== undefined && inside <= id && id < inside + count;
  });
}

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
