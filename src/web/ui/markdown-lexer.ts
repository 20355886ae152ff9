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

export const blockTokens = (text: string): Token[] => marked.lexer(text);

/** What stands within a line. */
export const inlineTokens = (text: string): Token[] => new marked.Lexer(marked.defaults).inlineTokens(text);

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
