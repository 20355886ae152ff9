// Markdown of anybody becomes HTML that is safe to show: the one way for help, documents, comments and sites.
import createParser, { type StateCore, type Token } from 'markdown-it';

export interface RenderOptions {
  /** Where a link of the text leads; null shows its words alone. Links stay as they are without it. */
  link?: (href: string) => string | null;
  /** Code as HTML that is safe, by the name of its language; null shows it as it is. */
  highlight?: (code: string, language: string) => string | null;
  /** Gives headings an `id` that `anchorOf` tells; links within the text to them are for `link` to lead there. */
  anchors?: boolean;
}

/** Characters of a text that are rendered; a longer one is shown as it is. */
export const longest = 1_000_000;
/** Levels of quotes, lists and emphasis within each other that are taken as such. */
const deepest = 40;
/** Addresses that a link may have: those that open a page or a mail, and those within the place where the text is. */
const isSafe = (href: string) => /^(https?:|mailto:|[^:]*$|[/?#])/i.test(href.trim());

/**
 * HTML of CommonMark with tables and strikethrough. HTML within the text is shown as text; addresses with other schemes
 * than http, https and mailto are no links; images are links to what they show, so that reading a text calls nobody.
 */
export function renderMarkdown(text: string, options: RenderOptions = {}): string {
  if (text.length > longest) return `<pre>${escapeHtml(text)}</pre>\n`;
  const { link, highlight, anchors } = options;
  return (link || highlight || anchors ? parserWith(link ?? asWritten, options) : parser).render(text);
}

/** The `id` of a heading: apart from the ids of whatever page shows it. @example anchorOf('Set up!') // 'h-set-up' */
export const anchorOf = (heading: string): string =>
  `h-${heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-')}`;

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The words of a text without its signs, for indexes and excerpts. */
export function plainText(markdown: string): string {
  if (markdown.length > longest) return markdown;
  return oneLine(parser.parse(markdown, {}).map(wordsIn).join(' '));
}

export const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** The words of one token, with those of its children. */
export function wordsIn({ type, content, children }: Token): string {
  if (type === 'fence' || type === 'code_block') return content;
  return (children ?? []).map((child) => (/break$/.test(child.type) ? ' ' : child.content)).join('');
}

const asWritten = (href: string) => href;
export const parser = parserWith(asWritten);

function parserWith(link: (href: string) => string | null, { highlight, anchors }: RenderOptions = {}) {
  const made = createParser({
    html: false,
    maxNesting: deepest,
    // Empty: the parser escapes the code itself.
    ...(highlight && { highlight: (code: string, language: string) => highlight(code, language) ?? '' }),
  });
  if (anchors) made.core.ruler.push('anchors', (state) => nameHeadings(state.tokens));
  made.validateLink = isSafe;
  made.renderer.rules.image = (tokens, at) => escapeHtml(tokens[at]?.content || 'image');
  made.core.ruler.push('links', (state) => {
    for (const token of state.tokens) if (token.children) token.children = linked(state, token.children, link);
  });
  return made;
}

/** Two headings of one name get ids of their own. */
function nameHeadings(tokens: readonly Token[]): void {
  const taken = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const words = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    const id = anchorOf(words);
    const count = taken.get(id) ?? 0;
    taken.set(id, count + 1);
    token.attrSet('id', count === 0 ? id : `${id}-${count}`);
  }
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
