// Markdown of anybody as HTML that is safe to show: for the help, documents and sites.
import type { TreeOptions } from './build.ts';
import { type Code, type Element, type Formula, hasSides, isWithinLine, type Node, wordsOf } from './nodes.ts';
import { escaped } from './parser.ts';
import { treeOf } from './tree.ts';

export interface RenderOptions extends TreeOptions {
  /** Code as HTML that is safe, by the name of its language; null shows it as it is. */
  highlight?: (code: string, language: string) => string | null;
}

/**
 * HTML of CommonMark with tables, strikethrough, checklists and formulas (as TeX). HTML within the text is shown as
 * text; addresses with other schemes than http, https and mailto are no links; images are links to what they show, so
 * that reading a text calls nobody.
 */
export const renderMarkdown = (text: string, { highlight, ...options }: RenderOptions = {}): string =>
  htmlOf(treeOf(text, options), highlight ?? (() => null));

/** Style of a page: each text runs in the direction of its own first letter that has one; code from left to right. */
export const ownDirections = `:where(body *){unicode-bidi:plaintext}
:where(code,pre,svg,:where(code,pre,svg) *){unicode-bidi:isolate;direction:ltr}
`;

/** The words of a text without its signs, for indexes and excerpts. */
export const plainText = (markdown: string): string => oneLine(wordsOf(treeOf(markdown)));

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

type Highlight = (code: string, language: string) => string | null;

const htmlOf = (nodes: readonly Node[], highlight: Highlight): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return escaped(node);
      if (node.tag === 'pre' || node.tag === 'code') return codeHtml(node as Code, highlight);
      return node.tag === 'math' ? formulaHtml(node as Formula) : elementHtml(node as Element, highlight);
    })
    .join('');

function codeHtml({ tag, text, language, isColoured }: Code, highlight: Highlight): string {
  if (tag === 'code') return `<code>${escaped(text)}</code>`;
  const name = language ? ` class="language-${escaped(language)}"` : '';
  return `<pre><code${name}>${(isColoured ? highlight(text, language) : null) ?? escaped(text)}\n</code></pre>\n`;
}

function formulaHtml({ text, isBlock }: Formula): string {
  const html = `<code class="language-math">${escaped(text)}</code>`;
  return isBlock ? `<p>${html}</p>\n` : html;
}

/** Their children begin on a line of their own. */
const holders: ReadonlySet<string> = new Set(['ul', 'ol', 'blockquote', 'table', 'thead', 'tbody', 'tr']);

function elementHtml(element: Element, highlight: Highlight): string {
  const { tag, children, isDone } = element;
  const begin = `<${tag}${attributesOf(element)}>`;
  if (tag === 'br' || tag === 'hr') return `${begin}\n`;
  const mark = isDone === undefined ? '' : isDone ? '☑ ' : '☐ ';
  const inside = `${holders.has(tag) ? '\n' : ''}${mark}${htmlOf(children, highlight)}`;
  return `${begin}${inside}</${tag}>${isWithinLine(element) ? '' : '\n'}`;
}

function attributesOf({ tag, href, id, start, align }: Element): string {
  const attributes = [
    id !== undefined && ` id="${escaped(id)}"`,
    tag === 'a' && href !== undefined && ` href="${escaped(href)}" rel="nofollow noopener noreferrer"`,
    hasSides(tag) && ' dir="auto"',
    start !== undefined && ` start="${start}"`,
    // Not by a style, which pages with a strict policy do not take.
    align !== undefined && ` align="${align}"`,
  ];
  return attributes.filter(Boolean).join('');
}
