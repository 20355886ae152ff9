// Marks of nodes that are storing lines: what they store is not passed over by those who follow the log, however slow the store is.
import type { Clock } from '../kernel/clock.ts';
import { type Db, defineCollection, type Entity } from '../ports/db.ts';
import { idAt } from './ids.ts';

interface LogMarkDoc extends Entity {
  /** The node. */
  _id: string;
  /** Every number that it is giving is above this one. */
  from: number;
  at: Date;
}

export const logMarks = defineCollection<LogMarkDoc>({ name: 'log_marks' });

/** A node that has been storing for so many ms is taken for dead. */
const deadMs = 60_000;

export interface LogMarks {
  /** To be called, and waited for, before lines get their numbers. */
  begin(): Promise<void>;
  /** To be called when they are stored, or wait for the next time. */
  end(): Promise<void>;
  /** No node is storing a line of this number or a lower one. */
  lowest(): Promise<number>;
}

export function createLogMarks({ db, clock, nodeId }: { db: Db; clock: Clock; nodeId: string }): LogMarks {
  const marks = db.collection(logMarks);
  const dead = () => new Date(clock.now() - deadMs);
  return {
    async begin() {
      const mark = { _id: nodeId, from: idAt(clock.now()) - 1, at: new Date(clock.now()) };
      await marks.replaceOne({ _id: nodeId }, mark, { upsert: true });
    },
    async end() {
      await marks.deleteMany({ $or: [{ _id: nodeId }, { at: { $lte: dead() } }] });
    },
    async lowest() {
      const found = await marks.find({ at: { $gt: dead() } }).toArray();
      return Math.min(Number.MAX_SAFE_INTEGER, ...found.map(({ from }) => from));
    },
  };
}
