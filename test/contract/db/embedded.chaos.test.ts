// Kills a writing process at random moments: whatever it acknowledged is there afterwards, and the store is whole.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { randomOf, seed } from '../../support/seed.ts';
import { accountsCollection, eventsCollection } from './crash-collections.ts';

const kills = 20;

const random = randomOf(seed);

interface Acknowledged {
  events: Map<number, string>;
  deleted: Set<number>;
  writes: Map<number, number>;
}

it(`loses nothing acknowledged in ${kills} kills (seed ${seed})`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-chaos-'));
  const writer = await compileWriter();
  const acknowledged: Acknowledged = { events: new Map(), deleted: new Set(), writes: new Map() };
  for (let round = 0; round < kills; round++) {
    const before = acknowledged.events.size;
    await writeAndKill(writer, folder, round, acknowledged);
    expect(acknowledged.events.size, `round ${round} wrote`).toBeGreaterThan(before);
    checkFile(join(folder, 'rivulet.db'));
    await checkAcknowledged(folder, acknowledged);
  }
  await rm(folder, { recursive: true });
  await rm(dirname(writer), { recursive: true });
});

/** Once for all rounds, which would spend more time on reading sources than on writing. In reach of its packages. */
async function compileWriter(): Promise<string> {
  const root = join(import.meta.dirname, '../../..');
  await mkdir(join(root, 'dist'), { recursive: true });
  const outfile = join(await mkdtemp(join(root, 'dist/chaos-')), 'writer.js');
  const entryPoints = [join(import.meta.dirname, 'writer.ts')];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' });
  return outfile;
}

async function writeAndKill(writer: string, folder: string, round: number, acknowledged: Acknowledged): Promise<void> {
  const child = spawn(process.execPath, [writer, folder, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const before = acknowledged.events.size;
  let dying = false;
  for await (const line of createInterface({ input: child.stdout })) {
    note(line, acknowledged);
    // Not before it has acknowledged something, however slow the machine is.
    if (dying || acknowledged.events.size === before) continue;
    dying = true;
    setTimeout(() => child.kill('SIGKILL'), random() * 600);
  }
  await exited;
}

function note(line: string, { events, deleted, writes }: Acknowledged): void {
  const [kind, first, second] = line.split(' ');
  const id = Number(first);
  if (kind === 'event' && second) events.set(id, second);
  if (kind === 'deleted') deleted.add(id);
  if (kind === 'account') writes.set(id, Math.max(writes.get(id) ?? 0, Number(second)));
}

function checkFile(path: string): void {
  const file = new Database(path);
  expect(file.prepare('PRAGMA integrity_check').raw(true).get([])).toEqual(['ok']);
  file.close();
}

async function checkAcknowledged(folder: string, acknowledged: Acknowledged): Promise<void> {
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  await db.ensureIndexes([eventsCollection, accountsCollection]);
  const stored = new Map((await db.collection(eventsCollection).find().toArray()).map((one) => [one._id, one]));
  for (const [id, key] of acknowledged.events) {
    if (acknowledged.deleted.has(id)) expect(stored.has(id), `deleted event ${id}`).toBe(false);
    // The delete of an event may have been stored without having been acknowledged.
    else if (!isMaybeDeleted(key)) expect(stored.get(id)?.key, `event ${id}`).toBe(key);
  }
  for (const [writer, writes] of acknowledged.writes) {
    const account = await db.collection(accountsCollection).findOne({ _id: writer });
    expect(account!.writes).toBeGreaterThanOrEqual(writes);
    expect(account!.log).toHaveLength(account!.writes);
  }
  for (const one of stored.values()) {
    expect(await db.collection(eventsCollection).countDocuments({ tags: one.key }), 'index of tags').toBe(1);
  }
  const highest = Math.max(...acknowledged.events.keys(), ...stored.keys());
  expect(await createIds({ db, blockSize: 8 }).next('events')).toBeGreaterThan(highest);
  await db.close();
}

/** Every third event of a writer is deleted by it. */
const isMaybeDeleted = (key: string) => Number(key.split('-')[2]) % 3 === 2;
