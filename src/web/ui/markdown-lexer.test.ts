import type { Token, Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { blockTokens, inlineTokens, plainText } from './markdown-lexer.ts';

const formulas = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) =>
    token.type === 'formula' ? [(token as Tokens.Text).text] : 'tokens' in token ? formulas(token.tokens ?? []) : [],
  );

describe('markdown of models', () => {
  it.each([
    ['The area is $\\pi r^2$ here.', ['\\pi r^2']],
    ['It is \\(a+b\\), or $$c$$.', ['a+b', 'c']],
    ['$$\n\\frac{1}{2}\n$$\n\nThen \\[x = 1\\]', ['\\frac{1}{2}']],
    ['\\[\nx = 1\n\\]\n', ['x = 1']],
    ['It costs $5 and $10 each.', []],
    ['A `$x$` in code, and \\$20.', []],
  ])('finds formulas in %s', (text, expected) => {
    expect(formulas(blockTokens(text))).toEqual(expected);
  });

  it('gives titles without marks', () => {
    expect(plainText('**Rivers** and `code` of [the sea](https://example.org)')).toBe('Rivers and code of the sea');
    expect(plainText('# A heading')).toBe('A heading');
    expect(inlineTokens('plain')).toHaveLength(1);
  });
});

describe('a text of somebody who would take the page down', () => {
  it.each([
    ['quotes', '> '.repeat(2_000)],
    ['quotes without spaces', '>'.repeat(5_000)],
    ['quotes with words', `${'> '.repeat(200)}a`],
    ['lists', `${'- '.repeat(300)}a`],
    ['numbered lists', `${'1. '.repeat(300)}a`],
  ])('is shown as it is: %s', (_, text) => {
    expect(blockTokens(text)).toEqual([{ type: 'code', raw: text, text }]);
  });

  it('leaves what people nest as it is meant', () => {
    expect(blockTokens(`${'> '.repeat(20)}a`)[0]?.type).toBe('blockquote');
    expect(blockTokens(`${'- '.repeat(20)}a`)[0]?.type).toBe('list');
  });
});
