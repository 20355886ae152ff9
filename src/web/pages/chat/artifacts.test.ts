import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../markdown/tree.ts';
import { artifactsIn, createArtifactReader, fileNameOf, versionsOf } from './artifacts.ts';

const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\``;
const read = (text: string) => artifactsIn(7, treeOf(text));

describe('artifacts of an answer', () => {
  it.each([
    ['a fence that names its file', fence('html title="shop.html"', '<p>x'), 'html', 'shop.html'],
    ['a fence with a path', fence('ts src/app.ts', 'let a;'), 'code', 'src/app.ts'],
    ['a fence with a path after a colon', fence('ts:src/app.ts', 'let a;'), 'code', 'src/app.ts'],
    ['the line before it', `**index.html**:\n\n${fence('html', '<p>x')}`, 'html', 'index.html'],
    ['a comment at its head', fence('python', '# tools/a.py\nx = 1\ny = 2\nz = 3'), 'code', 'tools/a.py'],
    ['the title of a page', fence('html', '<title>River map</title><h1>Other</h1>'), 'html', 'River map'],
    ['the heading of a page', fence('html', '<h1>Rivers</h1>'), 'html', 'Rivers'],
    ['the first heading of a text', fence('markdown', 'x\n\n## Plan ##'), 'markdown', 'Plan'],
    ['the title of a drawing', fence('xml', '<svg><title>Otter</title></svg>'), 'svg', 'Otter'],
    ['nothing', fence('mermaid', 'graph TD; A-->B'), 'mermaid', ''],
  ])('are named by %s', (_, text, kind, title) => {
    expect(read(text)).toMatchObject([{ key: '7.0', kind, title }]);
  });

  it('are found in lists and while they are written, and short code is none', () => {
    expect(read(`- a list\n\n  ${fence('html', '<p>x').replaceAll('\n', '\n  ')}`)).toHaveLength(1);
    expect(read('```html\n<p>x')).toMatchObject([{ text: '<p>x' }]);
    expect(read(fence('bash', 'npm install'))).toEqual([]);
    const both = `${fence('bash', 'ls')}\n\n${fence('svg', '<svg/>')}`;
    expect(read(both).map(({ key }) => key)).toEqual(['7.1']);
  });

  it('are versions of one by kind and name, over the answers', () => {
    const reader = createArtifactReader();
    const page = (text: string) => fence('html a.html', text);
    const first = { id: 1, text: `${page('1')}\n\n${fence('svg', '<svg/>')}` };
    const [one, drawing] = reader([first]);
    const all = reader([first, { id: 2, text: `${page('2')}\n\n${fence('svg', '<svg/>')}` }]);
    expect(all[0]).toBe(one);
    expect(versionsOf(all, all[0] as never).map(({ text }) => text)).toEqual(['1', '2']);
    expect(versionsOf(all, drawing as never)).toEqual([drawing]);
    expect(reader([{ id: 1, text: `${first.text}\n\n${page('3')}` }]).map(({ key }) => key)).toEqual([
      ...['1.0', '1.1', '1.2'],
    ]);
  });

  it.each([
    ['src/app.ts', 'code', 'ts', 'app.ts'],
    ['River map', 'html', 'html', 'River-map.html'],
    ['../..', 'markdown', 'md', 'artifact.md'],
    ['', 'code', 'python', 'artifact.py'],
    ['', 'code', 'c++', 'artifact.txt'],
  ] as const)('are saved by a name: %j', (title, kind, language, name) => {
    expect(fileNameOf({ key: '', text: '', title, kind, language })).toBe(name);
  });
});
