// Records on disk of a server's sandboxes, so that the next server can clean up after a crash.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTime } from './process-tree.ts';

interface SandboxRecord {
  id: string;
  /** Pid of the server; another process may reuse it, hence the start time below. */
  ownerPid: number;
  ownerStart: number | null;
  cgroupDirectories: string[];
  /** The sandbox's own host directory (its /tmp). */
  directory: string;
}

export interface Records {
  write(record: Omit<SandboxRecord, 'ownerPid' | 'ownerStart'>): Promise<void>;
  remove(id: string): Promise<void>;
  /** Records whose server is dead. */
  orphans(): Promise<SandboxRecord[]>;
}

export function createRecords(directory: string): Records {
  const file = (id: string) => join(directory, `${id}.json`);
  return {
    write: async (record) => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const full: SandboxRecord = { ...record, ownerPid: process.pid, ownerStart: await startTime(process.pid) };
      await writeFile(file(record.id), JSON.stringify(full), { mode: 0o600 });
    },
    remove: (id) => rm(file(id), { force: true }),
    orphans: async () => {
      const names = await readdir(directory).catch(() => []);
      const records = await Promise.all(names.map((name) => parse(join(directory, name))));
      const judged = await Promise.all(
        records.map(async (record) => (record && (await isOrphan(record)) ? [record] : [])),
      );
      return judged.flat();
    },
  };
}

async function isOrphan(record: SandboxRecord): Promise<boolean> {
  const now = await startTime(record.ownerPid);
  return now === null || now !== record.ownerStart;
}

async function parse(path: string): Promise<SandboxRecord | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as SandboxRecord;
  } catch {
    // A record cut short by a crash cannot be trusted.
    await rm(path, { force: true });
    return null;
  }
}
