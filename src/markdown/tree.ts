// Markdown of anybody as a tree: what HTML and the dashboard are made from.
import type { Env } from 'markdown-it';
import { build, type TreeOptions } from './build.ts';
import { type Node, plainCode, wordsOf } from './nodes.ts';
import { lineTokensOf, tokensOf } from './parser.ts';

/** A text that is too long or has too much in it is shown as it is. */
export const treeOf = (text: string, options: TreeOptions = {}): Node[] => blocksOf(text, options).nodes;

export interface Blocks {
  nodes: Node[];
  /** Of these, how many stay as they are however the text goes on, and where what follows them begins. */
  whole: { count: number; end: number };
}

const nothing = { count: 0, end: 0 };

/** A text with the place up to which it stays as it is when it grows. */
export function blocksOf(text: string, options: TreeOptions = {}): Blocks {
  const env: Env = {};
  const tokens = tokensOf(text, env);
  const nodes = build(tokens, text.length, options);
  if (!tokens || !nodes) return { nodes: [plainCode('pre', text)], whole: nothing };
  // Definitions of links are for all of a text, wherever they stand.
  if (env.references) return { nodes, whole: nothing };
  const lines = tokens.flatMap(({ level, nesting, map }) => (level === 0 && nesting >= 0 && map ? [map[0]] : []));
  return { nodes, whole: wholeOf(text, lines) };
}

/** Blocks begin at these lines: the last one after a blank line whose own first line has its end cannot join others. */
function wholeOf(text: string, lines: readonly number[]): Blocks['whole'] {
  const begins = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: sign, index }) => index + sign.length)];
  const isBlank = (line: number) => text.slice(begins[line], begins[line + 1]).trim() === '';
  const count = lines.findLastIndex(
    (line) => line > 0 && isBlank(line - 1) && (begins[line + 1] ?? text.length) < text.length,
  );
  return count < 1 ? nothing : { count, end: begins[lines[count] ?? 0] ?? 0 };
}

/** Only what stands within a line: emphasis, code, links. */
export const lineOf = (text: string, options: TreeOptions = {}): Node[] =>
  build(lineTokensOf(text), text.length, options) ?? [text];

/** What a line says, without its signs. @example lineWords('# A *b*') // 'A b' */
export const lineWords = (text: string): string => wordsOf(lineOf(text.replace(/^#+\s+/, '')));
