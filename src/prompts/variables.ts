// Variables of a prompt's text: `{{topic}}`, `{{tone:friendly}}` with a default, `{{tone:friendly|formal}}` with choices.

export interface Variable {
  name: string;
  /** What may be filled in; empty where anything may. */
  choices: string[];
  /** What stands where nothing is filled in: its default, or the first of its choices; null where it must be filled. */
  default: string | null;
}

/** A name begins with a letter, a digit or `_`. Other text in braces, such as code, is text like any other. */
const pattern = /\{\{[ \t]*([\p{L}\p{N}_][\p{L}\p{N}_ -]{0,49})(?::([^{}]*))?\}\}/gu;

/** The variables of a text, each once, in the order in which they come; the first that has options gives them. */
export function variablesIn(text: string): Variable[] {
  const found = new Map<string, string[]>();
  for (const [, name = '', written = ''] of text.matchAll(pattern)) {
    const options = [...new Set(written.split('|').map((one) => one.trim()))].filter(Boolean);
    const known = found.get(name.trim());
    if (!known?.length) found.set(name.trim(), options);
  }
  return [...found].map(([name, options]) => ({
    name,
    choices: options.length > 1 ? options : [],
    default: options[0] ?? null,
  }));
}

/** A piece of a text: what is written, or a variable. */
export type Piece = { text: string } | { variable: string };

/** A text in pieces, in order. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ variable: (match[1] as string).trim() });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
