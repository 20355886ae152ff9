// Markdown as tokens: GitHub's, and formulas between dollars or \( \) and \[ \], which models write.
import { Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked';

export interface FormulaToken extends Tokens.Generic {
  type: 'formula';
  /** TeX. */
  text: string;
  /** On a line of its own. */
  display: boolean;
}

/** A dollar before a space or after one is money, as is one that a figure follows. */
const inline = /^(?:\$\$([^$\n]+?)\$\$|\$(?!\s)((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d)|\\\((.+?)\\\))/;
const block = /^(?: {0,3})(?:\$\$\s*\n?([\s\S]+?)\n?\s*\$\$|\\\[([\s\S]+?)\\\])\s*(?:\n|$)/;

const formula = (raw: string, text: string, display: boolean): FormulaToken => ({
  type: 'formula',
  raw,
  text: text.trim(),
  display,
});

const extensions: TokenizerAndRendererExtension[] = [
  {
    name: 'formula-block',
    level: 'block',
    start: (text) => text.search(/^ {0,3}(?:\$\$|\\\[)/m),
    tokenizer: (text) => {
      const match = block.exec(text);
      return match ? formula(match[0], match[1] ?? match[2] ?? '', true) : undefined;
    },
    renderer: () => '',
  },
  {
    name: 'formula-inline',
    level: 'inline',
    start: (text) => text.search(/\$|\\\(/),
    tokenizer: (text) => {
      const match = inline.exec(text);
      return match ? formula(match[0], match[1] ?? match[2] ?? match[3] ?? '', false) : undefined;
    },
    renderer: () => '',
  },
];

const marked = new Marked({ extensions });

/** Levels of tokens within each other that a page shows as such; a list has two. */
const deepest = 100;

const isDeeper = (tokens: readonly Token[], levels: number): boolean =>
  levels === 0 ? tokens.length > 0 : tokens.some((token) => isDeeper(within(token), levels - 1));

const within = (token: Token): Token[] => [
  ...('tokens' in token && token.tokens ? token.tokens : []),
  ...(token.type === 'list' ? (token as Tokens.List).items : []),
];

/** Tokens that a page can show; null for a text with so much within each other that it would take the page down. */
function shallow(lex: () => Token[]): Token[] | null {
  try {
    const tokens = lex();
    return isDeeper(tokens, deepest) ? null : tokens;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A text that is nested too deep is shown as it is. */
export const blockTokens = (text: string): Token[] =>
  shallow(() => marked.lexer(text)) ?? [{ type: 'code', raw: text, text }];

/** What stands within a line. */
export const inlineTokens = (text: string): Token[] =>
  shallow(() => new marked.Lexer(marked.defaults).inlineTokens(text)) ?? [{ type: 'text', raw: text, text }];

/** The words alone, for titles. */
export function plainText(text: string): string {
  const wordsOf = (tokens: readonly Token[]): string =>
    tokens
      .map((token) =>
        'tokens' in token && token.tokens ? wordsOf(token.tokens) : ((token as Tokens.Text).text ?? token.raw),
      )
      .join('');
  return wordsOf(inlineTokens(text.replace(/^#+\s+/, '')));
}
