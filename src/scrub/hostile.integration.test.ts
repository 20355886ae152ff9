// No long text takes long, whatever it is made of.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const program = `
import { parentPort } from 'node:worker_threads';
import { redact } from './scrub.ts';
import { hostileTexts } from './testing/hostile.ts';
parentPort?.postMessage(hostileTexts(300_000).map((text) => typeof redact(text)));
`;

// In time that grew with the square of the length, each of these would take longer than a test may. They are read in a
// heap of its own: V8 stops to optimize expressions where 16 MB of code are compiled, as after many servers in one
// process, and then takes three times as long (TooMuchRegExpCode in its regexp.cc).
it('reads long hostile texts in linear time', async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, loader: 'ts', resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs' },
  });
  const worker = new Worker(outputFiles[0]?.text ?? '', { eval: true });
  const [read] = await once(worker, 'message');
  await worker.terminate();
  expect(read.length).toBeGreaterThan(50);
  expect(new Set(read)).toEqual(new Set(['string']));
}, 300_000);
