// The README lists every setting with its default, and no document names a setting that nothing reads.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { defaultOf, settingKeys } from '../../src/environment.ts';
import { documents, textOf } from '../support/documents.ts';
import { root } from '../support/sources.ts';

/** For tests alone. */
const untold = ['RIVULET_CHECK_RESPONSES'];
/** Told in words, since they follow from something else or are lists. */
const inWords = ['RIVULET_MAIL_FROM', 'NO_PROXY', 'RIVULET_DATA'];

const rows = [...textOf('README.md').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) +\| ([^|]*)\|/gm)].map(
  ([, keys = '', shown = '']) => ({ keys: keys.replaceAll('`', '').split(', '), shown: shown.trim() }),
);

it('the README lists every setting', () => {
  const listed = new Set(rows.flatMap(({ keys }) => keys));
  expect(settingKeys.filter((key) => !listed.has(key) && !untold.includes(key))).toEqual([]);
  expect([...listed].filter((key) => !(settingKeys as string[]).includes(key))).toEqual([]);
});

it('the README tells their defaults', () => {
  const told = rows.flatMap(({ keys, shown }) => keys.map((key) => ({ key, shown })));
  const wrong = told.flatMap(({ key, shown }) => {
    const value = defaultOf(key as (typeof settingKeys)[number]);
    const isTold = value === null || value === '' || inWords.includes(key) || shown.split(/[\s,`]+/).includes(value);
    return isTold ? [] : [`${key} is ${value}, and the README says "${shown}"`];
  });
  expect(wrong).toEqual([]);
});

it('no document names a setting that nothing reads', () => {
  const variable = String.raw`\bRIVULET_[A-Z_]*[A-Z]\b`;
  const outside = ['--', '.', ':!*.md', ':!docs'];
  const read = execFileSync('git', ['grep', '-hoP', variable, ...outside], { cwd: root, encoding: 'utf8' });
  const known = new Set(read.split('\n'));
  const named = documents.flatMap((path) =>
    [...new Set(textOf(path).match(new RegExp(variable, 'g')))].map((key) => ({ path, key })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ key }) => !known.has(key)).map(({ path, key }) => `${path}: ${key}`)).toEqual([]);
});
