// Markdown in the words of each service: what differs is written from the tree, what is the same is passed on.
import { isElement, isWithinLine, type Node, wordsOf } from '../../markdown/nodes.ts';
import { treeOf } from '../../markdown/tree.ts';

interface Words {
  escape(text: string): string;
  wrap: Readonly<Record<'strong' | 'em' | 's', (inner: string) => string>>;
  code(text: string): string;
  pre(text: string, language: string): string;
  link(inner: string, href: string): string;
  quote(inner: string): string;
}

const htmlSafe = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slack: Words = {
  escape: htmlSafe,
  wrap: { strong: (inner) => `*${inner}*`, em: (inner) => `_${inner}_`, s: (inner) => `~${inner}~` },
  code: (text) => `\`${htmlSafe(text)}\``,
  pre: (text) => `\`\`\`\n${htmlSafe(text.replace(/\n$/, ''))}\n\`\`\``,
  link: (inner, href) => `<${htmlSafe(href).replaceAll('|', '%7C')}|${inner.replaceAll('|', '/')}>`,
  quote: (inner) => inner.replaceAll(/^/gm, '> '),
};

const telegram: Words = {
  escape: htmlSafe,
  wrap: {
    strong: (inner) => `<b>${inner}</b>`,
    em: (inner) => `<i>${inner}</i>`,
    s: (inner) => `<s>${inner}</s>`,
  },
  code: (text) => `<code>${htmlSafe(text)}</code>`,
  pre: (text, language) =>
    language === ''
      ? `<pre>${htmlSafe(text)}</pre>`
      : `<pre><code class="language-${language}">${htmlSafe(text)}</code></pre>`,
  link: (inner, href) => `<a href="${htmlSafe(href).replaceAll('"', '&quot;')}">${inner}</a>`,
  quote: (inner) => `<blockquote>${inner}</blockquote>`,
};

/** Slack's mrkdwn. @example '**now** [here](https://x.y)' → '*now* <https://x.y|here>' */
export const toMrkdwn = (markdown: string): string => written(markdown, slack);

/** The HTML that Telegram takes: few tags, lines for the rest. */
export const toTelegramHtml = (markdown: string): string => written(markdown, telegram);

/** Markdown for services that read it themselves, calling nobody by `@all` and the like. */
export const withoutCalls = (markdown: string): string =>
  markdown.replaceAll(/@(?=(?:all|channel|here|everyone)\b)/gi, '@\u200b');

/** A text of at most so many characters, the last one a `…` where something was left out. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a surrogate pair is no character.
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function written(markdown: string, words: Words): string {
  return blocks(treeOf(markdown), words)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function blocks(nodes: readonly Node[], words: Words): string {
  return nodes
    .map((node) =>
      typeof node === 'string' || isWithinLine(node) ? inline([node], words) : `${block(node, words)}\n\n`,
    )
    .join('');
}

function block(node: Exclude<Node, string>, words: Words): string {
  if (!isElement(node))
    return node.tag === 'pre' ? words.pre(node.text, 'language' in node ? node.language : '') : words.code(node.text);
  const { tag, children } = node;
  if (/^h[1-6]$/.test(tag)) return words.wrap.strong(inline(children, words));
  if (tag === 'ul' || tag === 'ol') return items(node, words);
  if (tag === 'blockquote') return words.quote(blocks(children, words).trim());
  if (tag === 'hr') return '———';
  if (tag === 'table') return words.pre(tableOf(children), '');
  return blocks(children, words).trim();
}

function items({ tag, children, start = 1 }: Extract<Node, { children: Node[] }>, words: Words): string {
  const lines = children.filter((one) => typeof one !== 'string' && isElement(one));
  return lines
    .map((item, at) => {
      const { isDone, children: inner } = item as Extract<Node, { children: Node[] }>;
      const mark = isDone === undefined ? (tag === 'ol' ? `${start + at}.` : '•') : isDone ? '☑' : '☐';
      return `${mark} ${blocks(inner, words)
        .trim()
        .replaceAll(/\n{2,}/g, '\n')
        .replaceAll('\n', '\n   ')}`;
    })
    .join('\n');
}

/** Rows as lines, their cells apart by bars. */
function tableOf(nodes: readonly Node[]): string {
  const rows: string[] = [];
  const look = (node: Node): void => {
    if (typeof node === 'string' || !isElement(node)) return;
    if (node.tag !== 'tr') {
      for (const child of node.children) look(child);
      return;
    }
    const cells = node.children.filter((one) => typeof one !== 'string');
    rows.push(cells.map((cell) => wordsOf([cell]).trim()).join(' | '));
  };
  nodes.forEach(look);
  return rows.join('\n');
}

function inline(nodes: readonly Node[], words: Words): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return words.escape(node);
      if (!isElement(node)) return node.tag === 'pre' ? words.pre(node.text, '') : words.code(node.text);
      const inner = inline(node.children, words);
      if (node.tag === 'a')
        return node.href && /^https?:|^mailto:/i.test(node.href) ? words.link(inner, node.href) : inner;
      if (node.tag === 'strong' || node.tag === 'em' || node.tag === 's') return words.wrap[node.tag](inner);
      return (node.tag as string) === 'br' ? '\n' : isWithinLine(node) ? inner : blocks([node], words);
    })
    .join('');
}
