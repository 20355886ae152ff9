// How quick writes and searches are with 1,000, 10,000 and 100,000 memories of one identity, and of a hundred.
import { unit } from '../../src/models/embedders/vectors.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import { memoryOf, openShelf } from './shelf.ts';

const dimensions = 512;
const searches = 200;
const batch = 500;

/** Embedding is measured apart, so a vector here is no more than random. */
const instant: Embedder = {
  model: 'random',
  weights: { semantic: 0.3, keyword: 0.7 },
  reads: () => true,
  embed: async (_tenant, texts) => texts.map(randomVector),
  close: async () => {},
};

const randomVector = () => unit(Array.from({ length: dimensions }, () => Math.random() - 0.5));
/** Words as a language has them: a few are common, most are rare. */
const randomText = (words: number) =>
  Array.from({ length: words }, () => `word${Math.floor(20_000 * Math.random() ** 3)}x`).join(' ');

export async function measureSpeed(): Promise<void> {
  const rows = [];
  for (const owners of [1, 100]) for (const count of [1000, 10_000, 100_000]) rows.push(await measure(count, owners));
  console.table(rows);
}

async function measure(memories: number, owners: number) {
  const shelf = openShelf(instant);
  const at = new Date();
  const started = process.cpuUsage();
  for (let id = 1; id <= memories; id += batch) {
    const some = Array.from({ length: batch }, (_, more) =>
      memoryOf(id + more, 1 + ((id + more) % owners), 'note', randomText(20), at),
    );
    await shelf.add(some);
  }
  const written = cpuMs(started) / memories;
  for (let owner = 1; owner <= Math.min(owners, 5); owner++) await shelf.search(owner, randomText(6), 10);
  const times: number[] = [];
  for (let search = 0; search < searches; search++) {
    const before = process.cpuUsage();
    await shelf.search(1 + (search % Math.min(owners, 5)), randomText(6), 10);
    times.push(cpuMs(before));
  }
  times.sort((a, b) => a - b);
  const of = (share: number) => (times[Math.floor(share * (times.length - 1))] as number).toFixed(1);
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  await shelf.close();
  return {
    memories,
    owners,
    'write ms': written.toFixed(2),
    'search p50 ms': of(0.5),
    p95: of(0.95),
    p99: of(0.99),
    'RSS MB': megabytes,
  };
}

const cpuMs = (since: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};
