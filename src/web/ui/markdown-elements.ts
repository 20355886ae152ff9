// The tree of a text as React elements; what draws code and formulas is handed in, since it is loaded when it is needed.
import { type ComponentType, createElement, type ReactNode } from 'react';
import { type Code, type Element, type Formula, hasSides, type Node } from '../../markdown/nodes.ts';

export interface Parts {
  /** A block of code. */
  code: ComponentType<Code>;
  formula: ComponentType<Formula>;
  /** Whether an item of a checklist is done. */
  done: ComponentType<{ isDone: boolean }>;
}

/** A text's own places are none of the dashboard's: only links that open a page elsewhere or a mail. */
export const markdownOptions = { link: (href: string) => (/^(https?:|mailto:)/i.test(href) ? href : null) };

/** Headings of a text stand below those of the page. */
const levelOf = (tag: string) => tag.replace(/^h(\d)$/, (_, level: string) => `h${Math.min(4, Number(level) + 1)}`);

function elementView(parts: Parts, { tag, children, href, isDone, start, align }: Element, key: number): ReactNode {
  if (tag === 'br' || tag === 'hr') return createElement(tag, { key });
  const inside = viewsOf(parts, children);
  if (tag === 'a') return createElement('a', { key, href, target: '_blank', rel: 'noreferrer noopener' }, inside);
  if (isDone !== undefined)
    return createElement('li', { key, className: 'task-item' }, createElement(parts.done, { isDone }), inside);
  const attributes = {
    key,
    ...(hasSides(tag) && { dir: 'auto' }),
    ...(start !== undefined && { start }),
    ...(align && { style: { textAlign: align } }),
  };
  return createElement(levelOf(tag), attributes, inside);
}

export function viewOf(parts: Parts, node: Node, key: number): ReactNode {
  if (typeof node === 'string') return node;
  if (node.tag === 'math') return createElement(parts.formula, { key, ...(node as Formula) });
  if (node.tag === 'code') return createElement('code', { key }, (node as Code).text);
  if (node.tag === 'pre') return createElement(parts.code, { key, ...(node as Code) });
  return elementView(parts, node as Element, key);
}

export const viewsOf = (parts: Parts, nodes: readonly Node[]): ReactNode[] =>
  nodes.map((node, index) => viewOf(parts, node, index));
