// The one parser of Markdown: CommonMark with tables, strikethrough and formulas, and HTML as plain text.
import createParser, { type Env, type StateBlock, type Token } from 'markdown-it';
import { readFormulas } from './formulas.ts';
import { deepestBlock, isSafe, longest } from './limits.ts';

const parser = createParser({ html: false, linkify: false, typographer: false, maxNesting: deepestBlock + 10 });
parser.validateLink = isSafe;
parser.block.ruler.before('table', 'too_deep', tooDeep);
readFormulas(parser);

/** Quotes and lists within more of them than anybody reads are words: nothing is lost, and the stack holds. */
function tooDeep(state: StateBlock, first: number, end: number, silent: boolean): boolean {
  if (silent || state.level < deepestBlock) return false;
  let last = first + 1;
  while (last < end && (state.isEmpty(last) || (state.sCount[last] ?? 0) >= state.blkIndent)) last++;
  state.line = last;
  state.push('paragraph_open', 'p', 1).map = [first, last];
  const words = state.push('inline', '', 0);
  words.content = state.getLines(first, last, state.blkIndent, false).trim();
  words.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

/** Tokens of a text; null when it is too long to be parsed. */
export const tokensOf = (text: string, env: Env): Token[] | null =>
  text.length > longest ? null : parser.parse(text, env);

/** Tokens of what stands within one line. */
export const lineTokensOf = (text: string): Token[] | null =>
  text.length > longest ? null : parser.parseInline(text, {});

/** An address as a link holds it. */
export const normalAddress = (href: string): string => parser.normalizeLink(href);

/** Text as HTML shows it, in elements and attributes. */
export const escaped = (text: string): string => parser.utils.escapeHtml(text);
