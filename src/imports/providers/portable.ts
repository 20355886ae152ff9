// Portable memories: our own export with `atoms` and `artifacts`, and lists of memories as other systems write them.
import { LinkType, MemoryType } from '../../contract/enums.ts';
import { conversation, roleOf } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, numberOf, textOf, timeOf, titleOf } from '../fields.ts';
import type { Format, Parsed, ParsedItem } from '../shapes.ts';

const kindOf = (value: Dict) => firstText(value, 'kind', 'type')?.toLowerCase() ?? '';
const isDocument = (value: unknown): value is Dict =>
  isDict(value) && (Array.isArray(value.atoms) || Array.isArray(value.artifacts));

export const portable: Format = {
  provider: 'Portable',
  name: 'portable-json',
  takes: ({ key, value }) =>
    isDict(value) && (key === 'atoms' || key === 'artifacts' || key === 'memories' || isDocument(value)),
  open: () => ({
    *read({ key, value }) {
      if (!isDict(value)) return;
      if (key === 'atoms' || key === 'memories') yield* atomOf(value);
      else if (key === 'artifacts') yield* artifactOf(value);
      else if (isDocument(value)) {
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
  if (key && value && atom.isCurrent === false) {
    yield { kind: 'skipped', reason: 'facts that hold no longer', where: key };
    return;
  }
  if (key && value) {
    const more = { category, importance, confidence, isCritical: atom.isCritical === true };
    yield { kind: 'Fact', key: key.slice(0, 200), title: null, content: value, ...more };
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
    };
}

function linkOf(atom: Dict): Parsed {
  const [from, to, type] = [idOf(atom.from), idOf(atom.to), LinkType.safeParse(atom.type)];
  if (!from || !to || !type.success) return { kind: 'skipped', reason: 'links without their ends', where: 'link' };
  const strength = Math.min(1, Math.max(0, numberOf(atom.strength) ?? 0.5));
  return { kind: 'link', from, to, type: type.data, strength };
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
      isPinned: atom.isPinned === true,
      isShared: atom.isShared === true,
      tags: [...new Set(tags)].slice(0, 50),
      isOutside: atom.project === null,
      isArchived: textOf(atom.archivedAtUtc) !== null,
      archivedReason: textOf(atom.archivedReason),
    },
  };
}

function* artifactOf(artifact: Dict): Generator<Parsed> {
  const about = { ...dictOf(artifact.data), ...artifact } as Dict;
  const messages = listOf(about.messages).filter(isDict);
  const title = titleOf(firstText(about, 'title', 'name', 'path'));
  if (messages.length > 0) {
    const said = messages.map((one) => ({
      role: roleOf(one.role ?? one.sender),
      content: firstText(one, 'content', 'text') ?? '',
      modelId: textOf(one.modelId),
      sentAt: timeOf(one.createdAtUtc ?? one.sentAtUtc ?? one.sentAt ?? one.createdAt),
    }));
    yield* conversation({ sourceId: idOf(about.guid ?? about.id) ?? title ?? 'session', title }, said);
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
    };
  else yield { kind: 'skipped', reason: 'artifacts without a text', where: title ?? kindOf(about) };
}
