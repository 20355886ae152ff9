// Finds the facts that a person told in the conversations of an import, and adds them to its items for the review.
import { setImmediate as breath } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Held } from './jobs.ts';
import { type ItemDoc, itemRecord } from './record.ts';
import type { StagedSets } from './staging.ts';
import { createToldFacts, type ToldFact } from './told-facts.ts';

interface Deps {
  sets: StagedSets;
  ids: Ids;
  clock: Clock;
}

/** 1 to 10: below what an archive states as a fact itself. */
const importance = 4;
/** Facts that are looked up and written at once. */
const atOnce = 200;

/** Reads what the person said, not what was answered. A second reading takes the place of the first. */
export async function findFacts(deps: Deps, held: Held): Promise<void> {
  const { sets } = deps;
  const { tenantId, _id: importId, read } = held.doc;
  await sets.items(tenantId).deleteMany({ importId, sourceConversationId: { $ne: null } });
  const told = createToldFacts();
  const conversations = sets.conversations(tenantId).find({ importId }, { sort: { _id: 1 }, projection: { _id: 1 } });
  for await (const { _id: conversationId } of conversations) {
    for await (const { role, content, sentAt } of sets.messagesOf(tenantId, conversationId))
      if (role === 'user') told.read({ text: content, at: sentAt, conversationId });
    held.check();
    await breath();
  }
  let written = 0;
  let some: ToldFact[] = [];
  const write = async () => {
    written += await add(deps, held, some);
    some = [];
  };
  for (const fact of told.facts()) if (some.push(fact) >= atOnce) await write();
  await write();
  await held.set({ itemCount: read.items + written });
}

/** A fact is included where its conversation is; what the archive itself states of a key stands. */
async function add({ sets, ids, clock }: Deps, { doc }: Held, told: readonly ToldFact[]): Promise<number> {
  const { tenantId, _id: importId, read } = doc;
  const [items, conversations] = [sets.items(tenantId), sets.conversations(tenantId)];
  const stated = await items.find({ importId, kind: 'Fact', key: { $in: told.map(({ key }) => key) } }).toArray();
  const sources = { importId, approved: true, _id: { $in: told.map(({ conversationId }) => conversationId) } };
  const included = await conversations.find(sources, { projection: { _id: 1 } }).toArray();
  const [statedKeys, includedIds] = [new Set(stated.map(({ key }) => key)), new Set(included.map(({ _id }) => _id))];
  const docs: ItemDoc[] = [];
  for (const { key, value, confidence, conversationId } of told) {
    if (statedKeys.has(key)) continue;
    docs.push({
      tenantId,
      importId,
      entry: read.entries,
      createdAt: new Date(clock.now()),
      _id: await ids.next(itemRecord.spec.name),
      kind: 'Fact',
      key,
      title: null,
      content: value,
      category: 'told',
      importance,
      confidence,
      approved: includedIds.has(conversationId),
      scrubFlags: [],
      sourceConversationId: conversationId,
    });
  }
  if (docs.length > 0) await items.insertMany(docs);
  return docs.length;
}
