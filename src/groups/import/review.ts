// The review of an import: what was read, and what a commit of what is approved would reach.

import type { Ledger } from '../../memory/facts/ledger.ts';
import { contains, type Filter } from '../../ports/db.ts';
import { shown } from '../../ports/shown.ts';
import { memoryDigest } from '../memories/change.ts';
import type { Library } from '../memories/library.ts';
import { ImportConversationDto, ImportItemDto, type ImportReachDto, type ImportReviewDto } from './dto.ts';
import type { ConversationDoc, ImportDoc, ItemDoc } from './record.ts';
import { wholeOf } from './restoring/wholes.ts';
import type { StagedSets } from './staging.ts';
import { textInPlaceOf, textOfItem } from './texts.ts';

interface Deps {
  sets: StagedSets;
  library: Pick<Library, 'knownAmong'>;
  ledger: Pick<Ledger, 'facts'>;
}

interface Wanted {
  q?: string | undefined;
  approved?: boolean | undefined;
  scrubFlaggedOnly?: boolean | undefined;
  limit?: number | undefined;
  after?: number | undefined;
  /** Only these, of both kinds. */
  ids?: { conversations: readonly number[]; items: readonly number[] } | undefined;
}

/** Conversations and items that are shown without a limit of the caller's own. */
const most = 5000;
/** Ids and conflicts that are named. */
const named = 200;
/** Keys that are looked for at once. */
const atOnce = 500;

export const createReview =
  (deps: Deps) =>
  async (doc: ImportDoc, wanted: Wanted): Promise<ImportReviewDto> => {
    const { tenantId, _id } = doc;
    const conversations = deps.sets.conversations(tenantId);
    const items = deps.sets.items(tenantId);
    const limit = wanted.limit ?? most;
    const { ids } = wanted;
    const after = wanted.after === undefined ? {} : { _id: { $gt: wanted.after } };
    const ofConversations = conversationFilter(_id, wanted);
    const ofItems = itemFilter(_id, wanted);
    const [found, foundItems] = await Promise.all([
      conversations
        .find({ ...ofConversations, ...after, ...among(ids?.conversations) }, { sort: { _id: 1 }, limit })
        .toArray(),
      wanted.after === undefined
        ? items.find({ ...ofItems, ...among(ids?.items) }, { sort: { _id: 1 }, limit }).toArray()
        : [],
    ]);
    return {
      importId: _id,
      statusId: doc.statusId,
      sourceProviderId: doc.sourceProviderId,
      conversations: found.map((one) => shown(ImportConversationDto, one)),
      items: foundItems.map(toItemDto),
      conversationCount: await conversations.countDocuments(ofConversations),
      itemCount: await items.countDocuments(ofItems),
      reach: await reachOf(deps, doc),
      skipped: doc.skipped,
    };
  };

const toItemDto = (one: ItemDoc) =>
  shown(ImportItemDto, one, { restoresAs: one.wholeKind ?? null, restoreOnly: one.restoreOnly ?? false });

const among = (ids: readonly number[] | undefined) => (ids ? { _id: { $in: [...ids] } } : {});

const search = (q: string | undefined, fields: readonly string[]) =>
  q ? { $or: fields.map((field) => ({ [field]: { $regex: contains(q), $options: 'i' } })) } : {};

const conversationFilter = (importId: number, { q, approved, scrubFlaggedOnly }: Wanted) =>
  ({
    importId,
    ...(approved !== undefined && { approved }),
    ...(scrubFlaggedOnly && { scrubFlagCount: { $gt: 0 } }),
    ...search(q, ['title', 'summary']),
  }) as Filter<ConversationDoc>;

const itemFilter = (importId: number, { q, approved, scrubFlaggedOnly }: Wanted) =>
  ({
    importId,
    ...(approved !== undefined && { approved }),
    ...(scrubFlaggedOnly && { scrubFlags: { $ne: [] } }),
    ...search(q, ['key', 'title', 'content']),
  }) as unknown as Filter<ItemDoc>;

/** What a commit of what is approved now would do to the identity's memories and the project's facts. */
async function reachOf(deps: Deps, doc: ImportDoc): Promise<ImportReachDto> {
  const { tenantId, _id: importId } = doc;
  const identityId = doc.commit?.identityId ?? doc.identityId;
  const approved = { importId, approved: true } as const;
  const memories = { conversations: new Map<string, number[]>(), items: new Map<string, number[]>() };
  const add = (to: Map<string, number[]>, digest: string, id: number) =>
    to.set(digest, [...(to.get(digest) ?? []), id]);
  let [memoryCount, flaggedCount] = [0, 0];
  const restored = createRestoreCount();
  const projection = { title: 1, digest: 1, content: 1, scrubFlagCount: 1, session: 1 } as const;
  for await (const one of deps.sets.conversations(tenantId).find(approved, { projection })) {
    memoryCount++;
    if (one.session) restored.count('session');
    if (one.scrubFlagCount > 0) flaggedCount++;
    const inPlace = textInPlaceOf(one);
    add(memories.conversations, inPlace ? memoryDigest(inPlace) : one.digest, one._id);
  }
  const facts: ItemDoc[] = [];
  for await (const one of deps.sets.items(tenantId).find(approved)) {
    if (one.scrubFlags.length > 0) flaggedCount++;
    restored.item(one);
    if (one.restoreOnly) continue;
    if (one.kind === 'Fact') facts.push(one);
    else {
      memoryCount++;
      add(memories.items, memoryDigest(textOfItem(one)), one._id);
    }
  }
  const known = async (of: ReadonlyMap<string, number[]>) =>
    identityId === null
      ? []
      : [...(await deps.library.knownAmong(tenantId, identityId, [...of.keys()]))].flatMap(
          (digest) => of.get(digest) ?? [],
        );
  const [knownConversations, knownItems] = [await known(memories.conversations), await known(memories.items)];
  const knownMemoryCount = knownConversations.length + knownItems.length;
  return {
    memoryCount: memoryCount - knownMemoryCount,
    knownMemoryCount,
    knownConversationIds: knownConversations.slice(0, named),
    knownItemIds: knownItems.slice(0, named),
    ...(await factReach(deps, doc, facts)),
    flaggedCount,
    ...restored.result(),
  };
}

/** Counts what would be restored, of exports of ours. */
function createRestoreCount() {
  const counts = new Map<string, number>();
  let bindingRuleCount = 0;
  const count = (kind: string) => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return {
    count,
    item(one: ItemDoc): void {
      if (one.wholeKind) count(one.wholeKind);
      else if (one.carried) count('memory');
      if (one.wholeKind === 'rule' && binds(wholeOf('rule', one).status)) bindingRuleCount++;
    },
    result: () => ({ restores: [...counts].map(([kind, count]) => ({ kind, count })), bindingRuleCount }),
  };
}

const binds = (status: string): boolean => status === 'Active' || status === 'UnderReview';

/** Facts of an import against those of its project. */
async function factReach({ ledger }: Deps, { tenantId, projectId }: ImportDoc, items: readonly ItemDoc[]) {
  const current = new Map<string, string>();
  const keys = [...new Set(items.flatMap(({ key }) => key ?? []))];
  for (let from = 0; projectId !== null && from < keys.length; from += atOnce) {
    const filter = { projectId, key: { $in: keys.slice(from, from + atOnce) }, isCurrent: true };
    for await (const { key, value } of ledger.facts(tenantId).find(filter)) current.set(key, value);
  }
  const there = items.map((item) => ({ item, value: current.get(item.key ?? '') }));
  const conflicts = there.flatMap(({ item, value }) =>
    value === undefined || value === item.content
      ? []
      : [{ itemId: item._id, key: item.key ?? '', currentValue: value, importedValue: item.content }],
  );
  const knownFactCount = there.filter(({ item, value }) => value === item.content).length;
  return {
    factCount: items.length - knownFactCount,
    knownFactCount,
    conflictCount: conflicts.length,
    conflicts: conflicts.slice(0, named),
  };
}
