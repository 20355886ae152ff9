// Puts results where they are read: tables in docs/benchmarks.md, plots in docs/images, everything in bench/results.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const fixed = (value: number, digits = 1): string => (Number.isFinite(value) ? value.toFixed(digits) : '–');
export const thousands = (value: number): string => fixed(value / 1000, 0);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

/** Replaces what stands between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` in docs/benchmarks.md. */
export function writeSection(name: string, markdown: string): void {
  const file = join(root, 'docs/benchmarks.md');
  const text = readFileSync(file, 'utf8');
  const [from, to] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  if (start < 0 || end < start) throw new Error(`docs/benchmarks.md has no place for ${name}`);
  writeFileSync(file, `${text.slice(0, start + from.length)}\n\n${markdown.trim()}\n\n${text.slice(end)}`);
}

export function writeImage(name: string, svg: string): void {
  writeFileSync(join(root, 'docs/images', name), svg);
}

/** Keeps all figures of a run, for looking closer. */
export function writeResults(name: string, results: unknown): void {
  const folder = join(root, 'bench/results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(results, null, 2));
}
