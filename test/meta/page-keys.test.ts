// Each page of the rail has a key of its own: of two with the same, one would hide the other.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(resolve(import.meta.dirname, `../../src/web/pages/${name}.tsx`), 'utf8');
const registry = ['registry', 'outside', 'runs/run-pages', 'organisation/unit-pages'].map(read).join('\n');
const repeated = (all: readonly string[]) => all.filter((one, index) => all.indexOf(one) !== index);

it.each([
  ['key', /\bkey: '(\w)'/g, 15],
  ['path', /\bpath: '([^']+)'/g, 30],
])('no two pages share a %s', (_, pattern, least) => {
  const found = [...registry.matchAll(pattern)].map(([, one = '']) => one);
  expect(found.length).toBeGreaterThan(least);
  expect(repeated(found)).toEqual([]);
});
