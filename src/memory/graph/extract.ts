// Extraction of entities and relations from a text without a model: names, tags, and plain verbs between two names.
import type { GraphNodeKind } from '../../contract/enums.ts';

export interface Entity {
  name: string;
  kind: GraphNodeKind;
}

export interface Relation {
  from: string;
  to: string;
  /** Name of the relation in snake case, e.g. `depends_on`. */
  relation: string;
}

export interface Extracted {
  entities: Entity[];
  relations: Relation[];
}

/** Limit of names per text: a list of names is no knowledge. */
const mostEntities = 16;

/** Normal form of a name, equal for all its spellings. */
export const nameKey = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_\-.]+/g, ' ')
    .replace(/[^\p{L}\p{N} +#]/gu, '')
    .trim();

const word = String.raw`\p{Lu}[\p{L}\p{N}’'&+#-]*`;
const joint = String.raw`(?:\s(?:of|de|van|von|der|del|the)(?=\s\p{Lu}))?`;
const names = new RegExp(String.raw`${word}(?:${joint}\s${word}){0,4}`, 'gu');
const quoted = /`([^`\n]{2,60})`/g;

/** Words that begin sentences more often than names. */
const common = new Set(
  'a an the this that these those it its he she we you they i my our your his her their in on at by for from to of and or but if then when where who what why how not no yes all any some each every there here as is are was were be been do does did has have had will would can could should may must after before during since until while with without into over under use used using see note new old only also both either neither never always first second third next last one two three yesterday today tomorrow monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december'.split(
    ' ',
  ),
);

const verbs: readonly (readonly [RegExp, string])[] = [
  [/^(?:uses?|is using|relies on)$/i, 'uses'],
  [/^(?:depends? on|requires?|needs)$/i, 'depends_on'],
  [/^(?:is part of|belongs to|is in)$/i, 'part_of'],
  [/^(?:owns?|has|maintains?)$/i, 'owns'],
  [/^(?:works? (?:for|at)|is employed by)$/i, 'works_for'],
  [/^(?:works? with|knows?|met)$/i, 'knows'],
  [/^(?:lives? in|is located in|lies? in|is based in|moved to)$/i, 'located_in'],
  [/^(?:created|wrote|built|founded|invented|designed|made)$/i, 'created'],
  [/^(?:replaces|replaced|supersedes)$/i, 'replaces'],
  [/^(?:runs on|is hosted on|is deployed to)$/i, 'runs_on'],
  [/^(?:leads|manages|runs|is head of)$/i, 'leads'],
  [/^(?:is an? [\p{Ll} -]{2,30} of)$/iu, 'relates_to'],
  [/^(?:is an?|is the)$/i, 'is_a'],
];

interface Found {
  name: string;
  at: number;
  end: number;
}

/** Names in a text, in order. A single word at the start of a sentence counts only if it also occurs elsewhere. */
function namesIn(text: string): Found[] {
  const found: Found[] = [];
  const rest = text.replace(quoted, (whole, name: string, at: number) => {
    found.push({ name: name.trim(), at, end: at + whole.length });
    return ' '.repeat(whole.length);
  });
  const starts: Found[] = [];
  for (const match of rest.matchAll(names)) {
    const first = match[0].split(/\s/)[0] as string;
    // "The Harbour" yields the harbour; "When Ada" yields Ada.
    const skip = common.has(first.toLowerCase()) ? first.length : 0;
    const name = match[0]
      .slice(skip)
      .trim()
      .replace(/[’']s$/, '');
    if (name.length < 2 || common.has(name.toLowerCase())) continue;
    const at = match.index + match[0].length - match[0].slice(skip).trimStart().length;
    const one = { name, at, end: match.index + match[0].length };
    const isStart = skip === 0 && !name.includes(' ') && /(?:^|[.!?:\n]\s*|^[-*]\s*)$/.test(rest.slice(0, match.index));
    (isStart ? starts : found).push(one);
  }
  const sure = new Set(found.map(({ name }) => nameKey(name)));
  // The start of a sentence counts as a name when a verb joins it to another name.
  const joined = starts.filter((one) => sure.has(nameKey(one.name)) || found.some((other) => verbOf(text, one, other)));
  return [...found, ...joined].sort((one, other) => one.at - other.at);
}

function verbOf(text: string, from: Found, to: Found): string | null {
  if (to.at <= from.end || to.at - from.end > 60) return null;
  const between = text
    .slice(from.end, to.at)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\s(?:the|an?)$/i, '')
    .trim();
  return verbs.find(([pattern]) => pattern.test(between))?.[1] ?? null;
}

/** Entities of a text. Tags become topics. */
export function extract(text: string, tags: readonly string[] = []): Extracted {
  const found = namesIn(text.slice(0, 20_000));
  const entities = new Map<string, Entity>();
  const put = (name: string, kind: GraphNodeKind) => {
    const key = nameKey(name);
    if (key.length >= 2 && !entities.has(key) && entities.size < mostEntities) entities.set(key, { name, kind });
  };
  for (const tag of tags) put(tag, 'Topic');
  for (const { name } of found) put(name, kindOf(name));
  const relations: Relation[] = [];
  for (const [at, from] of found.entries()) {
    const to = found[at + 1];
    const relation = to && verbOf(text, from, to);
    const known = to && entities.has(nameKey(from.name)) && entities.has(nameKey(to.name));
    if (relation && known && nameKey(from.name) !== nameKey(to.name))
      relations.push({ from: from.name, to: to.name, relation });
  }
  return { entities: [...entities.values()], relations };
}

const organizations = /\b(?:inc|gmbh|ltd|llc|corp|university|institute|bank|company|foundation|team)\b/i;
const places = /\b(?:lake|river|city|street|island|mount|bay|harbou?r)\b/i;

function kindOf(name: string): GraphNodeKind {
  if (organizations.test(name)) return 'Organization';
  if (places.test(name)) return 'Place';
  if (/[\d.+#_/]|^[A-Z]{2,}$|[a-z][A-Z]/.test(name)) return 'Technology';
  return 'Concept';
}
