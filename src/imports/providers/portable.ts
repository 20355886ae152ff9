// Portable memories: our own export with `atoms` and `artifacts`, and lists of memories as other systems write them.
import { LinkType, MemoryType, Provenance } from '../../contract/enums.ts';
import { conversation, roleOf } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, numberOf, textOf, timeOf, titleOf } from '../fields.ts';
import type { Format, Parsed, ParsedItem } from '../shapes.ts';

const kindOf = (value: Dict) => firstText(value, 'kind', 'type')?.toLowerCase() ?? '';
const isDocument = (value: unknown): value is Dict =>
  isDict(value) && (Array.isArray(value.atoms) || Array.isArray(value.artifacts));

/** The name that our own documents have in `schema`. */
const ownSchema = 'rivulet-portable-memory';
const isOwnHead = (value: Dict) => value.schema === ownSchema && isDict(value.identity);

/** Kinds of our own format with what each shows: a title, and a text by the first of the fields that has one. */
const ownKinds: Readonly<Record<string, { title: string; texts: readonly string[] }>> = {
  project: { title: 'name', texts: ['description', 'name'] },
  goal: { title: 'topic', texts: ['description', 'topic'] },
  hint: { title: 'category', texts: ['content'] },
  task: { title: 'title', texts: ['description', 'title'] },
  comment: { title: 'authorName', texts: ['content'] },
  dependency: { title: 'dependencyKind', texts: ['dependencyKind'] },
  version: { title: 'title', texts: ['content', 'title'] },
  reflection: { title: 'compulsionType', texts: ['triggerContext', 'honestResponse'] },
  pair: { title: 'userPrompt', texts: ['chosenResponse'] },
  handoff: { title: 'title', texts: ['summary'] },
  entity: { title: 'name', texts: ['description', 'name'] },
  relation: { title: 'relation', texts: ['relation'] },
  soul: { title: 'number', texts: ['markdown'] },
  prompt: { title: 'name', texts: ['text'] },
  run: { title: 'goal', texts: ['progressSummary', 'goal'] },
  events: { title: 'kind', texts: ['kind'] },
  note: { title: 'noteType', texts: ['content'] },
  thread: { title: 'title', texts: ['title'] },
  message: { title: 'senderName', texts: ['content'] },
};

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Whether our own format wrote it: others have no such ids beside such kinds. */
const isOwn = (value: Dict): boolean => typeof value.kind === 'string' && uuid.test(String(value.id));

/** What is nothing but itself: no memory, whoever reads it. */
function* recordOf(value: Dict): Generator<Parsed> {
  const kind = value.kind as string;
  const { title, texts } = ownKinds[kind] as (typeof ownKinds)[string];
  const content = firstText(value, ...texts) ?? kind;
  yield {
    kind: 'Memory',
    key: null,
    title: titleOf(typeof value[title] === 'number' ? String(value[title]) : value[title]),
    content,
    category: kind,
    importance: 5,
    confidence: 1,
    whole: { kind, data: value },
    restoreOnly: true,
  };
}

function* headOf(value: Dict): Generator<Parsed> {
  const identity = value.identity as Dict;
  yield {
    kind: 'Memory',
    key: null,
    title: titleOf(firstText(identity, 'displayName', 'name')),
    content: firstText(identity, 'soul', 'bio', 'name') ?? 'identity',
    category: 'identity',
    importance: 5,
    confidence: 1,
    whole: { kind: 'identity', data: identity },
    restoreOnly: true,
  };
}

export const portable: Format = {
  provider: 'Portable',
  name: 'portable-json',
  takes: ({ key, value }) =>
    isDict(value) &&
    (key === 'atoms' || key === 'artifacts' || key === 'memories' || isDocument(value) || isOwnHead(value)),
  open: () => ({
    *read({ key, value }) {
      if (!isDict(value)) return;
      if (key === 'atoms' || key === 'memories') yield* atomOf(value);
      else if (key === 'artifacts') yield* artifactOf(value);
      else {
        if (isOwnHead(value)) yield* headOf(value);
        for (const atom of listOf(value.atoms)) if (isDict(atom)) yield* atomOf(atom);
        for (const artifact of listOf(value.artifacts)) if (isDict(artifact)) yield* artifactOf(artifact);
      }
    },
  }),
};

function* atomOf(atom: Dict): Generator<Parsed> {
  const kind = kindOf(atom);
  if (kind === 'link') {
    yield linkOf(atom);
    return;
  }
  const [key, value] = [textOf(atom.key), firstText(atom, 'value')];
  const importance = Math.round(Math.min(10, Math.max(1, numberOf(atom.importance) ?? 5)));
  const confidence = Math.min(
    1,
    Math.max(0, numberOf(atom.confidence) ?? numberOf(dictOf(atom.confidence).current) ?? 1),
  );
  const category = firstText(atom, 'category', 'memoryType');
  const hasEnded = atom.isCurrent === false;
  const isOwnFact = kind === 'fact' && isOwn(atom);
  if (key && value && hasEnded && !isOwnFact) {
    yield { kind: 'skipped', reason: 'facts that hold no longer', where: key };
    return;
  }
  if (key && value) {
    const more = { category, importance, confidence, isCritical: atom.isCritical === true };
    const own = isOwnFact ? { whole: { kind, data: atom }, restoreOnly: hasEnded } : {};
    yield { kind: 'Fact', key: key.slice(0, 200), title: null, content: value, ...more, ...own };
    return;
  }
  const content = firstText(atom, 'content', 'text', 'memory', 'statement', 'rule', 'value');
  const title = titleOf(firstText(atom, 'title', 'name', 'summary') ?? content?.split('\n')[0]?.slice(0, 80));
  if (!content) yield { kind: 'skipped', reason: 'atoms without a text', where: kind };
  else
    yield {
      kind: 'Memory',
      key: null,
      title,
      content,
      category: category ?? (kind || null),
      importance,
      confidence,
      ...carriedOf(atom),
      ...(kind === 'rule' && isOwn(atom) && { whole: { kind, data: atom } }),
    };
}

const countOf = (value: unknown): number => Math.min(2 ** 31 - 1, Math.max(0, Math.round(numberOf(value) ?? 0)));

function linkOf(atom: Dict): Parsed {
  const [from, to, type] = [idOf(atom.from), idOf(atom.to), LinkType.safeParse(atom.type)];
  if (!from || !to || !type.success) return { kind: 'skipped', reason: 'links without their ends', where: 'link' };
  const strength = Math.min(1, Math.max(0, numberOf(atom.strength) ?? 0.5));
  const coActivationCount = countOf(atom.coActivationCount);
  return { kind: 'link', from, to, type: type.data, strength, coActivationCount };
}

/** What our own export says of a memory; nothing for atoms of others. */
function carriedOf(atom: Dict): Pick<ParsedItem, 'ref' | 'carried' | 'importance'> | null {
  const [ref, type] = [idOf(atom.id), MemoryType.safeParse(atom.type)];
  if (atom.kind !== 'memory' || !ref || !type.success) return null;
  const tags = listOf(atom.tags).flatMap((tag) => textOf(tag)?.slice(0, 100) ?? []);
  return {
    ref: ref.slice(0, 100),
    importance: Math.round(Math.min(100, Math.max(0, numberOf(atom.importance) ?? 5))),
    carried: {
      type: type.data,
      provenance: Provenance.safeParse(atom.provenance).data ?? 'Reported',
      isPinned: atom.isPinned === true,
      isShared: atom.isShared === true,
      tags: [...new Set(tags)].slice(0, 50),
      isOutside: atom.project === null,
      project: textOf(atom.project),
      accessCount: countOf(atom.accessCount),
      readByOthersCount: countOf(atom.readByOthersCount),
      lastAccessedAt: timeOf(atom.lastAccessedAtUtc),
      isArchived: textOf(atom.archivedAtUtc) !== null,
      archivedReason: textOf(atom.archivedReason),
    },
  };
}

function* artifactOf(artifact: Dict): Generator<Parsed> {
  const own = isOwn(artifact) ? (artifact.kind as string) : null;
  if (own !== null && Object.hasOwn(ownKinds, own)) return yield* recordOf(artifact);
  const about = { ...dictOf(artifact.data), ...artifact } as Dict;
  const messages = listOf(about.messages).filter(isDict);
  const title = titleOf(firstText(about, 'title', 'name', 'path'));
  if (messages.length > 0 || own === 'session') {
    const said = messages.map((one) => ({
      ...(own === 'session' && { whole: one }),
      role: roleOf(one.role ?? one.sender),
      content: firstText(one, 'content', 'text') ?? '',
      modelId: textOf(one.modelId),
      sentAt: timeOf(one.createdAtUtc ?? one.sentAtUtc ?? one.sentAt ?? one.createdAt),
    }));
    const { messages: _, ...session } = artifact;
    const sourceId = idOf(about.guid ?? about.id) ?? title ?? 'session';
    yield* conversation({ sourceId, title, ...(own === 'session' && { session }) }, said);
    return;
  }
  const content = firstText(about, 'content', 'text', 'markdown');
  if (content)
    yield {
      kind: 'Memory',
      key: null,
      title,
      content,
      category: kindOf(about) || 'document',
      importance: 5,
      confidence: 1,
      ...(own === 'document' && { whole: { kind: own, data: artifact } }),
    };
  else if (own === 'document')
    // A group of documents, or one that has yet to be written.
    yield {
      kind: 'Memory',
      key: null,
      title,
      content: title ?? own,
      category: own,
      importance: 5,
      confidence: 1,
      whole: { kind: own, data: artifact },
      restoreOnly: true,
    };
  else yield { kind: 'skipped', reason: 'artifacts without a text', where: title ?? kindOf(about) };
}
