// Packs of events: the log of a run that has ended is a tenth as large in few compressed documents as in a row an event.
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { type EventLevel, eventLevels } from '../../../runtime/records.ts';
import type { Db, Filter, Writer } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import * as spec from './collections.ts';
import { dictionaries } from './pack-dictionary.ts';

/** The numbers of a pack's events lie within so many: who looks for one number knows which packs may hold it. */
export const packSpan = 64;
/** Characters of a pack's JSON, unless it has one event only: what a read unpacks takes no long turn of the event loop. */
const packCharacters = 1 << 16;
/** Rows that are packed in one write. */
const rowsAtOnce = 256;
const packing = { dictionary: dictionaries.at(-1)! };
/** Bytes that are unpacked at once: the usual pack comes in one piece. */
const unpacking = { chunkSize: 32_768 };

const deflate = promisify(deflateRaw);

/** Packs with all of `events`, which are of one run and in order. */
export const packsOf = (events: readonly spec.EventDocument[]): Promise<spec.EventPackDocument[]> =>
  Promise.all(groupsOf(events).map(packOf));

interface Group {
  events: spec.EventDocument[];
  texts: string[];
}

function groupsOf(events: readonly spec.EventDocument[]): Group[] {
  const groups: Group[] = [];
  let [open, characters]: [Group | null, number] = [null, 0];
  for (const event of events) {
    const text = JSON.stringify(event);
    characters += text.length;
    if (!open || event.seq >= open.events[0]!.seq + packSpan || characters > packCharacters) {
      open = { events: [], texts: [] };
      groups.push(open);
      characters = text.length;
    }
    open.events.push(event);
    open.texts.push(text);
  }
  return groups;
}

async function packOf({ events, texts }: Group): Promise<spec.EventPackDocument> {
  const first = events[0]!;
  return {
    _id: first._id,
    tenantId: first.tenantId,
    runId: first.runId,
    last: events.at(-1)!.seq,
    types: [...new Set(events.map(({ type }) => type))],
    level: highest(events.map(({ level }) => level)),
    dictionary: dictionaries.length,
    body: (await compressed(`[${texts.join()}]`)).toString('base64'),
  };
}

/** On this thread where it takes less than to hand it to another one and back. */
const compressed = (text: string): Buffer | Promise<Buffer> =>
  text.length <= 2 * packCharacters ? deflateRawSync(text, packing) : deflate(text, packing);

const highest = (levels: readonly EventLevel[]): EventLevel =>
  eventLevels[Math.max(...levels.map((level) => eventLevels.indexOf(level)))]!;

/** The events of a pack as they were stored in rows, in order. */
export function eventsIn({ dictionary: number, body }: spec.EventPackDocument): spec.EventDocument[] {
  const dictionary = dictionaries[number - 1];
  if (!dictionary) throw new Error(`no dictionary ${number}: these events were packed by a newer version`);
  return JSON.parse(inflateRawSync(Buffer.from(body, 'base64'), { ...unpacking, dictionary }).toString());
}

/** Packs of the rows of a run, some at a time; `through` is the number of the last event whose row is there for sure. */
export type PackRows = (runId: number, through: number) => Promise<{ packed: number; isDone: boolean }>;

class RowsGone extends Error {}

/**
 * Where the store writes one document at a time, packs come before their rows go. What a crash leaves, and what a stale
 * writer puts back, is in a pack and a row: the row goes the next time.
 */
export function createPackRows(db: Db): PackRows {
  const rows = db.collection(spec.events);
  const packs = db.collection(spec.eventPacks);

  const idsInPacks = async (runId: number, from: number, to: number): Promise<Set<number>> => {
    const those = { runId, last: { $gte: from, $lt: to + packSpan } };
    const found = await packs.find(those, { sort: { last: 1 } }).toArray();
    return new Set(found.flatMap((pack) => eventsIn(pack).map(({ _id }) => _id)));
  };

  const write = async (made: readonly spec.EventPackDocument[], ids: readonly number[]): Promise<void> => {
    const those: Filter<spec.EventDocument> = { _id: { $in: ids } };
    const pack = (writer: Writer) => {
      for (const one of made) writer.insert(spec.eventPacks, one);
      // Undone with the packs: the run may have been removed since its rows were read.
      if (writer.remove(spec.events, those) < ids.length) throw new RowsGone();
    };
    if (db.together) return db.together(pack, { patient: true });
    if (made.length > 0) await packs.insertMany(made);
    await rows.deleteMany(those);
  };

  return async (runId, through) => {
    const some = { sort: { seq: 1 }, limit: rowsAtOnce } as const;
    // Before the packs: a row that another process packs meanwhile is found in these.
    const found = await rows.find({ runId, seq: { $lte: through } }, some).toArray();
    if (found.length === 0) return { packed: 0, isDone: true };
    const known = await idsInPacks(runId, found[0]!.seq, found.at(-1)!.seq);
    const fresh = found.filter(({ _id }) => !known.has(_id));
    try {
      await write(
        await packsOf(fresh),
        found.map(({ _id }) => _id),
      );
      return { packed: fresh.length, isDone: found.length < rowsAtOnce };
    } catch (error) {
      // Another process has packed the first of them, or removed some: the next time that is known.
      if (!isDuplicate(error) && !(error instanceof RowsGone)) throw error;
      return { packed: 0, isDone: false };
    }
  };
}
