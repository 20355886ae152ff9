// Imports as a part of the server.
import { authCollections, identityRecord } from '../../auth/collections.ts';
import { createLedger } from '../../memory/facts/ledger.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { projectRecord } from '../../projects/record.ts';
import { flagsOf, scan } from '../../scrub/scrub.ts';
import { shelfOf as docShelfOf } from '../docs/shelf.ts';
import { readFact } from '../graph/facts.ts';
import { graphOf } from '../graph/shelf.ts';
import { linkRecord, memoryRecord } from '../memories/record.ts';
import { shelfOf } from '../memories/shelf.ts';
import { type PartBase, part } from '../part.ts';
import { createArchives } from './archives.ts';
import { commitImport, undoImport } from './committing.ts';
import { imports as contract } from './contract.ts';
import { findFacts } from './finding-facts.ts';
import { createJobs, type Held } from './jobs.ts';
import { createImports, ownImports } from './keeping.ts';
import { parseArchive } from './parsing.ts';
import {
  conversationRecord,
  type ImportDoc,
  importLinkRecord,
  importRecord,
  itemRecord,
  messagesRecord,
} from './record.ts';
import { createRestore } from './restoring/restore.ts';
import { createReview } from './review.ts';
import { scrubConversations, scrubItems } from './scrubbing.ts';
import { importService } from './service.ts';
import { stagedOf } from './staging.ts';

/** Milliseconds between two looks for what dead processes have left, and for archives that nobody knows. */
const resumeEveryMs = 1000;
const sweepEveryMs = 10 * 60_000;

export const importPart = part({
  records: [importRecord, conversationRecord, messagesRecord, itemRecord, importLinkRecord],
  contracts: [contract],
  serve: (deps) => {
    const { acting, clock, ids, auth } = deps;
    const restoring = {
      identities: perTenant(auth.identities),
      projects: perTenant(deps.db.collection(projectRecord.spec)),
    };
    return [importService({ ...importsOf(deps, deps.accessChanged), ...restoring, acting, clock, ids })];
  },
  topics: ({ db }) => {
    const all = perTenant(db.collection(importRecord.spec));
    return {
      import: async (caller, id) => (await all(caller.tenantId).findOne({ _id: id, ...ownImports(caller) })) !== null,
    };
  },
  rounds: (base) => {
    const { jobs, archives } = importsOf(base);
    const all = base.db.collection(importRecord.spec);
    const isKnown = async (archive: string) => (await all.findOne({ archive })) !== null;
    return [
      { name: 'imports whose processes died', everyMs: resumeEveryMs, work: () => jobs.resume() },
      { name: 'archives of no import', everyMs: sweepEveryMs, work: () => archives.sweep(base.clock.now(), isKnown) },
    ];
  },
  samples: [],
});

function importsOf(base: PartBase, accessChanged: () => void = () => undefined) {
  const { db, ids, clock, indexes } = base;
  const imports = createImports(base);
  const archives = createArchives(base.dataDir);
  const sets = stagedOf(base);
  const { library } = shelfOf(base);
  const graph = graphOf(base).book;
  const ledger = createLedger({
    db,
    ids,
    clock,
    words: indexes.words,
    told: ({ version }) => readFact(graph, version, version),
  });
  const memories = perTenant(db.collection(memoryRecord.spec));
  const links = perTenant(db.collection(linkRecord.spec));
  const restore = createRestore({
    ...base,
    sets,
    ledger,
    graph,
    accessChanged,
    auth: authCollections(db),
    identities: createKeeper(identityRecord, base),
    projects: perTenant(db.collection(projectRecord.spec)),
    shelf: docShelfOf(base),
  });
  const committing = { sets, memories, links, library, ledger, restore, graph, now: () => new Date(clock.now()) };
  const dropArchive = async ({ archive }: ImportDoc) => {
    if (archive !== null) await archives.remove(archive);
  };

  const work = {
    async parse(held: Held) {
      await parseArchive({ ...base, archives }, held);
      const { archive } = held.doc;
      await held.set({ statusId: 'Scrubbing', archive: null, progressPercent: 0 });
      if (archive !== null) await archives.remove(archive);
      const flags = (text: string) => flagsOf(scan(text));
      if (held.doc.withScrub) await scrubConversations(sets, flags, held);
      if (held.doc.withFacts) await findFacts({ sets, ids, clock }, held);
      if (held.doc.withScrub) await scrubItems(sets, flags, held);
      return { statusId: 'ReadyForReview', processedAt: new Date(clock.now()), progressPercent: 100 } as const;
    },
    commit: (held: Held) => commitImport(committing, held),
    undo: (held: Held) => undoImport(committing, held),
    async remove({ doc }: Held) {
      await sets.clear(doc.tenantId, doc._id);
      await dropArchive(doc);
      await imports.remove({ tenantId: doc.tenantId }, doc._id);
      return {};
    },
  };

  const failed = async (held: Held, errorMessage: string): Promise<Partial<ImportDoc> | null> => {
    const { job, tenantId, _id } = held.doc;
    // A commit that cannot be ended is taken back; an undo is tried again.
    if (job === 'commit') return { ...(await undoImport(committing, held)), errorMessage };
    if (job !== 'parse') return null;
    await sets.clear(tenantId, _id);
    await dropArchive(held.doc);
    const none = { conversationCount: 0, messageCount: 0, itemCount: 0, scrubFlagCount: 0 };
    return { ...none, statusId: 'Failed', errorMessage, archive: null, archiveKey: `failed ${_id}` };
  };

  const jobs = createJobs({ db, clock, imports, archives, alone: base.alone, work, failed });
  return { imports, archives, sets, jobs, review: createReview({ sets, library, ledger }) };
}
