// HTML of a mail as elements of the page. The server has made it safe; what is not on this list is left out once more.
import { createElement, type ReactNode } from 'react';

/** Elements that stay as they are. */
const kept = new Set(
  'a b blockquote br caption code del div em hr i ins li ol p pre q s small span strong sub sup table tbody td tfoot th thead tr u ul'.split(
    ' ',
  ),
);
const empty = new Set(['br', 'hr']);
/** The page has headings of its own. */
const heading = /^h[1-6]$/;
const linked = /^(https?:|mailto:)/i;

export function MailHtml({ html }: { html: string }) {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access
    <div className="mail-html" tabIndex={0}>
      {childrenOf(body)}
    </div>
  );
}

const childrenOf = (parent: Node): ReactNode[] => [...parent.childNodes].map(shown);

function shown(node: ChildNode, key: number): ReactNode {
  if (node.nodeType === 3) return node.textContent;
  if (!(node instanceof HTMLElement)) return null;
  const name = node.tagName.toLowerCase();
  if (heading.test(name))
    return (
      <p key={key}>
        <strong>{childrenOf(node)}</strong>
      </p>
    );
  // A link that leads nowhere is no link.
  if (!kept.has(name) || (name === 'a' && !linked.test(node.getAttribute('href') ?? '')))
    return createElement('span', { key }, ...childrenOf(node));
  if (empty.has(name)) return createElement(name, { key });
  return createElement(name, { key, ...attributesOf(node) }, ...childrenOf(node));
}

function attributesOf(element: HTMLElement): object {
  const href = element.getAttribute('href');
  if (element.tagName === 'A') return { href, target: '_blank', rel: 'noopener noreferrer nofollow' };
  const span = Number(element.getAttribute('colspan'));
  return /^T[DH]$/.test(element.tagName) && span > 1 && span < 100 ? { colSpan: span } : {};
}
