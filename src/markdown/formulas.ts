// Formulas between dollars or \( \) and \[ \], which models write, as rules of the parser.
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { longestFormula } from './limits.ts';

const { inline: inLine, block: alone } = longestFormula;

/** A dollar before a space or after one is money, as is one that a figure follows. Each looks a bounded way ahead. */
const written = [
  new RegExp(`\\$\\$([^$\\n]{1,${inLine}})\\$\\$`, 'y'),
  new RegExp(`\\$(?!\\s)((?:\\\\.|[^$\\\\\\n]){1,${inLine}})(?<!\\s)\\$(?!\\d)`, 'y'),
  new RegExp(`\\\\\\(((?:(?!\\\\\\)).){1,${inLine}})\\\\\\)`, 'y'),
];

const closers: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]' };

function inlineFormula(state: StateInline, silent: boolean): boolean {
  const sign = state.src[state.pos];
  if (sign !== '$' && !state.src.startsWith('\\(', state.pos)) return false;
  for (const pattern of written) {
    pattern.lastIndex = state.pos;
    const [raw, text = ''] = pattern.exec(state.src) ?? [];
    if (raw === undefined || state.pos + raw.length > state.posMax) continue;
    if (!silent) state.push('formula_inline', '', 0).content = text.trim();
    state.pos += raw.length;
    return true;
  }
  return false;
}

/** The line in which a formula ends that begins with another one; null where it does not end within its paragraph. */
function lastLine(state: StateBlock, first: number, end: number, from: number, closer: string): number | null {
  const found = state.src.slice(from, from + alone).indexOf(closer);
  if (found < 0) return null;
  const closed = from + found + closer.length;
  for (let line = first; line < end; line++) {
    if (state.isEmpty(line) || (state.sCount[line] ?? 0) < state.blkIndent) return null;
    const last = state.eMarks[line] ?? 0;
    if (closed <= last) return state.src.slice(closed, last).trim() === '' ? line : null;
  }
  return null;
}

function blockFormula(state: StateBlock, first: number, end: number, silent: boolean): boolean {
  if ((state.sCount[first] ?? 0) - state.blkIndent >= 4) return false;
  const from = (state.bMarks[first] ?? 0) + (state.tShift[first] ?? 0) + 2;
  const closer = closers[state.src.slice(from - 2, from)];
  if (!closer || from > (state.eMarks[first] ?? 0)) return false;
  const last = lastLine(state, first, end, from, closer);
  if (last === null) return false;
  const text = state
    .getLines(first, last + 1, state.blkIndent, false)
    .trim()
    .slice(2, -2)
    .trim();
  if (text === '') return false;
  if (silent) return true;
  const token = state.push('formula_block', '', 0);
  token.content = text;
  token.map = [first, last + 1];
  state.line = last + 1;
  return true;
}

export function readFormulas(parser: MarkdownIt): void {
  parser.inline.ruler.before('escape', 'formula', inlineFormula);
  const alt = ['paragraph', 'reference', 'blockquote', 'list'];
  parser.block.ruler.before('fence', 'formula', blockFormula, { alt });
}
