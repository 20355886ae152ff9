// Runs the benchmarks, each in a process of its own: `npm run bench`, or some with `npm run bench -- --only http,store`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const option = { type: 'string' } as const;
const { values } = parseArgs({ options: { only: option, data: option, speed: option } });
const only = values.only?.split(',');

/** A benchmark is a folder with a program of its name, or `main.ts`, in it. */
const found = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    program: [`${name}.ts`, 'main.ts']
      .map((file) => join(import.meta.dirname, name, file))
      .find((file) => existsSync(file)),
  }))
  .filter(({ name, program }) => program && (!only || only.includes(name)));

/** Data that is not ours stays where its owner has it; `--speed qdrant` measures the speed of that alone. */
const wordsOf = (name: string): string[] =>
  name === 'memory'
    ? [...(values.data ? ['--data', values.data] : []), ...(values.speed ? ['--speed', values.speed] : [])]
    : [];

const unknown = only?.filter((name) => !found.some((bench) => bench.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no benchmark named ${unknown.join(', ')}.`);
  process.exit(1);
}

const results = found.map(({ name, program }) => {
  console.log(`\n── ${name} ──`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', program as string, ...wordsOf(name)], {
    stdio: 'inherit',
  });
  return {
    benchmark: name,
    ended: status === 0 ? 'well' : `with ${status}`,
    seconds: Math.round((performance.now() - started) / 1000),
  };
});
console.log();
console.table(results);
process.exitCode = results.every(({ ended }) => ended === 'well') ? 0 : 1;
