// A topic of the help names the pages that it helps with: each must be one, or nobody is shown the topic there. A document
// that is no topic is not in the dashboard at all, and what leads to it there leads nowhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesIn, root } from '../support/sources.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { topics } = parse(read('docs/help.yaml')) as { topics: { file: string; routes?: string[] }[] };
/** Read by who works on the project or compares it; each section of `errors.md` is a topic of its own. */
const elsewhere = /^docs\/(adr\/.*|ARCHITECTURE|benchmarks|comparison|errors)\.md$/;

it('every page that the help names is there', () => {
  const pages = filesIn(['src/web/pages'], /\.tsx$/).flatMap((path) =>
    [...read(path).matchAll(/\bpath: '(\/[^']*)'/g)].map(([, page]) => page),
  );
  const named = topics.flatMap(({ routes }) => routes ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((route) => route !== '/' && !pages.includes(route))).toEqual([]);
});

it('every document for people who use the server is a topic', () => {
  const written = filesIn(['docs'], /\.md$/).filter((path) => !elsewhere.test(path));
  expect(written.sort()).toEqual(topics.map(({ file }) => `docs/${file}`).sort());
});
