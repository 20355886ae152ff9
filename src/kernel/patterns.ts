// Patterns that come from outside: matched in time linear in the text, never by the language's own engine, which backtracks.
import { RE2JS } from 're2js';

/** Whether a text matches; no groups, no positions. */
export type Matches = (text: string) => boolean;

/** Characters that mean something in a regular expression, as `escaped` puts them. */
const special = /[\\^$.*+?()[\]{}|/]/g;
const escaped = /\\([\\^$.*+?()[\]{}|/])/g;

/** Text as a regular expression that matches just this. */
export const quote = (text: string): string => text.replace(special, '\\$&');

/** A matcher of whole texts for an expression of RE2's syntax that our own code has put together; `.` is any character. */
export function wholeMatcher(source: string): Matches {
  const compiled = RE2JS.compile(`^(?:${source})$`, RE2JS.DOTALL);
  return (text) => compiled.test(text);
}

/** A matcher of paths: `**` crosses folders, `*` and `?` don't. */
export function globMatcher(glob: string): Matches {
  const source = glob.replace(/\*\*\/|\*\*|[*?]|[\\^$.+()[\]{}|]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\${token}`;
  });
  return wholeMatcher(source);
}

/** Whether a pattern names something: the name itself, or its beginning and a trailing `*`. */
export const namedBy = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** A matcher for the `$regex` of filters: `^`? literal text `$`?, as `quote` makes it. */
export function literalMatcher(pattern: string, ignoresCase: boolean): Matches {
  const isStart = pattern.startsWith('^');
  const isEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(pattern);
  const literal = pattern.slice(isStart ? 1 : 0, isEnd ? -1 : undefined).replace(escaped, '$1');
  const exact = comparing(literal, isStart, isEnd);
  if (!ignoresCase) return exact;
  const folded = comparing(literal.toLowerCase(), isStart, isEnd);
  const anyCase = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  // Beyond ASCII, case is a matter of tables.
  return (text) => (isAscii(text) && isAscii(literal) ? folded(text.toLowerCase()) : anyCase.test(text));
}

function comparing(literal: string, isStart: boolean, isEnd: boolean): Matches {
  if (isStart && isEnd) return (text) => text === literal;
  if (isStart) return (text) => text.startsWith(literal);
  return isEnd ? (text) => text.endsWith(literal) : (text) => text.includes(literal);
}

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
