// Parser of `.gitignore` rules, used in place of git's own matcher, which backtracks on hostile patterns.
import { type Matches, wholeMatcher } from '../../src/kernel/patterns.ts';

interface Rule {
  isNegated: boolean;
  foldersOnly: boolean;
  /** True when the rule matches the name alone, not the path. */
  isOfName: boolean;
  matches: Matches;
  /** Cost of matching per character. */
  cost: number;
}

/** The rules of one file, for paths relative to its folder. */
export type Rules = readonly Rule[];

/** Limit of bytes read per file; the rest is ignored. */
export const ignoreFileBytes = 64 * 1024;
const mostRules = 500;
const longestRule = 255;
const mostWildcards = 16;

/** Reads a file's text. Rules that git would never match, and any beyond the limits, are left out. */
export function parseIgnore(text: string): Rules {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    const rule = parseRule(withoutSpaces(line.replace(/\r$/, '')));
    if (rule && rules.push(rule) === mostRules) break;
  }
  return rules;
}

/** Spaces at the end mean nothing unless they are escaped. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  let slashes = 0;
  while (line[end - 1 - slashes] === '\\') slashes += 1;
  return end < line.length && slashes % 2 === 1 ? line.slice(0, end + 1) : line.slice(0, end);
}

function parseRule(line: string): Rule | null {
  if (line === '' || line.startsWith('#') || line.length > longestRule) return null;
  const isNegated = line.startsWith('!');
  const body = isNegated ? line.slice(1) : line;
  const foldersOnly = body.endsWith('/');
  const pattern = foldersOnly ? body.slice(0, -1) : body;
  if (pattern === '') return null;
  const isOfName = !pattern.includes('/');
  const matcher = isOfName ? nameMatcher(pattern) : pathMatcher(pattern.replace(/^\//, ''));
  return matcher && { isNegated, foldersOnly, isOfName, ...matcher };
}

type Matcher = Pick<Rule, 'matches' | 'cost'>;
const isPlain = (text: string) => !/[*?[\\]/.test(text);

/** Names and endings are most of what people write. */
function nameMatcher(pattern: string): Matcher | null {
  if (isPlain(pattern)) return { matches: (name) => name === pattern, cost: 0 };
  const ending = pattern.slice(1);
  if (pattern.startsWith('*') && isPlain(ending)) return { matches: (name) => name.endsWith(ending), cost: 0 };
  return pathMatcher(pattern);
}

function pathMatcher(pattern: string): Matcher | null {
  if (isPlain(pattern)) return { matches: (path) => path === pattern, cost: 0 };
  const wildcards = pattern.replace(/[^*?[]/g, '').length;
  const source = wildcards > mostWildcards ? null : toExpression(pattern);
  if (source === null) return null;
  // As many places of the expression as it has wildcards can be at work at once. Few rules are ever asked.
  let matches: Matches | null = null;
  return {
    matches: (path) => {
      matches ??= compile(source);
      return matches(path);
    },
    cost: 1 + wildcards,
  };
}

/** A set that ends before it begins (`[z-a]`) is an error to RE2, and matches nothing to git. */
function compile(source: string): Matches {
  try {
    return wholeMatcher(source);
  } catch {
    return () => false;
  }
}

/** RE2's way to say it; null for what never matches. */
function toExpression(pattern: string): string | null {
  let source = '';
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at] as string;
    if (char === '*') {
      const { text, next } = stars(pattern, at);
      source += text;
      at = next;
    } else if (char === '[') {
      const set = readSet(pattern, at);
      if (!set) return null;
      source += set.text;
      at = set.next;
    } else if (char === '\\') {
      const escaped = pattern[at + 1];
      if (escaped === undefined) return null;
      source += literal(escaped);
      at += 2;
    } else {
      source += char === '?' ? '[^/]' : literal(char);
      at += 1;
    }
  }
  return source;
}

const literal = (char: string) => char.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');

/** Two or more stars between slashes, or at either end, cross folders; all others stay in theirs. */
function stars(pattern: string, at: number): { text: string; next: number } {
  let next = at;
  while (pattern[next] === '*') next += 1;
  const isWhole = next - at >= 2 && (at === 0 || pattern[at - 1] === '/');
  if (isWhole && pattern[next] === '/') return { text: '(?:.*/)?', next: next + 1 };
  return { text: isWhole && next === pattern.length ? '.*' : '[^/]*', next };
}

/** A set such as `[!a-z_]` or `[[:digit:]]`; null when it has no end. */
function readSet(pattern: string, start: number): { text: string; next: number } | null {
  let at = start + 1;
  const isNegated = pattern[at] === '!' || pattern[at] === '^';
  if (isNegated) at += 1;
  let members = '';
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    const known = /^\[:[a-z]+:\]/.exec(pattern.slice(at, at + 12))?.[0];
    if (known) {
      members += known;
      at += known.length;
      continue;
    }
    const isEscaped = pattern[at] === '\\';
    const char = pattern[at + (isEscaped ? 1 : 0)];
    if (char === undefined) return null;
    const isRange = !isEscaped && char === '-' && members !== '' && pattern[at + 1] !== ']';
    members += isRange ? '-' : char.replace(/[\\^\][-]/, '\\$&');
    at += isEscaped ? 2 : 1;
  }
  // A set never matches a slash.
  const text = isNegated ? `[^/${members}]` : `(?:[${members}])`;
  return { text, next: at + 1 };
}

export interface Named {
  /** Relative to the workspace. */
  path: string;
  name: string;
  isFolder: boolean;
}

/** Work that one look at a workspace may spend on rules; beyond it none are asked any more. */
const mostWork = 300_000_000;

/** Tells what the rules of a workspace leave out, as far as the work goes that they may cost. */
export function createIgnoring(work = mostWork) {
  let left = work;
  const levels: { folder: string; rules: Rules }[] = [];
  const decides = (rule: Rule, path: string, { name, isFolder }: Named): boolean => {
    if (rule.foldersOnly && !isFolder) return false;
    const text = rule.isOfName ? name : path;
    left -= 1 + rule.cost * text.length;
    return left > 0 && rule.matches(text);
  };
  return {
    /** The rules of a folder that is gone into; those of folders that were left are forgotten. */
    enter(folder: string, rules: Rules): void {
      if (rules.length > 0) levels.push({ folder, rules });
    },
    /** Whether an entry is left out. Entries come in the order of a walk. */
    isIgnored(entry: Named): boolean {
      for (let last = levels.at(-1); last && !isBelow(entry.path, last.folder); last = levels.at(-1)) levels.pop();
      for (const { folder, rules } of levels.toReversed()) {
        const path = folder === '' ? entry.path : entry.path.slice(folder.length + 1);
        const rule = rules.findLast((rule) => decides(rule, path, entry));
        if (rule) return !rule.isNegated;
      }
      return false;
    },
    /** All the work is spent. */
    get isSpent(): boolean {
      return left <= 0;
    },
  };
}

const isBelow = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);
