// No document names a file or folder of the project that is not there, or links to a section that no file has.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { proseOf } from '../support/documents.ts';

const root = resolve(import.meta.dirname, '../..');
const tops = 'src|runtime|sandbox|test|bench|scripts|docs|deploy|examples|clients';
/** `src/x/y.ts`, or `src/x` where nothing follows that makes it a pattern. */
const inText = new RegExp(`\`(?:\\./)?((?:${tops})/[\\w./-]+)\``, 'g');
const linked = /\]\((?!\w+:|#)([^)#\s]+)/g;
/** What runs make, and folders inside a data folder. */
const madeLater = /^(sandbox\/workspaces|docs\/images|clients\/python\/dist)\b/;

/** Notes of releases tell of what was there then. */
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && file !== 'CHANGELOG.md');

it('finds the documents', () => {
  expect(documents.length).toBeGreaterThan(10);
});

it.each(documents)('%s names no path that is not there', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const named = [...text.matchAll(inText)].map(([, path]) => path as string).filter((path) => !madeLater.test(path));
  const links = [...text.matchAll(linked)].map(([, path]) => join(dirname(document), path as string));
  expect([...named, ...links].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const anchorsIn = (file: string): string[] =>
  existsSync(join(root, file))
    ? [...proseOf(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
    : [];

it('no document links to a section that is not there', () => {
  const links = documents.flatMap((document) =>
    [...proseOf(document).matchAll(/\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, to = '', anchor = '']) => ({
      where: `${document}: ${to}#${anchor}`,
      file: to === '' ? document : join(dirname(document), to),
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter(({ file, anchor }) => !anchorsIn(file).includes(anchor)).map(({ where }) => where)).toEqual([]);
});
