// Events that something waits for are kept before they are told, until all who wait have taken them: a crash loses none of them.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { type Collection, type Db, defineCollection, type Entity } from '../ports/db.ts';
import { ignoreDuplicate } from '../ports/duplicate.ts';
import type { Publication } from '../ports/stream.ts';
import { type Cause, causeNow } from './agent/routines/cause.ts';

/** An event as those who wait for it get it, perhaps not for the first time. */
export interface Heard {
  tenantId: number;
  /** The same whenever the same event is told. */
  key: string;
  type: string;
  topics: readonly string[];
  data: unknown;
  /** When it was published, in ms. */
  at: number;
  /** The event's number among those of what it is about; null where it has none. */
  order: number | null;
  /** What it was caused by, as far as is known. */
  cause: Cause | null;
  /** The event was delivered before, perhaps to a process that died. */
  isAgain: boolean;
}

/** Something that waits for events. */
export interface Ear {
  /** Whether it takes an event; null while what it waits for in the tenant is not in memory. */
  takes(event: Publication): boolean | null;
  /** Resolves when it is. */
  ready(tenantId: number, event: Publication): Promise<unknown>;
  /** Resolves when the event is where a crash cannot lose it; it may be there already. */
  take(event: Heard): Promise<void>;
}

interface HeardDoc extends Entity {
  /** `<tenantId>/<key>`. */
  _id: string;
  /** The event as JSON, without what this document says. */
  body: string;
  at: Date;
  /** When the next one looks after it. */
  due: Date;
  tries: number;
}

export const heardSpec = defineCollection<HeardDoc>({ name: 'heard_events', indexes: [{ keys: { due: 1 } }] });

interface Deps {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'warn' | 'error'>;
  /** No other process hears: what is kept when it opens is being taken by nobody. */
  alone: boolean;
}

/** How long who heard an event has to get it taken, in ms; each failed try doubles it. */
const graceMs = 15_000;
const longestWaitMs = 3_600_000;
/** What could not be taken for so long is given up, in ms. */
const keptMs = 86_400_000;
const lookedAt = 100;

export type Hearing = ReturnType<typeof createHearing>;

export function createHearing(deps: Deps) {
  const { db, clock, log, alone } = deps;
  const docs = db.collection(heardSpec);
  const ears: Ear[] = [];
  const taking = takingWith(deps, docs, ears);

  /** Whether somebody waits for it, and it is kept for them. */
  const keep = async (event: Publication, heard: Heard): Promise<boolean> => {
    const unknown = ears.filter((ear) => ear.takes(event) === null);
    try {
      await Promise.all(unknown.map((ear) => ear.ready(event.tenantId, event)));
      if (unknown.length > 0 && ears.every((ear) => ear.takes(event) === false)) return false;
      await docs.insertOne(docOf(heard)).catch(ignoreDuplicate);
    } catch (error) {
      // What happened has happened: it is told all the same, and taken if nobody dies meanwhile.
      log.error({ err: error, type: event.type }, 'an event that something waits for could not be kept');
    }
    return true;
  };

  return {
    listen: (...more: readonly Ear[]): void => void ears.push(...more),
    /**
     * Hears of an event that is about to be told; null when nobody waits for it. It must not be told before `kept`
     * resolves; `taken` resolves when all have taken it, or another try will be made.
     */
    hear(event: Publication): { kept: Promise<unknown>; taken: Promise<void> } | null {
      if (ears.every((ear) => ear.takes(event) === false)) return null;
      const heard = toHeard(event, clock.now());
      const kept = keep(event, heard);
      return { kept, taken: kept.then((isWanted) => (isWanted ? taking.take(heard, 0) : undefined)) };
    },
    /** Takes what was left when the last process ended. */
    async takeUp(): Promise<void> {
      if (alone) await docs.updateMany({ due: { $gt: new Date(0) } }, { $set: { due: new Date(clock.now()) } });
      await taking.look();
    },
    look: taking.look,
    /** From now on events are only kept: the next start takes them. */
    close: taking.close,
  };
}

/** Has events taken, now and again until it is done. */
function takingWith({ clock, log }: Deps, docs: Collection<HeardDoc>, ears: readonly Ear[]) {
  const underWay = new Set<Promise<void>>();
  let isOpen = true;

  const takeNow = async (heard: Heard, tries: number): Promise<void> => {
    const _id = idOf(heard);
    try {
      await Promise.all(ears.map((ear) => ear.take(heard)));
    } catch (error) {
      log.warn({ err: error, type: heard.type }, 'an event could not be taken; it will be tried again');
      const due = new Date(clock.now() + Math.min(graceMs * 2 ** tries, longestWaitMs));
      await docs.updateOne({ _id }, { $set: { due }, $inc: { tries: 1 } }).catch(() => {});
      return;
    }
    // One that stays is taken again, which changes nothing.
    await docs.deleteOne({ _id }).catch(() => {});
  };
  const take = (heard: Heard, tries: number): Promise<void> => {
    if (!isOpen) return Promise.resolve();
    const work = takeNow(heard, tries).finally(() => underWay.delete(work));
    underWay.add(work);
    return work;
  };
  /** One that somebody left. */
  const takeLeft = async (doc: HeardDoc): Promise<void> => {
    const { _id, due, tries } = doc;
    const mine = { due: new Date(clock.now() + graceMs) };
    if (!(await docs.findOneAndUpdate({ _id, due }, { $set: mine }))) return;
    if (clock.now() - doc.at.getTime() <= keptMs) return take(heardOf(doc), tries);
    log.error({ event: _id }, 'an event is given up: what waits for it could not take it for a day');
    await docs.deleteOne({ _id });
  };
  return {
    take,
    async look(): Promise<void> {
      const isDue = { due: { $lte: new Date(clock.now()) } };
      for (let more = isOpen; more; ) {
        const found = await docs.find(isDue, { sort: { due: 1 }, limit: lookedAt }).toArray();
        for (const doc of found) if (isOpen) await takeLeft(doc);
        more = isOpen && found.length === lookedAt;
      }
    },
    async close(): Promise<void> {
      isOpen = false;
      await Promise.all(underWay);
    },
  };
}

/** Copies what is delivered: the publisher may change its data meanwhile. */
function toHeard({ tenantId, key, type, topics, data, fence }: Publication, at: number): Heard {
  const order = fence?.order ?? null;
  const own = key ?? (order === null ? randomUUID() : `${fence?.scope}:${order}`);
  const copy = { topics: [...topics], data: structuredClone(data) };
  return { tenantId, key: own, type, ...copy, at, order, cause: causeNow(), isAgain: false };
}

const idOf = ({ tenantId, key }: Heard): string => `${tenantId}/${key}`;

function docOf(heard: Heard): HeardDoc {
  const { at, isAgain, ...body } = heard;
  return { _id: idOf(heard), body: JSON.stringify(body), at: new Date(at), due: new Date(at + graceMs), tries: 0 };
}

const heardOf = ({ body, at }: HeardDoc): Heard => ({ ...JSON.parse(body), at: at.getTime(), isAgain: true });
