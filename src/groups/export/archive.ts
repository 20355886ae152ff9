// The files of an export, and what they hold, counted.
import type { Db } from '../../ports/db.ts';
import { type Artifacts, createArtifacts } from './artifacts.ts';
import { type Atoms, createAtoms } from './atoms.ts';
import type { ExportManifest } from './dto.ts';
import { type Counted, createLists, type List } from './lists.ts';
import type { Atom, PortableIdentity } from './portable.ts';
import { portableVersion } from './portable.ts';
import type { Reach, ReachedIdentity } from './reach.ts';
import { ascendingIds, type EventsOf } from './reading.ts';
import { createRecords } from './records.ts';
import { bytesOf, counting, jsonLines, portableText } from './writing.ts';
import type { ZipEntry } from './zip.ts';

type Counts = Record<Counted, number>;

const none: Counts = {
  identityCount: 0,
  memoryCount: 0,
  hebbianLinkCount: 0,
  factCount: 0,
  projectCount: 0,
  taskCount: 0,
  docCount: 0,
  messageCount: 0,
  chatSessionCount: 0,
  reflectionCount: 0,
  trainingPairCount: 0,
  handoffCount: 0,
  hintCount: 0,
  agentRunCount: 0,
  graphNodeCount: 0,
  graphEdgeCount: 0,
  agentEventCount: 0,
};

interface Deps {
  db: Db;
  eventsOf: EventsOf;
  /** Name and version of the server, e.g. `rivulet/0.1.0`. */
  exportedBy: string;
  about(reached: ReachedIdentity): Promise<PortableIdentity>;
}

const manifestOf = ({ at }: Reach, counts: Counts): ExportManifest => ({
  version: portableVersion,
  exportedAtUtc: at.toISOString(),
  ...counts,
});

/** A name that stands for itself in any file system. */
const fileName = ({ identity }: ReachedIdentity) => `${identity._id}-${identity.name.replace(/[^A-Za-z0-9_-]+/g, '-')}`;

async function* nothing(): AsyncGenerator<never> {}

const countAtom = (counts: Counts) => (atom: Atom) => {
  if (atom.kind === 'memory') counts.memoryCount++;
  else if (atom.kind === 'fact') counts.factCount++;
  else if (atom.kind === 'link') counts.hebbianLinkCount++;
};

export function createArchives({ db, eventsOf, exportedBy, about }: Deps) {
  const [atoms, artifacts, lists] = [createAtoms({ db }), createArtifacts({ db }), createLists({ db, eventsOf })];
  const records = createRecords({ db, eventsOf, guidsAmong: atoms.guidsAmong });
  const isTenant = ({ scope }: Reach) => scope === 'Tenant';

  /** Atoms of one identity; facts go by project, so that a tenant's export has them once. */
  async function* atomsOf(reach: Reach, of: ReachedIdentity): AsyncGenerator<Atom> {
    const seen = ascendingIds();
    yield* atoms.memories(reach, of, seen);
    if (!isTenant(reach)) yield* atoms.facts(reach);
    if (of.whole) yield* atoms.rules(reach, of);
    yield* atoms.links(reach, seen);
  }

  async function* portable(reach: Reach, of: ReachedIdentity, counts: Counts): AsyncGenerator<string> {
    counts.identityCount++;
    const documents = isTenant(reach) ? nothing() : artifacts.documents(reach);
    const sessions = reach.chats && of.whole ? artifacts.sessions(reach, of.identity) : nothing();
    yield* portableText({
      exportedBy,
      at: reach.at,
      identity: await about(of),
      atoms: counting(atomsOf(reach, of), countAtom(counts)),
      records: of.whole ? records(reach, of) : nothing(),
      documents: counting(documents, () => counts.docCount++),
      sessions: counting(sessions, () => counts.chatSessionCount++),
    });
  }

  /** What a tenant has beside its identities. */
  const shared = (reach: Reach) => [
    { file: 'facts.jsonl', counted: 'factCount' as const, rows: () => atoms.facts(reach) },
    { file: 'rules.jsonl', counted: null, rows: () => atoms.rules(reach, null) },
    { file: 'documents.jsonl', counted: 'docCount' as const, rows: () => artifacts.documents(reach) },
  ];

  return {
    portable: (reach: Reach, of: ReachedIdentity) => portable(reach, of, { ...none }),
    atomsOf,
    about,
    exportedBy,
    /** The files of a ZIP; the manifest comes last, since it counts what was written. */
    entries(reach: Reach): ZipEntry[] {
      const counts = { ...none };
      const listed = [
        ...(isTenant(reach) ? shared(reach) : []),
        ...lists.map((list) => ({ ...list, rows: () => list.rows(reach) })),
      ];
      async function* manifest() {
        yield JSON.stringify(manifestOf(reach, counts), null, 2);
      }
      return [
        ...reach.identities.map((of) => ({
          name: isTenant(reach) ? `identities/${fileName(of)}/portable.json` : 'portable.json',
          open: () => bytesOf(portable(reach, of, counts)),
        })),
        ...listed.map(({ file, counted, rows }) => ({
          name: file,
          open: () => bytesOf(jsonLines(counting(rows(), () => counted && counts[counted]++))),
        })),
        { name: 'manifest.json', open: () => bytesOf(manifest()) },
      ];
    },
    count: createCount({ atoms, artifacts, lists }),
  };
}
export type Archives = ReturnType<typeof createArchives>;

interface Readers {
  atoms: Atoms;
  artifacts: Artifacts;
  lists: readonly List[];
}

/** What the files would hold: the same readers, without the writing. */
const createCount =
  ({ atoms, artifacts, lists }: Readers) =>
  async (reach: Reach): Promise<ExportManifest> => {
    const counts = { ...none, identityCount: reach.identities.length };
    const all = async (rows: AsyncIterable<unknown>, counted: Counted | null) => {
      for await (const _ of rows) if (counted) counts[counted]++;
    };
    for (const of of reach.identities) {
      counts.memoryCount += await atoms.countMemories(reach, of);
      await all(atoms.links(reach, await atoms.memoryIds(reach, of)), 'hebbianLinkCount');
      if (reach.chats && of.whole) await all(artifacts.sessions(reach, of.identity), 'chatSessionCount');
    }
    await all(atoms.facts(reach), 'factCount');
    await all(artifacts.documents(reach), 'docCount');
    for (const { rows, counted } of lists) await all(rows(reach), counted);
    return manifestOf(reach, counts);
  };
