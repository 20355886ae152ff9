// What operators set of the server as a whole while it works: documents by name, held in memory and seen by every node.
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import { type Db, defineCollection } from './db.ts';
import { isDuplicate } from './duplicate.ts';

/** What is kept under each name. */
export interface StateValues {
  /** Maintenance mode; times are ISO 8601. */
  maintenance: { on: boolean; message: string | null; sinceUtc: string | null };
  /** Settings that go before those of the start, as text. */
  overrides: { values: Record<string, string>; updatedAtUtc: string; updatedByName: string };
  /** Keys that sign tokens, the newest first, sealed; and until when the one holds that the server began with. */
  signingKeys: { firstUntilUtc: string | null; keys: SigningKey[] };
  /** How queues are worked, by their names. */
  queues: Record<string, QueueControl>;
}

/** A key that verifies at once where it is known, and signs from `fromUtc` on, when all nodes know it. */
export interface SigningKey {
  id: string;
  sealed: string;
  /** Absent of keys that earlier versions made: they sign already. */
  fromUtc?: string;
  untilUtc: string | null;
}

/** How one queue is worked on all nodes. */
export interface QueueControl {
  paused: boolean;
  /** Jobs of a node at once; null: as many as it does by itself. */
  concurrency: number | null;
  /** Failures up to here are not counted or listed any more; ISO 8601. */
  clearedAtUtc: string | null;
}

type Name = keyof StateValues;

interface StateDoc {
  _id: string;
  version: number;
  value: unknown;
}

export const serverStateSpec = defineCollection<StateDoc>({ name: 'server_state' });

/** How late a change of another node is seen, in ms. */
const lookEveryMs = 1000;

/** Milliseconds after which every node has seen a change, where its store answers as usual. */
export const seenByAllMs = 3 * lookEveryMs;

export interface ServerState {
  get<N extends Name>(name: N): StateValues[N] | null;
  /** Replaces a value by what `to` makes of the one that holds; `to` runs again where another node was faster. */
  change<N extends Name>(name: N, to: (old: StateValues[N] | null) => StateValues[N]): Promise<StateValues[N]>;
  /** Called after a value has changed, here or on another node. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** Reads what is there; with `alone`, nobody else writes it, and it is read once. */
export async function openServerState(deps: {
  db: Db;
  clock: Clock;
  log: Logger;
  alone: boolean;
}): Promise<ServerState> {
  const stored = deps.db.collection(serverStateSpec);
  const known = new Map<string, StateDoc>();
  const listeners: (() => void)[] = [];
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const keep = (doc: StateDoc): boolean => {
    if ((known.get(doc._id)?.version ?? 0) >= doc.version) return false;
    known.set(doc._id, doc);
    return true;
  };
  const read = async () => {
    const docs = await stored.find().toArray();
    if (docs.map(keep).some(Boolean)) tell();
  };
  const write = async (doc: StateDoc, before: number): Promise<boolean> => {
    if (before > 0) return (await stored.replaceOne({ _id: doc._id, version: before }, doc)).matchedCount > 0;
    return stored.insertOne(doc).then(
      () => true,
      (error: unknown) => {
        if (isDuplicate(error)) return false;
        throw error;
      },
    );
  };
  await read();
  const rounds = createRounds(deps);
  if (!deps.alone) rounds.start({ name: 'what operators have set', everyMs: lookEveryMs, work: read });
  const get = <N extends Name>(name: N) => (known.get(name)?.value ?? null) as StateValues[N] | null;
  return {
    get,
    async change(name, to) {
      for (;;) {
        const before = known.get(name)?.version ?? 0;
        const value = to(get(name));
        const doc = { _id: name, version: before + 1, value };
        if (await write(doc, before)) {
          if (keep(doc)) tell();
          return value;
        }
        await read();
      }
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => rounds.close(),
  };
}
