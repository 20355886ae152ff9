// The portable document in formats of others: Portable AI Memory 1.0, and the Markdown folder of the Open Memory Protocol.
import { createHash } from 'node:crypto';
import type { Atom, PortableIdentity, PortableLink } from './portable.ts';
import type { ZipEntry } from './zip.ts';

interface Store {
  identity: PortableIdentity;
  exportedBy: string;
  at: Date;
  atoms(): AsyncIterable<Atom>;
}

type Known = Exclude<Atom, PortableLink>;
const isLink = (atom: Atom): atom is PortableLink => atom.kind === 'link';

const textOf = (atom: Known): string => {
  if (atom.kind === 'fact') return `${atom.key}: ${atom.value}`;
  return atom.content || (atom.kind === 'memory' ? atom.title : '');
};

/** Digest of the content as PAM compares it: normal form, lower case, single blanks. */
const digestOf = (text: string) =>
  `sha256:${createHash('sha256').update(text.trim().toLowerCase().normalize('NFC').replace(/\s+/g, ' ')).digest('hex')}`;

/** Tags of PAM have small letters, digits, dashes and underscores. */
const pamTag = (tag: string) =>
  tag
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '');

const pamTypes = { memory: 'context', fact: 'fact', rule: 'instruction' } as const;

function pamMemory(atom: Known): object {
  const content = textOf(atom);
  const isArchived = atom.kind === 'memory' ? atom.archivedAtUtc !== null : atom.kind === 'fact' && !atom.isCurrent;
  return {
    id: atom.id,
    type: pamTypes[atom.kind],
    status: isArchived ? 'archived' : 'active',
    content,
    content_hash: digestOf(content),
    ...(atom.kind === 'memory' && { summary: atom.title, tags: [...new Set(atom.tags.map(pamTag))].filter(Boolean) }),
    temporal: {
      created_at: atom.createdAtUtc,
      updated_at: atom.updatedAtUtc,
      ...(atom.kind === 'fact' && { valid_from: atom.validFromUtc, valid_until: atom.validUntilUtc }),
    },
    provenance: { platform: 'rivulet', extraction_method: 'api_export' },
    ...(atom.kind === 'memory' && { access: { visibility: atom.isShared ? 'shared' : 'private', exportable: true } }),
    metadata: { importance: atom.kind === 'rule' ? null : atom.importance, project: atom.project },
  };
}

const pamRelation = ({ from, to, type, strength, createdAtUtc }: PortableLink, number: number): object => ({
  id: `relation-${number}`,
  from,
  to,
  type: type === 'Contradicts' ? 'contradicts' : 'related_to',
  confidence: Math.min(1, Math.max(0, strength)),
  created_at: createdAtUtc,
});

/** The memory store of PAM as text: memories as they come, then relations, which stand last among atoms. */
export async function* pamText({ identity, exportedBy, at, atoms }: Store): AsyncGenerator<string> {
  const head = {
    schema: 'portable-ai-memory',
    schema_version: '1.0',
    exported_by: exportedBy,
    export_date: at.toISOString(),
    export_type: 'full',
    owner: { id: identity.id },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"memories":[`;
  let [memories, relations] = [0, 0];
  for await (const atom of atoms()) {
    if (isLink(atom)) {
      yield `${relations === 0 ? '],"relations":[' : ','}\n${JSON.stringify(pamRelation(atom, ++relations))}`;
    } else if (textOf(atom) !== '') yield `${memories++ === 0 ? '' : ','}\n${JSON.stringify(pamMemory(atom))}`;
  }
  yield ']}\n';
}

/** Memories in one Markdown file at most. */
const perFile = 500;
const folderOf = { memory: 'memories', fact: 'facts', rule: 'rules' } as const;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
/** Headings of a text stand below the one of their memory. */
const below = (text: string) => text.replace(/^(#{1,4})(?=\s)/gm, '##$1');

function markdownOf(atom: Known): string {
  if (atom.kind === 'fact') return `## ${oneLine(atom.key)}\n\n${below(atom.value)}\n`;
  if (atom.kind === 'rule') return `## ${oneLine(atom.content)}\n\n${below(atom.rationale ?? '')}\n`;
  const about = [`type: ${atom.type}`, `importance: ${atom.importance}`, ...atom.tags.map((tag) => `#${pamTag(tag)}`)];
  return `## ${oneLine(atom.title)}\n\n${below(atom.content)}\n\n_${about.join(' · ')} · ${atom.createdAtUtc.slice(0, 10)}_\n`;
}

/**
 * A folder of Markdown. Each folder has a `MEMORY.md` that names what is below it; what stands beside the first one is
 * read into every context, and is short.
 */
export function ompEntries(store: Store, counts: { memory: number; fact: number; rule: number }): ZipEntry[] {
  const kinds = (['memory', 'fact', 'rule'] as const).filter((kind) => counts[kind] > 0);
  const known = knownOf(store.atoms());
  const title = (kind: Known['kind'], at: number) =>
    `${folderOf[kind]}, ${at * perFile + 1} to ${Math.min(counts[kind], (at + 1) * perFile)}`;
  const index = (heading: string, ...lines: string[]) => ({
    open: () => whole(`${[`# ${heading}`, ...lines].join('\n\n')}\n`),
  });
  const folder = (kind: Known['kind']): ZipEntry[] => {
    const files = Array.from({ length: Math.ceil(counts[kind] / perFile) }, (_, at) => `${at + 1}.md`);
    const lines = files.map((name, at) => `- [${title(kind, at)}](${name})`);
    return [
      { name: `${folderOf[kind]}/MEMORY.md`, ...index(folderOf[kind], ...lines) },
      ...files.map((name, at) => ({
        name: `${folderOf[kind]}/${name}`,
        open: () => fileOf(known, title(kind, at), kind),
      })),
    ];
  };
  const folders = kinds.map((kind) => `- [${counts[kind]} ${folderOf[kind]}](${folderOf[kind]}/MEMORY.md)`);
  const exported = `Exported by ${store.exportedBy} at ${store.at.toISOString()}.`;
  return [
    { name: 'MEMORY.md', ...index(`What ${oneLine(store.identity.displayName)} remembers`, exported, ...folders) },
    { name: 'SOUL.md', open: () => whole(store.identity.soul) },
    ...kinds.flatMap(folder),
  ];
}

async function* whole(text: string) {
  yield Buffer.from(text);
}

/** Atoms that can be put back: files are made one after the other from one reading. */
function knownOf(atoms: AsyncIterable<Atom>) {
  const reading = atoms[Symbol.asyncIterator]();
  let waiting: Known | null = null;
  return {
    async next(kind: Known['kind']): Promise<Known | null> {
      const taken = waiting ?? (await advance());
      waiting = null;
      if (taken?.kind === kind) return taken;
      waiting = taken;
      return null;
    },
  };
  async function advance(): Promise<Known | null> {
    const { value, done } = await reading.next();
    return done || isLink(value) ? null : value;
  }
}

async function* fileOf(known: ReturnType<typeof knownOf>, title: string, kind: Known['kind']) {
  yield Buffer.from(`# ${title}\n\n`);
  for (let at = 0; at < perFile; at++) {
    const atom = await known.next(kind);
    if (!atom) return;
    yield Buffer.from(`${markdownOf(atom)}\n`);
  }
}
