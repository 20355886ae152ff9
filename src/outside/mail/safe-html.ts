// HTML of mails of anybody, reduced to what is harmless: no script, no style, nothing that is loaded from elsewhere.
import { Parser } from 'htmlparser2';

const kept = new Set(
  'a abbr b blockquote br caption center code col colgroup dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins li ol p pre q s small span strong sub sup table tbody td tfoot th thead tr u ul'.split(
    ' ',
  ),
);
const empty = new Set(['br', 'hr', 'col']);
/** Elements whose content is no text for readers. */
const dropped = new Set(
  'script style head title noscript template iframe object embed svg math select textarea'.split(' '),
);
const numeric = new Set(['colspan', 'rowspan']);
const linked = /^(https?:|mailto:)/i;
/** Deeper elements are left out, their text stays: browsers are slow with deep trees. */
const mostDepth = 100;
/** The parser moves all elements that are open for each further one: half a megabyte of them held the server for ten seconds. */
const mostOpen = 1000;

/**
 * Reduces HTML to a list of elements and attributes. Links keep http, https and mailto; images become their alternative
 * text, since loading one tells its sender that the mail was read.
 *
 * @param mostCharacters - of the result, which is cut there and stays well formed
 */
export function safeHtml(html: string, mostCharacters: number): string {
  const out: string[] = [];
  const open: string[] = [];
  let size = 0;
  let hidden = 0;
  const write = (text: string) => {
    if (size + text.length > mostCharacters) return false;
    size += text.length;
    out.push(text);
    return true;
  };
  parse(html, {
    onopentag(name, attributes) {
      if (dropped.has(name)) hidden++;
      if (hidden > 0) return;
      if (name === 'img' && attributes.alt) write(`[${escaped(attributes.alt)}]`);
      if (!kept.has(name) || open.length >= mostDepth) return;
      if (write(`<${name}${attributesOf(name, attributes)}>`) && !empty.has(name)) open.push(name);
    },
    ontext(text) {
      if (hidden === 0) write(escaped(text));
    },
    onclosetag(name) {
      if (dropped.has(name) && hidden > 0) hidden--;
      if (hidden > 0 || !open.includes(name)) return;
      for (let last = open.pop(); last !== undefined; last = open.pop()) {
        out.push(`</${last}>`);
        if (last === name) break;
      }
    },
  });
  while (open.length > 0) out.push(`</${open.pop()}>`);
  return out.join('');
}

/** The text of HTML, for mails that have no plain one. */
export function textOfHtml(html: string, mostCharacters: number): string {
  const out: string[] = [];
  let size = 0;
  let hidden = 0;
  parse(html, {
    onopentag(name) {
      if (dropped.has(name)) hidden++;
      if (/^(br|p|div|tr|li|h[1-6])$/.test(name)) out.push('\n');
    },
    ontext(text) {
      if (hidden > 0 || size > mostCharacters) return;
      size += text.length;
      out.push(text);
    },
    onclosetag(name) {
      if (dropped.has(name) && hidden > 0) hidden--;
    },
  });
  return out
    .join('')
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/\s*\n\s*\n\s*/g, '\n\n')
    .trim()
    .slice(0, mostCharacters);
}

/** From where it is flat, it keeps no element open: what would be within one stands behind it. */
class FlatteningParser extends Parser {
  isFlat = false;

  protected override isVoidElement(name: string): boolean {
    return this.isFlat || super.isVoidElement(name);
  }
}

interface Handlers {
  onopentag(name: string, attributes: Record<string, string>): void;
  ontext(text: string): void;
  onclosetag(name: string): void;
}

function parse(html: string, { onopentag, ontext, onclosetag }: Handlers): void {
  let depth = 0;
  const parser = new FlatteningParser({
    onopentag(name, attributes) {
      // For good, and texts alone are taken from there: nobody knows any more what an end tag ends.
      if (++depth > mostOpen) parser.isFlat = true;
      if (!parser.isFlat) onopentag(name, attributes);
    },
    ontext,
    onclosetag(name) {
      depth--;
      if (!parser.isFlat) onclosetag(name);
    },
  });
  parser.end(html);
}

function attributesOf(name: string, attributes: Record<string, string>): string {
  const href = attributes.href?.trim().replace(/[\s\p{Cc}]+/gu, '');
  if (name === 'a')
    return href && linked.test(href)
      ? ` href="${escaped(href)}" rel="noopener noreferrer nofollow" target="_blank"`
      : '';
  return Object.entries(attributes)
    .filter(([key, value]) => numeric.has(key) && /^\d{1,3}$/.test(value))
    .map(([key, value]) => ` ${key}="${value}"`)
    .join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] as string);
