// Machine-readable parts of a rule's text: tools, paths, quoted texts, and whether a person must be asked.
import { posix } from 'node:path';
import { globMatcher, type Matches } from '../../kernel/patterns.ts';
import type { Stand } from './rule.ts';

/** Parts that a call must share with a rule for the rule to apply. */
export interface Matcher {
  /** Names of tools, or prefixes with a trailing `*`. */
  tools: readonly string[];
  paths: readonly Matches[];
  /** In lower case, with single blanks. */
  texts: readonly string[];
  /** Tools that must have been used before. */
  required: readonly string[];
  /** True when a person decides. */
  asks: boolean;
}

interface Named {
  at: number;
  text: string;
  isQuoted: boolean;
}

const quoted = /`([^`\n]{1,300})`/g;
const toolName = /^[A-Za-z][\w.:-]*_[\w.:-]*\*?$|^[A-Za-z][\w.:-]*\*$/;
const bareTool = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+\*?$/;
const asking = /\bapprov|\bask(?:s|ed|ing)?\b|\bescalat|\bpermission\b|\bconfirmed by\b|\bsign(?:ed)?[- ]off\b/i;

const isPath = ({ text, isQuoted }: Named): boolean => {
  if (/\s|:\/\//.test(text)) return false;
  if (/^(?:\/|\.{1,2}\/|~\/)./.test(text)) return true;
  if (text.includes('/')) return text.endsWith('/') || /[*?]/.test(text) || /\.\w{1,8}$/.test(text) || isQuoted;
  return isQuoted && (/^\.\w/.test(text) || /\.\w{1,8}$/.test(text) || /^\*\./.test(text));
};

function namedIn(assertion: string): Named[] {
  const found: Named[] = [];
  const rest = assertion.replace(quoted, (whole, text: string, at: number) => {
    found.push({ at, text: text.trim(), isQuoted: true });
    return ' '.repeat(whole.length);
  });
  for (const match of rest.matchAll(/\S+/g)) {
    const text = match[0].replace(/^["'([]+|["')\].,;:!?]+$/g, '');
    if (text !== '') found.push({ at: match.index, text, isQuoted: false });
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Parses a rule. Text in backticks, names of tools and paths count; the rest is for the model. */
export function matcherOf({ assertion, kind, trigger }: Pick<Stand, 'assertion' | 'kind' | 'trigger'>): Matcher {
  const named = namedIn(assertion);
  const paths = named.filter(isPath);
  const tools = named.filter(
    (one) => !isPath(one) && (one.isQuoted ? toolName.test(one.text) : bareTool.test(one.text)),
  );
  const texts = named.filter((one) => one.isQuoted && !paths.includes(one) && !tools.includes(one));
  const { gated, required } = kind === 'Must' ? orderOf(assertion, trigger, tools) : { gated: tools, required: [] };
  return {
    tools: gated.map(({ text }) => text),
    paths: paths.map(({ text }) => pathMatcher(text)),
    texts: texts.map(({ text }) => flat(text)),
    required: required.map(({ text }) => text),
    asks: asking.test(assertion),
  };
}

/** Tools that a rule is about, and tools that must be used before them. */
function orderOf(assertion: string, trigger: Stand['trigger'], tools: readonly Named[]) {
  const isAny = trigger === 'BeforeToolCall' || trigger === 'Always';
  const word = /\b(before|after)\b/i.exec(assertion);
  if (tools.length === 0 || asking.test(assertion)) return { gated: tools, required: [] };
  if (!isAny) return { gated: [], required: tools };
  if (!word) return { gated: tools, required: [] };
  const early = tools.filter(({ at }) => at < word.index);
  const late = tools.filter(({ at }) => at > word.index);
  // "a before b": b needs a. "a after b": a needs b.
  if (early.length === 0 || late.length === 0) return { gated: tools, required: [] };
  return word[1]?.toLowerCase() === 'before' ? { gated: late, required: early } : { gated: early, required: late };
}

const flat = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** A path with everything below it; a relative one matches in any folder. */
function pathMatcher(named: string): Matches {
  const path = posix.normalize(named).replace(/(?<=.)\/$/, '');
  const isGlob = /[*?]/.test(path);
  if (isGlob) {
    const globs = [path, `${path}/**`, ...(path.startsWith('/') ? [] : [`**/${path}`, `**/${path}/**`])].map(
      globMatcher,
    );
    return (text) => globs.some((matches) => matches(text));
  }
  if (path.startsWith('/')) return (text) => text === path || text.startsWith(`${path}/`);
  return (text) => `/${text}/`.includes(`/${path}/`);
}

/** Text values in a call's arguments, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

const separators = /[\s'"`;|&<>()=,]+/;

/** Whether a call's arguments contain one of the paths, also inside a command. */
export function namesPath(paths: readonly Matches[], texts: readonly string[]): boolean {
  if (paths.length === 0) return false;
  const words = texts.flatMap((text) => [text, ...text.split(separators)]).filter((word) => word !== '');
  const normal = words.map((word) =>
    posix
      .normalize(word.trim())
      .replace(/^\.\//, '')
      .replace(/(?<=.)\/$/, ''),
  );
  return normal.some((word) => paths.some((matches) => matches(word)));
}

export const saysText = (wanted: readonly string[], texts: readonly string[]): boolean => {
  const all = texts.map(flat);
  return wanted.some((one) => all.some((text) => text.includes(one)));
};
