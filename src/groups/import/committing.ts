// Remembers what a person has approved of an import, once, and takes it back.
import { type MemoryText, transcript } from '../../imports/transcript.ts';
import type { Ledger } from '../../memory/facts/ledger.ts';
import type { By } from '../../ports/keeper.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { GraphBook } from '../graph/book.ts';
import { plainMemory } from '../memories/draft.ts';
import type { Library } from '../memories/library.ts';
import type { LinkDoc, MemoryDoc } from '../memories/record.ts';
import type { Held } from './jobs.ts';
import type { CommitChoice, ConversationDoc, ImportDoc, ItemDoc } from './record.ts';
import type { Restore } from './restoring/restore.ts';
import type { StagedSets } from './staging.ts';
import { textInPlaceOf, textOfItem } from './texts.ts';

export interface CommitDeps {
  sets: StagedSets;
  memories: PerTenant<MemoryDoc>;
  links: PerTenant<LinkDoc>;
  library: Pick<Library, 'remember' | 'forget' | 'change' | 'connect'>;
  ledger: Pick<Ledger, 'assert' | 'unlearn' | 'versions'>;
  restore: Restore;
  graph: Pick<GraphBook, 'dropFact'>;
  now(): Date;
}

/** Memories between two notes of how far a commit is, and that are forgotten at once. */
const step = 20;

export async function commitImport(deps: CommitDeps, held: Held): Promise<Partial<ImportDoc>> {
  const { now } = deps;
  const { commit } = held.doc;
  if (!commit) return { statusId: 'ReadyForReview' };
  if (commit.restore) await restoreAll(deps, held, commit);
  else await reportAll(deps, held, commit);
  return {
    statusId: 'Committed',
    committedAt: now(),
    errorMessage: null,
    progressPercent: 100,
    doneTo: 0,
    ...(await written(deps, held.doc)),
  };
}

/** Conversations as memories, memories and facts as they are said: all as reported, and nothing that binds anybody. */
async function reportAll(deps: CommitDeps, held: Held, commit: CommitChoice): Promise<void> {
  const { sets } = deps;
  const { tenantId, _id: importId, doneTo } = held.doc;
  const approved = { importId, approved: true };
  const total = await sets.conversations(tenantId).countDocuments(approved);
  let done = await sets.conversations(tenantId).countDocuments({ ...approved, _id: { $lte: doneTo } });
  const conversations = sets.conversations(tenantId).find({ ...approved, _id: { $gt: doneTo } }, { sort: { _id: 1 } });
  for await (const conversation of conversations) {
    await rememberConversation(deps, held, commit, conversation);
    if (++done % step === 0)
      await held.set({ doneTo: conversation._id, progressPercent: Math.min(99, Math.floor((100 * done) / total)) });
  }
  for await (const item of sets.items(tenantId).find(approved, { sort: { _id: 1 } })) {
    held.check();
    if (item.restoreOnly) continue;
    if (item.kind === 'Fact') await assert(deps, held.doc, commit, item);
    else await rememberItem(deps, held.doc, commit, item);
  }
  await linkItems(deps, held);
}

/** Everything as what it was. */
function restoreAll(deps: CommitDeps, held: Held, commit: CommitChoice): Promise<void> {
  const { tenantId, _id: importId } = held.doc;
  const items = deps.sets.items(tenantId);
  const isMemory = { importId, approved: true, kind: 'Memory', wholeKind: { $exists: false } } as const;
  return deps.restore.all(held, commit, {
    async memories(projectOf) {
      // What is archived first: the same text may be remembered beside it, once.
      for (const isArchived of [true, false])
        for await (const item of items.find(isMemory, { sort: { _id: 1 } })) {
          held.check();
          if ((item.carried?.isArchived ?? false) !== isArchived) continue;
          await rememberItem(deps, held.doc, commit, item, projectOf);
        }
    },
    links: () => linkItems(deps, held),
    conversation: (one) => rememberConversation(deps, held, commit, one),
  });
}

async function rememberConversation(deps: CommitDeps, held: Held, commit: CommitChoice, one: ConversationDoc) {
  for (const text of await textsOf(deps, one, commit)) {
    held.check();
    const importance = one.importance ?? commit.importance;
    await remember(deps, held.doc, commit, { ...text, importance, type: 'Conversation' });
  }
}

async function written({ sets, memories, ledger }: CommitDeps, { tenantId, _id, commit }: ImportDoc) {
  const made = { importId: _id, madeId: { $gt: 0 } };
  const restoredCount =
    (await sets.items(tenantId).countDocuments(made)) + (await sets.conversations(tenantId).countDocuments(made));
  return {
    ...(commit?.restore && { restoredCount }),
    memoryCount: await memories(tenantId).countDocuments({ sourceImportId: _id }),
    factCount: await ledger.versions(tenantId).countDocuments({ sourceImportId: _id, retractedAt: null }),
  };
}

async function textsOf({ sets }: CommitDeps, conversation: ConversationDoc, { memoryPerConversation }: CommitChoice) {
  const { tenantId, _id, title, source, startedAt } = conversation;
  const inPlace = textInPlaceOf(conversation);
  if (inPlace) return [inPlace];
  return transcript({ title, source, startedAt }, sets.messagesOf(tenantId, _id), memoryPerConversation);
}

interface Remembered extends MemoryText {
  importance: number;
  type: MemoryDoc['type'];
}

async function remember(
  { library }: CommitDeps,
  { tenantId, _id: sourceImportId }: ImportDoc,
  { identityId, projectId, isShared, tags }: CommitChoice,
  { title, content, importance, type }: Remembered,
): Promise<void> {
  const choice = { identityId, projectId, isShared: isShared ?? false, tags };
  await library.remember(
    { tenantId },
    { ...plainMemory, ...choice, title, content, importance, type, provenance: 'Reported', sourceImportId },
  );
}

/** Where a memory goes whose document names its project. */
type ProjectOf = (key: string | null) => number | null;

async function rememberItem(
  deps: CommitDeps,
  doc: ImportDoc,
  commit: CommitChoice,
  item: ItemDoc,
  projectOf?: ProjectOf,
): Promise<void> {
  const text = textOfItem(item);
  if (item.carried) return rememberCarried(deps, doc, commit, { ...item, ...text }, projectOf);
  const type = item.category === 'profile' ? 'Preference' : 'Reference';
  await remember(deps, doc, commit, { ...text, importance: item.importance, type });
}

/**
 * A memory of our own format comes back as it was, and where it is restored with its origin, its project and how often it
 * was read. One whose process died is found by what its item notes.
 */
async function rememberCarried(
  { sets, library, memories }: CommitDeps,
  { tenantId, _id: sourceImportId }: ImportDoc,
  { identityId, projectId, isShared, tags }: CommitChoice,
  { _id, title, content, carried, importance, memoryId }: ItemDoc,
  projectOf?: ProjectOf,
): Promise<void> {
  if (!carried) return;
  const by = { tenantId };
  const there = memoryId == null ? null : await memories(tenantId).findOne({ _id: memoryId });
  const draft = {
    ...plainMemory,
    title: title ?? '',
    content,
    identityId,
    importance,
    sourceImportId,
    provenance: projectOf ? carried.provenance : ('Reported' as const),
    type: carried.type,
    isPinned: carried.isPinned,
    isShared: isShared ?? carried.isShared,
    tags: [...new Set([...carried.tags, ...tags])],
    projectId: projectOf ? projectOf(carried.project) : carried.isOutside ? null : projectId,
  };
  const memory = there ?? (await library.remember(by, draft, { relates: false })).memory;
  if (!there) await sets.items(tenantId).updateOne({ _id }, { $set: { memoryId: memory._id } });
  if (projectOf && memory.sourceImportId === sourceImportId) {
    const { accessCount, readByOthersCount, lastAccessedAt } = carried;
    await memories(tenantId).updateOne(
      { _id: memory._id },
      { $set: { accessCount, readByOthersCount, lastAccessedAt } },
    );
  }
  if (!carried.isArchived || memory.archivedAt !== null || memory.sourceImportId !== sourceImportId) return;
  await library.change(by, memory, { archivedAt: memory.createdAt, archivedReason: carried.archivedReason });
}

/** Links between memories of which the import has brought at least one. */
async function linkItems({ sets, memories, links, library }: CommitDeps, held: Held): Promise<void> {
  const { tenantId, _id: importId } = held.doc;
  for await (const { from, to, type, strength, coActivationCount } of sets
    .links(tenantId)
    .find({ importId }, { sort: { _id: 1 } })) {
    held.check();
    const [one, other] = await Promise.all(
      [from, to].map(async (ref) => {
        const item = await sets.items(tenantId).findOne({ importId, ref });
        return item?.approved && item.memoryId != null ? memories(tenantId).findOne({ _id: item.memoryId }) : null;
      }),
    );
    if (!one || !other || (one.sourceImportId !== importId && other.sourceImportId !== importId)) continue;
    const link = await library.connect({ tenantId }, one._id, other._id, type, strength);
    if (coActivationCount > link.coActivationCount)
      await links(tenantId).updateOne({ _id: link._id }, { $set: { coActivationCount } });
    if (type === 'Supersedes' && other.sourceImportId === importId && other.supersededById !== one._id)
      await library.change({ tenantId }, other, { supersededById: one._id });
  }
}

async function assert(
  { ledger }: CommitDeps,
  doc: ImportDoc,
  { projectId }: CommitChoice,
  item: ItemDoc,
): Promise<void> {
  if (projectId === null || item.key === null) return;
  await ledger.assert({ tenantId: doc.tenantId }, projectId, item.key, {
    value: item.content,
    category: item.category,
    importance: Math.min(10, Math.max(1, item.importance)),
    isCritical: item.isCritical ?? false,
    provenance: 'Reported',
    temporalSource: 'document',
    sourceImportId: doc._id,
    onceKey: `import:${doc._id}:${item._id}:${doc.commits}`,
  });
}

/** Whose process died after a fact was taken back, and before the graph was told, is not asked again by that fact. */
async function dropFacts({ ledger, graph }: CommitDeps, held: Held): Promise<void> {
  const { tenantId, _id: sourceImportId } = held.doc;
  for await (const { _id, retractedAt } of ledger.versions(tenantId).find({ sourceImportId })) {
    held.check();
    if (retractedAt !== null) await graph.dropFact({ tenantId }, _id, () => false);
  }
}

/** Takes back all that an import wrote; a second time finds nothing left. */
export async function undoImport(deps: CommitDeps, held: Held): Promise<Partial<ImportDoc>> {
  const { sets, memories, library, ledger, restore } = deps;
  const { tenantId, _id: sourceImportId } = held.doc;
  const by: By = { tenantId };
  for (;;) {
    held.check();
    const some = await memories(tenantId)
      .find({ sourceImportId }, { limit: step, projection: { _id: 1 } })
      .toArray();
    if (some.length === 0) break;
    await library.forget(
      by,
      some.map(({ _id }) => _id),
    );
  }
  await held.set({ progressPercent: 10 });
  await ledger.unlearn(by, { sourceImportId });
  await dropFacts(deps, held);
  await held.set({ progressPercent: 20 });
  await restore.remove(held);
  await sets.items(tenantId).updateMany({ importId: sourceImportId }, { $set: { memoryId: null } });
  return {
    statusId: 'ReadyForReview',
    committedAt: null,
    commit: null,
    // The one that it had made is gone.
    ...(held.doc.commit?.restore?.makesIdentity && { identityId: null }),
    doneTo: 0,
    progressPercent: 100,
    memoryCount: 0,
    factCount: 0,
    restoredCount: 0,
  };
}
