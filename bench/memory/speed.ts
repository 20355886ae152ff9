// How quick searches and writes are with 1,000, 10,000 and 100,000 memories of one tenant and of a hundred: with vectors
// in the embedded store and in Qdrant, beside a peer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { engineKind, type RunningQdrant } from '../../test/support/qdrant/server.ts';
import { bundle, startFlags } from '../bundle.ts';
import { describeMachine } from '../machine.ts';

const counts = [1000, 10_000, 100_000];
const kinds = ['embedded', 'cold', 'qdrant', 'peer'] as const;

interface Kind {
  name: string;
  what: (typeof kinds)[number];
  tenants: readonly number[];
  /** A server for a row; one that was started here has a process, whose CPU and memory are told apart. */
  serve?: () => Promise<RunningQdrant>;
}

type Row = Record<string, string | number>;

/** Qdrant at QDRANT_URL, else its engine behind a front in Python. */
async function qdrant(): Promise<Kind | null> {
  const common = { what: 'qdrant', tenants: [1, 100] } as const;
  const url = process.env.QDRANT_URL;
  if (url)
    return {
      ...common,
      name: `Rivulet, Qdrant at ${new URL(url).host}`,
      serve: async () => ({ url, stop: async () => {} }),
    };
  try {
    const { start } = await engineKind();
    return { ...common, name: "Rivulet, Qdrant's engine", serve: start };
  } catch (error) {
    console.log(`Qdrant is left out: QDRANT_URL names none, and its engine is missing: ${(error as Error).message}`);
    return null;
  }
}

/** @param only - the kind that is measured; all of them where none is named */
export async function measureSpeed(only: string | undefined): Promise<void> {
  if (only !== undefined && !kinds.some((one) => one === only))
    throw new Error(`--speed is one of ${kinds.join(', ')}`);
  console.log(describeMachine());
  const program = await bundle(join(import.meta.dirname, 'speed/row.ts'));
  const rows: Row[] = [];
  const measure = async ({ name, what, tenants, serve }: Kind) => {
    if (only !== undefined && only !== what) return;
    for (const one of tenants)
      for (const memories of counts) {
        const words = ['--what', what, '--memories', String(memories), '--tenants', String(one)];
        const server = await serve?.();
        if (server) words.push('--url', server.url);
        if (server?.pid) words.push('--server', String(server.pid));
        const row = await rowOf(program, words).finally(() => server?.stop());
        if (!row) {
          console.log(`${name} is left out at ${memories} memories: its process failed.`);
          continue;
        }
        rows.push({ what: name, ...row });
        console.log(JSON.stringify(rows.at(-1)));
      }
  };
  await measure({ name: 'Rivulet, embedded', what: 'embedded', tenants: [1, 100] });
  await measure({ name: 'Rivulet, embedded, asked at once', what: 'cold', tenants: [1, 100] });
  const one = only === undefined || only === 'qdrant' ? await qdrant() : null;
  if (one) await measure(one);
  // The peer has no tenants.
  await measure({ name: 'Orama, in memory', what: 'peer', tenants: [1] });
  console.table(rows);
}

/** The last line of what the program prints; null where it failed. The server's output is read meanwhile. */
async function rowOf(program: string, words: readonly string[]): Promise<Row | null> {
  const child = spawn(process.execPath, [...startFlags(), program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return status === 0 ? (JSON.parse(printed.trim().split('\n').at(-1) as string) as Row) : null;
}
