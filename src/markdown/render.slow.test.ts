// Markdown of strangers: nothing in it runs, calls or leads where it should not, and no text takes long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, renderMarkdown } from './render.ts';

describe('what is written in a text', () => {
  it.each([
    ['<script>alert(1)</script>'],
    ['<svg onload=alert(1)>'],
    ['<img src=x onerror=alert(1)>'],
    ['<iframe srcdoc="<script>1</script>"></iframe>'],
    ['a <b onclick="x">b</b>'],
    ['<!-- --><style>*{display:none}</style>'],
    ['```html" onmouseover="x\n<script>1</script>\n```'],
    ['[x](https://a "\\" onmouseover=\\"x")'],
    ['![" onerror="x](https://a/"onerror="x)'],
  ])('runs nothing: %s', (text) => {
    expect(elementsOf(renderMarkdown(text))).toEqual([]);
  });

  it.each([
    ['[x](javascript:alert(1))'],
    ['[x](JaVaScRiPt:alert(1))'],
    ['[x](&#106;avascript:alert(1))'],
    ['[x](java&Tab;script:alert(1))'],
    ['[x](<java\nscript:alert(1)>)'],
    ['[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['[x](vbscript:x)'],
    ['[x](file:///etc/passwd)'],
    ['<javascript:alert(1)>'],
    ['![x](data:image/svg+xml,<svg/onload=alert(1)>)'],
    ['[x]: javascript:alert(1)\n[x]'],
  ])('leads nowhere: %s', (text) => {
    expect(renderMarkdown(text)).not.toMatch(/<a /);
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
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '`',
    '*',
    '_',
    '[',
    ']',
    '(',
    ')',
    '!',
    '#',
    '\n',
    ' ',
    '|',
    '-',
    ':',
    '&',
    'a',
    'javascript:',
    'https://x/',
    '<script>',
    'onload=',
    '&quot;',
    '\\',
    '~~',
    '> ',
    '1. ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(elementsOf(renderMarkdown(pieces.join('')))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

/** Each takes more than quadratic time, or more stack than there is, in a naive parser. */
const hostile: Record<string, string> = {
  quotes: '>'.repeat(30_000),
  lists: '- '.repeat(30_000),
  brackets: '['.repeat(60_000),
  images: '!['.repeat(30_000),
  links: '[a]('.repeat(15_000),
  emphasis: '*a '.repeat(30_000),
  underscores: '_a__'.repeat(15_000),
  'code marks': Array.from({ length: 1200 }, (_, length) => '`'.repeat(length)).join(' '),
  references: '[a]: b\n'.repeat(10_000),
  table: `${'|a'.repeat(2000)}\n${'|-'.repeat(2000)}\n${'|b\n'.repeat(1000)}`,
  'ten megabytes': 'x '.repeat(5_000_000),
};

it.each(Object.entries(hostile))('ends soon with a hostile text: %s', (_, text) => {
  const { user } = process.cpuUsage();
  const html = renderMarkdown(text);
  // A bound of work, far above what is needed: without the parser's own bounds these take minutes.
  expect(process.cpuUsage().user - user).toBeLessThan(5_000_000);
  expect(html.length).toBeLessThan(20_000_000);
});

/** Elements and attributes that are not those of Markdown. */
function elementsOf(html: string): string[] {
  const known =
    /^<(\/?(a|p|em|strong|s|code|pre|ul|ol|li|blockquote|h[1-6]|hr|br|table|thead|tbody|tr|th|td))(( (href="(https?:|mailto:|[^":]*"|[/?#])[^"]*"?|rel="nofollow noopener noreferrer"|class="language-[^"<>]*"|start="\d+"|style="text-align:(left|right|center)"))*)>$/;
  return [...html.matchAll(/<[^>]*>?/g)].map(([tag]) => tag).filter((tag) => !known.test(tag));
}
