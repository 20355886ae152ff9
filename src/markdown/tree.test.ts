// What a text becomes, and what of it stays while it grows.
import { describe, expect, it } from 'vitest';
import { growingTree } from './growing.ts';
import { type Formula, isElement, type Node } from './nodes.ts';
import { lineWords, treeOf } from './tree.ts';

const formulas = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => {
    if (typeof node === 'string') return [];
    if (node.tag === 'math') return [(node as Formula).text];
    return isElement(node) ? formulas(node.children) : [];
  });

describe('markdown of models', () => {
  it.each([
    ['The area is $\\pi r^2$ here.', ['\\pi r^2']],
    ['It is \\(a+b\\), or $$c$$.', ['a+b', 'c']],
    ['$$\n\\frac{1}{2}\n$$\n\nThen \\[x = 1\\]', ['\\frac{1}{2}']],
    ['\\[\nx = 1\n\\]\n', ['x = 1']],
    ['> $$\n> a_1 * b_1\n> $$\n\n- \\[ y \\]', ['a_1 * b_1', 'y']],
    ['So:\n$$\nx\n$$\nand on', ['x']],
    ['It costs $5 and $10 each.', []],
    ['A `$x$` in code, and \\$20.', []],
  ])('finds formulas in %j', (text, expected) => {
    expect(formulas(treeOf(text))).toEqual(expected);
  });

  it('gives titles without marks', () => {
    expect(lineWords('**Rivers** and `code` of [the sea](https://example.org)')).toBe('Rivers and code of the sea');
    expect(lineWords('# A heading')).toBe('A heading');
  });

  it.each([
    ['see https://a.example/b_c_(d), e', 'https://a.example/b_c_(d)'],
    ['(https://a.example/?q=1&r=2).', 'https://a.example/?q=1&r=2'],
    ['**https://a.example/x**', 'https://a.example/x'],
  ])('links the address in %j', (text, href) => {
    expect(JSON.stringify(treeOf(text))).toContain(JSON.stringify({ tag: 'a', href, children: [href] }));
  });

  it('leaves an address alone within a link, in code and within a word', () => {
    const words = JSON.stringify(
      treeOf('[https://a.example](https://b.example) `https://a.example` xhttps://a.example'),
    );
    expect(words.match(/"href"/g)).toHaveLength(1);
  });

  it('knows items of checklists', () => {
    const [list] = treeOf('- [x] done\n- [ ] open\n- [x](https://a.example)\n\n  [ ] no');
    expect(isElement(list as Node) && (list as { children: Node[] }).children).toMatchObject([
      { isDone: true },
      { isDone: false },
      expect.not.objectContaining({ isDone: expect.anything() }),
    ]);
  });

  it.each([
    ['```mermaid\ngraph TD; A-->B\n```', true],
    ['> ```mermaid\n> graph TD; A-->B\n> ```\n', true],
    ['```mermaid\ngraph TD; A-->B\n', false],
    ['```mermaid\ngraph TD; A-->B', false],
    ['```mermaid\n', false],
    ['```js\n1\n```', false],
  ])('draws a diagram that is whole: %j', (text, isDiagram) => {
    expect(JSON.stringify(treeOf(text))).toContain(`"isDiagram":${isDiagram}`);
  });
});

describe('a text that grows', () => {
  it('keeps the blocks that are whole, and parses what is new alone', () => {
    const grow = growingTree();
    const before = grow('# A\n\nb *c*\n\nd\n\n- e');
    const after = grow('# A\n\nb *c*\n\nd\n\n- e\n- f\n\ng');
    expect(after).toHaveLength(5);
    for (const at of [0, 1]) expect(after[at]).toBe(before[at]);
    // As models write: many paragraphs of one line each, a few letters at a time.
    const text = Array.from({ length: 300 }, (_, at) => `Paragraph ${at} of a long reply.\n\n`).join('');
    const seen = new Set<Node>();
    let made = 0;
    for (let length = 10; length <= text.length; length += 10)
      for (const node of grow(text.slice(0, length))) {
        if (!seen.has(node)) made++;
        seen.add(node);
      }
    expect(made).toBeLessThan((4 * text.length) / 10);
  });
});
