// The same hostile texts as the server's, as the dashboard draws them.
import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { anyText, attacks, heavy, unsafeIn } from '../../markdown/testing/attacks.ts';
import { lineOf, treeOf } from '../../markdown/tree.ts';
import { markdownOptions, type Parts, viewsOf } from './markdown-elements.ts';

/** What is loaded when it is needed is seen in a browser. */
const parts: Parts = {
  code: ({ text }) => createElement('pre', null, text),
  formula: ({ text }) => createElement('code', null, text),
  done: ({ isDone }) => createElement('span', { 'data-checked': isDone }),
};

const drawn = (text: string): string =>
  [treeOf(text, markdownOptions), lineOf(text, markdownOptions)]
    .map((nodes) => renderToStaticMarkup(viewsOf(parts, nodes)))
    .join('');

it.each(attacks.map((text) => [text]))('draws nothing that runs or leads anywhere: %j', (text) => {
  expect(unsafeIn(drawn(text))).toEqual([]);
});

it('draws nothing but known elements with known attributes of any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(unsafeIn(drawn(text))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

it('leads to no place of the dashboard', () => {
  expect(drawn('[a](/api/x) [b](#/settings) [c](d)')).not.toContain('href');
});

it.each(Object.entries(heavy(10_000)))('draws a hostile text without running out of stack: %s', (_, text) => {
  const html = drawn(text);
  expect(unsafeIn(html.slice(0, 50_000).replace(/<[^>]*$/, ''))).toEqual([]);
});
