// What the embedded store does in a second: `tsx bench/store/store.ts [folder]`, or MongoDB with MONGODB_URI.
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type Db, defineCollection } from '../../src/ports/db.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { openMongoDb } from '../../src/stores/mongo/db.ts';

interface RunDoc {
  _id: number;
  tenantId: number;
  status: string;
  name: string;
  tokens: number;
  createdAtUtc: Date;
  settings: { model: string; limits: number[] };
}

interface EventDoc {
  _id: number;
  topic: string;
  seq: number;
  type: string;
  atUtc: Date;
  data: Record<string, unknown>;
}

const runs = defineCollection<RunDoc>({
  name: 'runs',
  indexes: [{ keys: { tenantId: 1, createdAtUtc: -1, _id: -1 } }, { keys: { tenantId: 1, status: 1, _id: -1 } }],
});
const events = defineCollection<EventDoc>({ name: 'events', indexes: [{ keys: { topic: 1, seq: 1 }, unique: true }] });

const concurrency = 64;
const seconds = 2;
const repeats = 3;

const run = (id: number): RunDoc => ({
  _id: id,
  tenantId: id % 10,
  status: ['Pending', 'Running', 'Completed', 'Failed'][id % 4]!,
  name: `run ${id}`,
  tokens: 0,
  createdAtUtc: new Date(1.7e12 + id * 1000),
  settings: { model: 'openai:gpt-5-mini', limits: [10, 1000, 60_000] },
});

const event = (id: number): EventDoc => ({
  _id: id,
  topic: `run:${id % 50}`,
  seq: id,
  type: 'run.step',
  atUtc: new Date(1.7e12 + id),
  data: { turn: id, summary: 'Read the file, changed two lines and ran the tests; all of them pass.', tokens: 512 },
});

interface Rate {
  'per second': number;
  /** Processor time of this process for one operation, which a busy machine changes less. */
  'CPU µs each': number;
}

/** The rate of `concurrency` workers that each wait for their own operation; the best of some repeats. */
async function measure(once: () => Promise<unknown>, counts = 1): Promise<Rate> {
  const rates: Rate[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const started = performance.now();
    const cpu = process.cpuUsage();
    const end = started + (seconds * 1000) / repeats;
    let done = 0;
    const worker = async () => {
      while (performance.now() < end) {
        await once();
        done += counts;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    const { user, system } = process.cpuUsage(cpu);
    const perSecond = Math.round(done / ((performance.now() - started) / 1000));
    rates.push({ 'per second': perSecond, 'CPU µs each': Math.round((10 * (user + system)) / done) / 10 });
  }
  return rates.sort((a, b) => b['per second'] - a['per second'])[0]!;
}

async function benchmark(db: Db): Promise<Record<string, Rate>> {
  await db.ensureIndexes([runs, events]);
  const runDocs = db.collection(runs);
  const eventDocs = db.collection(events);
  let id = 0;
  while (id < 100_000) await runDocs.insertMany(Array.from({ length: 1000 }, () => run(++id)));
  let eventId = 0;
  const batch = () => eventDocs.insertMany(Array.from({ length: 8 }, () => event(++eventId)));
  const some = () => 1 + Math.floor(Math.random() * 100_000);
  const newest = { sort: { createdAtUtc: -1, _id: -1 }, limit: 20 } as const;
  return {
    'insertOne, 64 at once': await measure(() => runDocs.insertOne(run(++id))),
    'findOne by _id': await measure(() => runDocs.findOne({ _id: some() })),
    'findOneAndUpdate by _id, 64 at once': await measure(() =>
      runDocs.findOneAndUpdate({ _id: some() }, { $inc: { tokens: 5 }, $set: { status: 'Running' } }),
    ),
    'updateOne guarded, 64 at once': await measure(() =>
      runDocs.updateOne({ _id: some(), tokens: { $lt: 1e9 } }, { $inc: { tokens: 5 } }),
    ),
    'newest 20 of 100k, indexed': await measure(() => runDocs.find({ tenantId: some() % 10 }, newest).toArray()),
    'countDocuments, indexed': await measure(() => runDocs.countDocuments({ tenantId: 3, status: 'Failed' })),
    'event append, 64 at once': await measure(() => eventDocs.insertOne(event(++eventId))),
    'event append, batches of 8': await measure(batch, 8),
    'events of a topic after a cursor': await measure(() =>
      eventDocs.find({ topic: 'run:7', seq: { $gt: 500 } }, { sort: { seq: 1 }, limit: 50 }).toArray(),
    ),
  };
}

async function main(): Promise<void> {
  const uri = process.env.MONGODB_URI;
  const folder = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'rivulet-bench-'));
  const db = uri ? await openMongoDb({ uri }) : openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  const results = await benchmark(db);
  const name = uri ? 'MongoDB' : `embedded (file system 0x${(await statfs(folder)).type.toString(16)})`;
  console.log(`\n${name}, ${concurrency} workers, Node ${process.version}`);
  console.table(results);
  console.log(`resident: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);
  await db.close();
  await rm(folder, { recursive: true });
}

await main();
