import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import wabt from 'wabt';
import { assembled, createCodes, scan } from './scan.ts';

it('is what its source says', async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(new URL('scan.wat', import.meta.url), 'utf8');
  const { buffer } = parseWat('scan.wat', source, { simd: true, threads: true }).toBinary({});
  expect(Buffer.from(buffer).toString('base64')).toBe(assembled);
});

it.each([16, 48, 512, 4096])('multiplies as plain code does: width %i', (width) => {
  const rows = Math.floor(1_600_000 / width / 10);
  const codes = Int8Array.from({ length: rows * width }, (_, at) => ((at * 7919) % 255) - 127);
  const question = Int16Array.from({ length: width }, (_, at) => ((at * 31) % 4001) - 2000);
  const products = scan(codes, rows, width, question);
  for (const row of [0, 1, rows >> 1, rows - 1]) {
    let sum = 0;
    for (let at = 0; at < width; at++) sum += (codes[row * width + at] as number) * (question[at] as number);
    expect(products[row]).toBe(sum);
  }
});

it('multiplies the same in a module of its own, whatever lies beside', () => {
  const [rows, width] = [9001, 512];
  const question = Int16Array.from({ length: width }, (_, at) => ((at * 31) % 4001) - 2000);
  const all = [createCodes(rows, width), createCodes(rows, width)];
  for (const [salt, { rows: codes }] of all.entries())
    for (let at = 0; at < codes.length; at++) codes[at] = ((at * 7919 + salt) % 255) - 127;
  for (const { rows: codes, scan: own } of all)
    expect([...own(rows, question)]).toEqual([...scan(codes, rows, width, question)]);
});

it('holds a large matrix in memory that does not count towards the limit of the heap', () => {
  const before = process.memoryUsage().external;
  const { rows } = createCodes(40_000, 512);
  expect(rows).toHaveLength(40_000 * 512);
  expect(process.memoryUsage().external - before).toBeLessThan(rows.byteLength / 4);
});
