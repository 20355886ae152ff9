// Souls as text: one writer, and a reader that takes its own form exactly and others leniently. Pure.
//
// Our form says `format: rivulet-soul/1` in its front matter. Short values stand in the front matter, lists and long
// texts in sections; a line of a long text that looks like a heading is escaped by a backslash.
import { parse, stringify } from 'yaml';
import { Fault } from '../../../kernel/fault.ts';
import type { SoulSpecImport } from './dto.ts';
import { fieldOfHeading, fieldOfKey, type SoulField } from './soul-words.ts';

export type Soul = Omit<SoulSpecImport, 'notMapped'>;

const format = 'rivulet-soul/1';
/** Characters of a soul, of its front matter, and of each kind of field; entries of a list. */
const limits = {
  text: 524_288,
  head: 32_768,
  line: 500,
  long: 32_000,
  bio: 8000,
  entries: 100,
  name: 100,
  reported: 200,
  row: 4000,
};

export const plainSoul: Soul = {
  name: '',
  displayName: '',
  bio: null,
  origin: null,
  tone: '',
  traits: [],
  focusAreas: [],
  boundaries: [],
  greetingStyle: '',
  uncertaintyHandling: '',
  customInstructions: null,
  systemPrompt: null,
  temperature: 0.3,
  maxIterations: 40,
  roleName: null,
  emoji: null,
  proactiveSuggestions: false,
};

const lists = ['traits', 'focusAreas', 'boundaries'] as const;
const longs = ['bio', 'origin', 'customInstructions', 'systemPrompt'] as const;
const lines = ['tone', 'greetingStyle', 'uncertaintyHandling', 'displayName'] as const;
const titles: Record<(typeof lists)[number] | (typeof longs)[number], string> = {
  bio: 'Bio',
  origin: 'Origin',
  traits: 'Traits',
  focusAreas: 'Focus Areas',
  boundaries: 'Boundaries',
  customInstructions: 'Instructions',
  systemPrompt: 'System Prompt',
};

/** Whether a text is of our own form, which holds a soul whole. */
export const isOwnForm = (text: string): boolean => text.startsWith(`---\nformat: ${format}\n`);

/** A soul as text, with further values in its front matter. */
export function writeSoul(soul: Soul, more: Readonly<Record<string, string>> = {}): string {
  const { bio, origin, traits, focusAreas, boundaries, customInstructions, systemPrompt, ...short } = normal(soul);
  const { emoji, tone, greetingStyle, uncertaintyHandling, roleName } = short;
  const head = {
    format,
    name: short.name,
    displayName: short.displayName,
    ...(emoji && { emoji }),
    ...(tone && { tone }),
    ...(greetingStyle && { greetingStyle }),
    ...(uncertaintyHandling && { uncertaintyHandling }),
    ...(roleName && { role: roleName }),
    temperature: short.temperature,
    maxIterations: short.maxIterations,
    ...(short.proactiveSuggestions && { proactiveSuggestions: true }),
    ...more,
  };
  const section = (title: string, text: string) => `## ${title}\n\n${text}`;
  const list = (title: string, items: readonly string[]) =>
    items.length > 0 && section(title, items.map((item) => `- ${item}`).join('\n'));
  const long = (title: string, text: string | null) => text && section(title, escaped(text));
  const parts = [
    `---\n${stringify(head, { lineWidth: 0 })}---`,
    `# ${[emoji, short.displayName].filter(Boolean).join(' ')}`,
    long(titles.bio, bio),
    long(titles.origin, origin),
    list(titles.traits, traits),
    list(titles.focusAreas, focusAreas),
    list(titles.boundaries, boundaries),
    long(titles.customInstructions, customInstructions),
    long(titles.systemPrompt, systemPrompt),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** @throws Fault VALIDATION_FAILED for what is no text, is too long, or has a front matter that cannot be read */
export function readSoul(markdown: string): SoulSpecImport {
  if (markdown.length > limits.text || markdown.includes('\0'))
    throw unreadable(markdown.includes('\0') ? 'it is no text' : `it is longer than ${limits.text} characters`);
  const text = markdown.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const { head, body } = frontMatter(text);
  const own = head.format === format;
  const notMapped: string[] = [];
  const found: Partial<Record<SoulField, string[]>> = {};
  const put = (field: SoulField, value: string) => {
    if (!value.trim()) return;
    found[field] ??= [];
    found[field].push(value.trim());
  };
  for (const [key, value] of Object.entries(head)) {
    if (key === 'format' && own) continue;
    const field = fieldOfKey(key);
    const values = textsOf(value);
    if (!field || values === null) notMapped.push(`front matter: ${key.slice(0, 100)}`);
    else for (const one of values) put(field, one);
  }
  for (const { heading, text: said } of sectionsOf(body, own)) {
    const field = heading === null ? 'bio' : fieldOfHeading(heading);
    if (field === 'settings') for (const [key, value] of settingsIn(said, notMapped)) put(key, value);
    else if (field) for (const one of isList(field) ? itemsOf(said) : [said]) put(field, one);
    else if (said.trim()) notMapped.push((heading ?? '').slice(0, 200));
  }
  if (!own && !found.displayName) put('displayName', titleOf(body) ?? '');
  return { ...assembled(found), notMapped: notMapped.slice(0, limits.reported) };
}

/** Values as they are kept: trimmed, without control characters, within their limits. */
export function normal(soul: Soul): Soul {
  const made = { ...soul };
  for (const name of lists)
    made[name] = [...new Set(soul[name].map((one) => line(one)).filter(Boolean))].slice(0, limits.entries);
  for (const name of longs)
    made[name] = long(soul[name], name === 'bio' || name === 'origin' ? limits.bio : limits.long);
  for (const name of lines) made[name] = line(soul[name]);
  return {
    ...made,
    name: line(soul.name).slice(0, limits.name).trim(),
    displayName: line(soul.displayName).slice(0, 200).trim(),
    roleName: (soul.roleName && line(soul.roleName).slice(0, limits.name).trim()) || null,
    emoji: (soul.emoji && line(soul.emoji).slice(0, 50).trim()) || null,
    temperature: Math.min(2, Math.max(0, Number.isFinite(soul.temperature) ? soul.temperature : 0.3)),
    maxIterations: Math.min(100_000, Math.max(1, Math.trunc(soul.maxIterations) || 40)),
  };
}

const clean = (text: string) =>
  text
    .replaceAll(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFEFF\uFFFE\uFFFF]|\p{Surrogate}/gu, '');
const line = (text: string) => clean(text).replaceAll(/\s+/g, ' ').trim().slice(0, limits.line).trim();
const long = (text: string | null, most: number) =>
  text === null ? null : clean(text).trim().slice(0, most).trim() || null;

const escaped = (text: string) => text.replaceAll(/^([ \t]*\\*#)/gm, '\\$1');
const unescaped = (text: string) => text.replaceAll(/^\\([ \t]*\\*#)/gm, '$1');

function assembled(found: Partial<Record<SoulField, string[]>>): Soul {
  const joined = (field: SoulField, between: string) => found[field]?.join(between) ?? null;
  const number = (field: SoulField, plain: number) => {
    const value = Number(found[field]?.[0]);
    return found[field] && Number.isFinite(value) ? value : plain;
  };
  const displayName = joined('displayName', ' ') ?? joined('name', ' ') ?? 'Soul';
  return normal({
    name: found.name?.[0] ?? displayName.replaceAll(/[^\p{L}\p{N} ._-]+/gu, '').trim(),
    displayName,
    bio: joined('bio', '\n\n'),
    origin: joined('origin', '\n\n'),
    tone: joined('tone', ' ') ?? '',
    traits: found.traits ?? [],
    focusAreas: found.focusAreas ?? [],
    boundaries: found.boundaries ?? [],
    greetingStyle: joined('greetingStyle', ' ') ?? '',
    uncertaintyHandling: joined('uncertaintyHandling', ' ') ?? '',
    customInstructions: joined('customInstructions', '\n\n'),
    systemPrompt: joined('systemPrompt', '\n\n'),
    temperature: number('temperature', plainSoul.temperature),
    maxIterations: number('maxIterations', plainSoul.maxIterations),
    roleName: found.roleName?.[0] ?? null,
    emoji: found.emoji?.[0] ?? null,
    proactiveSuggestions: found.proactiveSuggestions?.[0] === 'true',
  });
}

function frontMatter(text: string): { head: Record<string, unknown>; body: string } {
  const end = text.startsWith('---\n') ? text.indexOf('\n---', 3) : -1;
  if (end < 0) return { head: {}, body: text };
  if (end > limits.head) throw unreadable('its front matter is too long');
  const body = text.slice(end + 4).replace(/^[^\n]*\n?/, '');
  try {
    // No aliases at all: nothing in a soul needs them, and bombs are made of them.
    const head: unknown = parse(text.slice(4, end), { maxAliasCount: 0, schema: 'core' });
    const isMap = typeof head === 'object' && head !== null && !Array.isArray(head);
    return { head: isMap ? (head as Record<string, unknown>) : {}, body };
  } catch (cause) {
    throw unreadable('its front matter is no YAML', cause);
  }
}

/** A value of the front matter as texts; null for one that is neither a value nor a list of them. */
function textsOf(value: unknown): string[] | null {
  const all = Array.isArray(value) ? value : [value];
  const isPlain = all.every((one) => ['string', 'number', 'boolean'].includes(typeof one));
  return isPlain ? all.slice(0, limits.entries).map(String) : null;
}

interface Section {
  /** Null for what stands before the first heading below the title. */
  heading: string | null;
  text: string;
}

/** The parts of a body, by their headings; the title is none. A system prompt in our form goes to the end. */
function sectionsOf(body: string, own: boolean): Section[] {
  const sections: Section[] = [{ heading: null, text: '' }];
  let fence: string | null = null;
  let current: string[] = [];
  const close = () => {
    const last = sections.at(-1) as Section;
    last.text = own ? unescaped(current.join('\n')) : current.join('\n');
    current = [];
  };
  for (const row of body.split('\n')) {
    const mark = own ? undefined : /^ {0,3}(`{3,}|~{3,})/.exec(row)?.[1]?.slice(0, 3);
    if (mark && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const heading = fence === null ? headingOf(row) : null;
    if (!heading) {
      current.push(row);
      continue;
    }
    // The title of the whole is known by other means.
    if (heading.level === 1 && sections.length === 1 && current.join('').trim() === '') continue;
    close();
    sections.push({ heading: heading.text, text: '' });
  }
  close();
  return sections;
}

/** A heading is a short line; regular expressions see no others, so that long ones cost nothing. */
function headingOf(row: string): { level: number; text: string } | null {
  const found = row.length > 1000 ? null : /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(row);
  if (!found) return null;
  return { level: found[1]?.length ?? 1, text: (found[2] as string).replace(/[ \t#]{1,1000}$/, '') };
}

const titleOf = (body: string): string | null =>
  /^ {0,3}# +(.+)$/m
    .exec(body)?.[1]
    ?.replaceAll(/[^\p{L}\p{N} ._'’-]+/gu, '')
    .replace(/^SOUL(\.md)?\b[\s-]*/i, '')
    .trim() || null;

const isList = (field: SoulField): field is (typeof lists)[number] => (lists as readonly string[]).includes(field);

/** Rows of a text that an expression may look at: one that backtracks over a longer row would stall the server. */
const rowsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row.length <= limits.row);

/** Items of a list, or paragraphs where there is none. */
function itemsOf(text: string): string[] {
  const short = text.slice(0, limits.long * 2);
  const items = rowsOf(short).flatMap((row) => /^(?:[-*+]|\d{1,3}[.)])[ \t]+(.+)$/.exec(row)?.[1] ?? []);
  return items.length > 0 ? items : short.split(/\n{2,}/).filter((one) => one.trim());
}

/** Rows such as `- **Emoji:** x`. Keys that mean nothing here are added to what is not mapped. */
function settingsIn(text: string, notMapped: string[]): [SoulField, string][] {
  return rowsOf(text).flatMap((row) => {
    const [, key, said] = /^(?:[-*+][ \t])?([^:]{1,100}):(.*)$/.exec(row) ?? [];
    const value = said?.replace(/^\*\*/, '').trim();
    const name = key?.replaceAll('*', '').trim();
    if (!name || !value) return [];
    const field = fieldOfKey(name);
    if (field) return [[field, value] as [SoulField, string]];
    notMapped.push(`setting: ${name}`);
    return [];
  });
}

const unreadable = (why: string, cause?: unknown) =>
  new Fault('VALIDATION_FAILED', `This soul cannot be read: ${why}.`, {
    hint: 'Send Markdown with headings such as Traits and Boundaries; look at one with GET /api/identities/{id}/soul.md.',
    cause,
  });
