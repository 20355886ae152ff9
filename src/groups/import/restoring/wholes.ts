// Entries of our own portable format as an import keeps them: checked when they are read, and opened again when they are
// restored.
import { z } from 'zod';
import type { Permission } from '../../../contract/enums.ts';
import type { Parsed } from '../../../imports/shapes.ts';
import { DocumentArtifact, FactAtom, PortableIdentity, RuleAtom } from '../../export/portable.ts';
import { recordSchemas } from '../../export/portable-records.ts';
import type { ItemDoc } from '../record.ts';
import { shownText } from '../staging-text.ts';

/** What a reader does not know it passes over. */
const loose = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape, z.core.$strict>) => z.object(shape);

const schemas = {
  identity: loose(PortableIdentity),
  fact: loose(FactAtom),
  rule: loose(RuleAtom),
  document: loose(DocumentArtifact),
  project: loose(recordSchemas.project),
  goal: loose(recordSchemas.goal),
  hint: loose(recordSchemas.hint),
  task: loose(recordSchemas.task),
  comment: loose(recordSchemas.comment),
  dependency: loose(recordSchemas.dependency),
  version: loose(recordSchemas.version),
  reflection: loose(recordSchemas.reflection),
  pair: loose(recordSchemas.pair),
  handoff: loose(recordSchemas.handoff),
  entity: loose(recordSchemas.entity),
  relation: loose(recordSchemas.relation),
  soul: loose(recordSchemas.soul),
  prompt: loose(recordSchemas.prompt),
  run: loose(recordSchemas.run),
  events: loose(recordSchemas.events),
  note: loose(recordSchemas.note),
  thread: loose(recordSchemas.thread),
  message: loose(recordSchemas.message),
} as const;
export type WholeKind = keyof typeof schemas;
export type Whole<Kind extends WholeKind> = z.output<(typeof schemas)[Kind]>;

/** What a person must be allowed to write by hand, to restore things of a kind. */
export const needsOf: Readonly<Record<WholeKind, readonly Permission[]>> = {
  identity: ['IdentitiesWrite'],
  fact: ['FactsWrite'],
  rule: ['RulesWrite'],
  document: ['DocsWrite', 'DocsPublish'],
  project: ['ProjectsWrite'],
  goal: ['KnowledgeWrite'],
  hint: ['MemoriesWrite'],
  task: ['TasksWrite'],
  comment: ['TasksWrite'],
  dependency: ['TasksWrite'],
  version: ['DocsWrite'],
  reflection: ['MirrorWrite'],
  pair: ['MirrorWrite', 'TrainingApprove'],
  handoff: ['MemoriesWrite'],
  entity: ['GraphWrite'],
  relation: ['GraphWrite'],
  soul: ['IdentitiesWrite'],
  prompt: ['ChatWrite'],
  run: ['RunsWrite'],
  events: ['RunsWrite'],
  note: ['RunsWrite'],
  thread: ['MessagesWrite'],
  message: ['MessagesWrite'],
};
export const wholeKinds = Object.keys(schemas) as WholeKind[];

/** Characters of one text, and entries of one list, beside the content of documents and souls. */
const longest = 200_000;
const longestRule = 4000;
const longestLog = 8_000_000;
const mostEntries = 1000;
const isLong = (kind: string, name: string) =>
  ((kind === 'document' || kind === 'version') && name === 'content') || (kind === 'identity' && name === 'settings');

function isBounded(kind: string, data: object): boolean {
  const most = kind === 'rule' ? longestRule : longest;
  return Object.entries(data).every(([name, value]) => {
    if (typeof value === 'string') return isLong(kind, name) || value.length <= most;
    if (Array.isArray(value))
      return value.length <= mostEntries && JSON.stringify(value).length <= (kind === 'events' ? longestLog : longest);
    return typeof value !== 'object' || value === null || JSON.stringify(value).length <= longest;
  });
}

const isKind = (kind: string): kind is WholeKind => Object.hasOwn(schemas, kind);

/** What was read, without what looks like ours and is not: that is a memory like others, or nothing. */
export function sound(parsed: Parsed): Parsed {
  if (!('whole' in parsed) || !parsed.whole) return parsed;
  const { kind, data } = parsed.whole;
  if (isKind(kind) && schemas[kind].safeParse(data).success && isBounded(kind, data)) return parsed;
  const { whole: _, restoreOnly, ...rest } = parsed;
  if (!restoreOnly) return rest;
  return {
    kind: 'skipped',
    reason: `entries that say too little or too much of a ${kind}`,
    where: parsed.title ?? kind,
  };
}

/** Fields of a kind that the title and the text of its item are; a person may have written others. */
const shownAs: Partial<Record<WholeKind, { title?: string; content?: readonly string[] }>> = {
  rule: { content: ['content'] },
  document: { title: 'title', content: ['content'] },
  fact: { content: ['value'] },
  goal: { title: 'topic', content: ['description'] },
  hint: { content: ['content'] },
  task: { title: 'title', content: ['description'] },
  handoff: { title: 'title', content: ['summary'] },
  comment: { content: ['content'] },
  prompt: { title: 'name', content: ['text'] },
  version: { title: 'title', content: ['content'] },
  run: { title: 'goal' },
  note: { content: ['content'] },
  thread: { title: 'title' },
  message: { content: ['content'] },
};

/** An item as its kind, with what a person wrote in place of its title and text. */
export function wholeOf<Kind extends WholeKind>(kind: Kind, item: ItemDoc): Whole<Kind> {
  const data = JSON.parse(item.whole ?? '{}') as Record<string, unknown>;
  const { title, content = [] } = shownAs[kind] ?? {};
  for (const name of content) {
    const said = data[name];
    if (typeof said === 'string' && said.trim() && shownText({ kind: item.kind, content: said }) !== item.content)
      data[name] = item.content;
  }
  if (title && item.title && typeof data[title] === 'string' && isOther(data[title], item.title))
    data[title] = item.title;
  return schemas[kind].parse(data) as Whole<Kind>;
}

/** Titles are shown in one line, cut. */
export const isOther = (said: string, title: string) => !said.trim().replaceAll(/\s+/g, ' ').startsWith(title);

/** Texts of an entry that secrets and personal data are looked for in. */
export function textsIn(whole: string): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!/^(?:[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/i.test(value)) found.push(value);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(JSON.parse(whole));
  return found;
}
