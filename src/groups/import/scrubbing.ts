// Flags secrets and personal data in what was read. Nothing is changed or taken out: what has flags waits for a person.
import { setImmediate as breath } from 'node:timers/promises';
import type { Held } from './jobs.ts';
import { textsIn } from './restoring/wholes.ts';
import type { StagedSets } from './staging.ts';

/** What a text has that should not be kept without a thought, e.g. `['e-mail address']`. */
export type Scrub = (text: string) => string[];

/** Conversations between two looks at how far it is. */
const step = 50;

const percentOf = (seen: number, all: number) => Math.min(99, Math.floor((100 * seen) / Math.max(1, all)));

export async function scrubConversations(sets: StagedSets, scrub: Scrub, held: Held): Promise<void> {
  const { tenantId, _id: importId } = held.doc;
  let flags = 0;
  const all = sets.conversations(tenantId).find({ importId }, { sort: { _id: 1 } });
  let seen = 0;
  for await (const { _id } of all) {
    flags += await scrubConversation(sets, scrub, tenantId, _id);
    if (++seen % step === 0) {
      await held.set({ scrubFlagCount: flags, progressPercent: percentOf(seen, held.doc.conversationCount) });
    }
    held.check();
  }
  await held.set({ scrubFlagCount: flags });
}

/** After the conversations: items count on from what these had. */
export async function scrubItems(sets: StagedSets, scrub: Scrub, held: Held): Promise<void> {
  const { tenantId, _id: importId } = held.doc;
  let flags = held.doc.scrubFlagCount;
  let seen = 0;
  for await (const item of sets.items(tenantId).find({ importId }, { sort: { _id: 1 } })) {
    const texts = [item.title, item.content, ...(item.whole ? textsIn(item.whole) : [])];
    const scrubFlags = scrub(texts.filter(Boolean).join('\n'));
    flags += scrubFlags.length;
    if (scrubFlags.length > 0)
      await sets.items(tenantId).updateOne({ _id: item._id }, { $set: { scrubFlags, approved: false } });
    if (++seen % step === 0) await held.set({ progressPercent: percentOf(seen, held.doc.itemCount) });
  }
  await held.set({ scrubFlagCount: flags });
}

async function scrubConversation(sets: StagedSets, scrub: Scrub, tenantId: number, id: number): Promise<number> {
  let count = 0;
  for await (const chunk of sets.messages(tenantId).find({ conversationId: id }, { sort: { _id: 1 } })) {
    let found = 0;
    const messages = [];
    for (const message of chunk.messages) {
      const scrubFlags = scrub(message.content);
      found += scrubFlags.length;
      messages.push({ ...message, scrubFlags });
    }
    if (found > 0) await sets.messages(tenantId).updateOne({ _id: chunk._id }, { $set: { messages } });
    count += found;
    await breath();
  }
  if (count > 0)
    await sets.conversations(tenantId).updateOne({ _id: id }, { $set: { scrubFlagCount: count, approved: false } });
  return count;
}
