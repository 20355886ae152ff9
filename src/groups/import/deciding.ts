// What a person decides of the entries of an import: included or left out, and what takes the place of what was read.
import { Fault } from '../../kernel/fault.ts';
import type { ImportDoc, ItemDoc } from './record.ts';
import type { StagedSets } from './staging.ts';

interface Decision {
  id: number;
  approved: boolean;
  title?: string | null | undefined;
  content?: string | null | undefined;
  importance?: number | null | undefined;
}

interface Decisions {
  conversations?: readonly Decision[] | null | undefined;
  items?: readonly Decision[] | null | undefined;
  approveAll?: boolean | null | undefined;
  rejectAll?: boolean | null | undefined;
}

/** Ids of the entries that were decided one by one; none where all were. */
export type Decided = { conversations: number[]; items: number[] } | undefined;

/** What conversations and items have in common here. */
type Entries = ReturnType<StagedSets['items']>;

/** Ids that one write names. */
const atOnce = 500;

/** Changes all that the request names, or nothing. @throws Fault VALIDATION_FAILED, NOT_FOUND */
export async function decide(
  sets: StagedSets,
  { tenantId, _id: importId }: ImportDoc,
  { conversations, items, approveAll, rejectAll }: Decisions,
): Promise<Decided> {
  if (approveAll && rejectAll)
    throw new Fault('VALIDATION_FAILED', 'Everything cannot be both included and left out.', {
      hint: 'Send approveAll or rejectAll.',
    });
  const named = [
    { of: sets.conversations(tenantId) as unknown as Entries, decisions: conversations ?? [] },
    { of: sets.items(tenantId), decisions: items ?? [] },
  ];
  for (const { of, decisions } of named) await requireThere(of, importId, decisions);
  if (approveAll || rejectAll)
    for (const { of } of named) await of.updateMany({ importId }, { $set: { approved: approveAll === true } });
  for (const { of, decisions } of named) await write(of, importId, decisions);
  if (approveAll || rejectAll) return undefined;
  const idsOf = (all: readonly Decision[] | null | undefined) => (all ?? []).map(({ id }) => id);
  return { conversations: idsOf(conversations), items: idsOf(items) };
}

function* parts<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += atOnce) yield all.slice(from, from + atOnce);
}

async function requireThere(of: Entries, importId: number, decisions: readonly Decision[]): Promise<void> {
  for (const part of parts(decisions.map(({ id }) => id))) {
    const there = await of.find({ importId, _id: { $in: part } }, { projection: { _id: 1 } }).toArray();
    const ids = new Set(there.map(({ _id }) => _id));
    const missing = part.find((id) => !ids.has(id));
    if (missing === undefined) continue;
    throw new Fault('NOT_FOUND', `This import has no entry ${missing}.`, {
      hint: `List them with GET /api/import/${importId}/review.`,
    });
  }
}

/** Entries that are only included or left out are written together; of one that is named twice the last decision counts. */
async function write(of: Entries, importId: number, decisions: readonly Decision[]): Promise<void> {
  const last = new Map(decisions.map((one) => [one.id, one]));
  const plain: Record<'true' | 'false', number[]> = { true: [], false: [] };
  for (const { id, ...fields } of last.values()) {
    const $set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<ItemDoc>;
    if (Object.keys($set).length === 1) plain[`${fields.approved}`].push(id);
    else await of.updateOne({ _id: id, importId }, { $set });
  }
  for (const approved of [true, false])
    for (const part of parts(plain[`${approved}`]))
      await of.updateMany({ importId, _id: { $in: part } }, { $set: { approved } });
}
