// A topic of the help names the pages that it helps with: each must be one, or nobody is shown the topic there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesIn, root } from '../support/sources.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

it('every page that the help names is there', () => {
  const pages = filesIn(['src/web/pages'], /\.tsx$/).flatMap((path) =>
    [...read(path).matchAll(/\bpath: '(\/[^']*)'/g)].map(([, page]) => page),
  );
  const { topics } = parse(read('docs/help.yaml')) as { topics: { routes?: string[] }[] };
  const named = topics.flatMap(({ routes }) => routes ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((route) => route !== '/' && !pages.includes(route))).toEqual([]);
});
