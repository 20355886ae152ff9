// Markdown of anybody becomes HTML that is safe to show: the one way for help, documents, comments and sites.
import createParser, { type StateCore, type Token } from 'markdown-it';

export interface RenderOptions {
  /** Where a link of the text leads; null shows its words alone. Links stay as they are without it. */
  link?: (href: string) => string | null;
}

/** Characters of a text that are rendered; a longer one is shown as it is. */
const longest = 1_000_000;
/** Levels of quotes, lists and emphasis within each other that are taken as such. */
const deepest = 40;
/** Addresses that a link may have: those that open a page or a mail, and those within the place where the text is. */
const isSafe = (href: string) => /^(https?:|mailto:|[^:]*$|[/?#])/i.test(href.trim());

/**
 * HTML of CommonMark with tables and strikethrough. HTML within the text is shown as text; addresses with other schemes
 * than http, https and mailto are no links; images are links to what they show, so that reading a text calls nobody.
 */
export function renderMarkdown(text: string, { link }: RenderOptions = {}): string {
  if (text.length > longest) return `<pre>${escapeHtml(text)}</pre>\n`;
  return (link ? parserWith(link) : parser).render(text);
}

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The words of a text without its signs, for indexes and excerpts. */
export function plainText(markdown: string): string {
  if (markdown.length > longest) return markdown;
  const words: string[] = [];
  for (const token of parser.parse(markdown, {})) {
    if (token.type === 'fence' || token.type === 'code_block') words.push(token.content);
    for (const { type, content } of token.children ?? []) words.push(/break$/.test(type) ? ' ' : content);
    words.push(' ');
  }
  return words.join('').replaceAll(/\s+/g, ' ').trim();
}

const asWritten = (href: string) => href;
const parser = parserWith(asWritten);

function parserWith(link: (href: string) => string | null) {
  const made = createParser({ html: false, maxNesting: deepest });
  made.validateLink = isSafe;
  made.renderer.rules.image = (tokens, at) => escapeHtml(tokens[at]?.content || 'image');
  made.core.ruler.push('links', (state) => {
    for (const token of state.tokens) if (token.children) token.children = linked(state, token.children, link);
  });
  return made;
}

/** Tokens of a line with links that lead on safely: others show their words alone, and images become links. */
function linked(state: StateCore, tokens: Token[], link: (href: string) => string | null): Token[] {
  const open: boolean[] = [];
  const leads = (token: Token, href: unknown): boolean => {
    const to = link(String(href ?? ''));
    if (to === null || !isSafe(to)) return false;
    token.attrs = [
      ['href', to],
      ['rel', 'nofollow noopener noreferrer'],
    ];
    return true;
  };
  return tokens.flatMap((token) => {
    if (token.type === 'link_close') token.hidden = !open.pop();
    if (token.type === 'link_open') {
      open.push(leads(token, token.attrGet('href')));
      token.hidden = !open.at(-1);
    }
    if (token.type !== 'image' || open.includes(true)) return [token];
    const before = new state.Token('link_open', 'a', 1);
    const after = new state.Token('link_close', 'a', -1);
    return leads(before, token.attrGet('src')) ? [before, token, after] : [token];
  });
}
