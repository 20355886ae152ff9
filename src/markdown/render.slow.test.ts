// Markdown of strangers: nothing in it runs, calls or leads where it should not, and no text takes long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { threadCpuMs } from '../../test/support/thread-cpu.ts';
import { outlineOf } from './outline.ts';
import { plainText, renderMarkdown } from './render.ts';
import { anyText, attacks, heavy, unsafeIn } from './testing/attacks.ts';

describe('what is written in a text', () => {
  it.each(attacks.map((text) => [text]))('runs nothing, leads nowhere: %j', (text) => {
    expect(unsafeIn(renderMarkdown(text, { anchors: true }))).toEqual([]);
  });

  it('shows an image as a link, so that reading calls nobody', () => {
    expect(renderMarkdown('![*a* cat](http://tracker/x.png)')).toBe(
      '<p><a href="http://tracker/x.png" rel="nofollow noopener noreferrer">*a* cat</a></p>\n',
    );
    expect(renderMarkdown('[![a](b.png)](c)')).toBe('<p><a href="c" rel="nofollow noopener noreferrer">a</a></p>\n');
  });

  it('keeps what people write: tables, code, lists, links', () => {
    const html = renderMarkdown('| a |\n|--|\n| `x` |\n\n1. ~~y~~\n\n[z](https://z.example/?a=1&b=2)');
    expect(html).toContain('<td><code>x</code></td>');
    expect(html).toContain('<li><s>y</s></li>');
    expect(html).toContain('href="https://z.example/?a=1&amp;b=2"');
  });
});

it('hands links to whoever knows where they lead', () => {
  const link = (href: string) => (href === 'gone.md' ? null : `/help/${href}`);
  expect(renderMarkdown('[a](b) [c *d*](gone.md)', { link })).toBe(
    '<p><a href="/help/b" rel="nofollow noopener noreferrer">a</a> c <em>d</em></p>\n',
  );
  expect(renderMarkdown('[a](b)', { link: () => 'javascript:1' })).toBe('<p>a</p>\n');
});

it('reads the words of a text', () => {
  expect(plainText('# A\n\nb *c* `d`\nand\n\n- [e](f)\n\n```\ng\n```\n| h |\n|--|\n| i |')).toBe('A b c d and e g h i');
});

it('makes nothing but known elements with known attributes of any text', () => {
  const holds = fc.property(anyText, (text) => {
    expect(unsafeIn(renderMarkdown(text, { anchors: true }))).toEqual([]);
  });
  fc.assert(holds, { numRuns: 1000 });
});

it('loses no word of a text that is deeper, longer or has more in it than is shown as such', () => {
  for (const text of [
    `${'>'.repeat(500)}deep`,
    `${'- '.repeat(500)}deep`,
    `${'**a '.repeat(500)}deep${'**'.repeat(500)}`,
  ])
    expect(renderMarkdown(text)).toContain('deep');
  expect(renderMarkdown(`${'> '.repeat(30)}a\n\n- b\n\nafter`)).toContain('<p>after</p>');
  const rows = `|a|\n|-|\n${'|b|\n'.repeat(60_000)}`;
  expect(renderMarkdown(rows)).toBe(`<pre><code>${rows}\n</code></pre>\n`);
  const long = 'x '.repeat(5_000_000);
  expect(renderMarkdown(long)).toBe(`<pre><code>${long}\n</code></pre>\n`);
});

describe('a hostile text', () => {
  const size = 24_000;
  const small = heavy(size / 8);
  it.each(Object.entries(heavy(size)))('takes work and room in proportion to its length: %s', (name, text) => {
    const cost = (one: string) => {
      const before = threadCpuMs();
      const html = renderMarkdown(one);
      outlineOf(one);
      expect(unsafeIn(html.slice(0, 50_000).replace(/<[^>]*$/, ''))).toEqual([]);
      return { work: threadCpuMs() - before, room: html.length };
    };
    const before = cost(small[name] ?? '');
    const { work, room } = cost(text);
    // Eight times the text; what grows with its square takes 64 times. Below 20 ms there is nothing to compare.
    expect(work).toBeLessThan(40 * Math.max(before.work, 20));
    // Rows of a table are filled up with cells, up to a number of them.
    expect(room).toBeLessThan(1_000_000 + 25 * text.length);
  });
});

it('colours no more code than ends within a moment', () => {
  const coloured: string[] = [];
  const highlight = (code: string) => {
    coloured.push(code);
    return null;
  };
  const fence = (code: string) => `\`\`\`markdown\n${code}\n\`\`\`\n\n`;
  // One line of links takes the patterns of Markdown minutes; so do many short ones in other languages.
  renderMarkdown(fence('[a]('.repeat(12_000)), { highlight });
  renderMarkdown(fence('a\n'.repeat(12_000)), { highlight });
  expect(coloured).toEqual([]);
  renderMarkdown(fence('a\n'.repeat(5_000)).repeat(20), { highlight });
  expect(coloured.join('').length).toBeLessThanOrEqual(40_000);
  expect(coloured).toHaveLength(4);
});
