// Hostile HTML of mails becomes harmless, stays readable, and takes little time.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { safeHtml, textOfHtml } from './safe-html.ts';

const safe = (html: string) => safeHtml(html, 10_000);

describe('safe HTML', () => {
  test.each([
    ['<p onclick="x()">Hi <b style="color:red">you</b></p>', '<p>Hi <b>you</b></p>'],
    ['a<script>alert(1)</script><style>b{}</style>c', 'ac'],
    ['<a href=" java\tscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['<img src="https://spy.example/1.gif" alt="a <cat>" onerror=x>', '[a &lt;cat&gt;]'],
    ['<svg><a href="https://x"><b>y</b></a></svg>z', 'z'],
    ['<td colspan="2" width="9" background="https://spy.example">1</td>', '<td colspan="2">1</td>'],
    ['<form action="https://x"><input name=p>text</form>', 'text'],
    ['<meta http-equiv=refresh content="0;url=https://x"><base href="https://x">t', 't'],
    ['<b>open', '<b>open</b>'],
    ['</b>&lt;script&gt;', '&lt;script&gt;'],
    ['<iframe srcdoc="<script>1</script>"></iframe>after', 'after'],
  ])('%s', (html, wanted) => expect(safe(html)).toBe(wanted));

  test('links say that they lead to others', () => {
    expect(safe('<a href="https://x.example/?a=1&amp;b=2">x</a>')).toBe(
      '<a href="https://x.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">x</a>',
    );
  });

  test('is cut well formed', () => {
    expect(safeHtml('<b>12345</b><i>67890</i>', 8)).toBe('<b>12345</b>');
  });
});

test('text of HTML has its lines', () => {
  expect(textOfHtml('<style>x</style><p>One&nbsp;two</p><p>three<br>four</p>', 100)).toBe('One two\nthree\nfour');
});

test.each(['<b>', '<div>', '<svg>', '<b>x<form>', '<p><math>'])(
  'many of %s within each other cost little',
  (element) => {
    const { unshift } = Array.prototype;
    let moved = 0;
    const spy = vi.spyOn(Array.prototype, 'unshift').mockImplementation(function (this: unknown[], ...all) {
      moved = Math.max(moved, this.length);
      return unshift.apply(this, all);
    });
    onTestFinished(() => spy.mockRestore());
    const html = `${element.repeat(5000)}here</b></div>`;
    const safe = safeHtml(html, 1_000_000);
    expect(safe.match(/<(b|div|p)>/g)?.length ?? 0).toBe(safe.match(/<[/](b|div|p)>/g)?.length ?? 0);
    const isHidden = /svg|math/.test(element);
    expect([safe.includes('here'), textOfHtml(html, 1_000_000).includes('here')]).toEqual([!isHidden, !isHidden]);
    expect(moved).toBeLessThan(2000);
  },
);

test('elements within each other are so many at most', () => {
  expect(safeHtml(`${'<div>'.repeat(2000)}x`, 100_000)).toBe(`${'<div>'.repeat(100)}x${'</div>'.repeat(100)}`);
});
