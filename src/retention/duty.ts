// A duty that one node at a time does: held by a document, and given up when its holder dies.
import { type Clock, clocksDifferMs } from '../kernel/clock.ts';
import { type Db, defineCollection, type Entity } from '../ports/db.ts';
import { isDuplicate } from '../ports/duplicate.ts';

interface DutyDoc extends Entity {
  _id: string;
  owner: string;
  until: Date;
}

export const dutyCollection = defineCollection<DutyDoc>({ name: 'duties' });

/** Lease of a holder, in ms; it is renewed while the work goes on. */
const leaseMs = 60_000;

/** Does `work` unless another node is at it; returns whether this one did. `holds` says in between whether it still may. */
export async function asOnlyNode(
  { db, clock, owner }: { db: Db; clock: Clock; owner: string },
  name: string,
  work: (holds: () => Promise<boolean>) => Promise<void>,
): Promise<boolean> {
  const duties = db.collection(dutyCollection);
  const until = () => new Date(clock.now() + leaseMs);
  const over = { until: { $lte: new Date(clock.now()) } };
  const ahead = { until: { $gt: new Date(clock.now() + leaseMs + clocksDifferMs) } };
  const free = { _id: name, $or: [{ owner }, over, ahead] };
  const taken = await duties.findOneAndUpdate(free, { $set: { owner, until: until() } });
  if (!taken && !(await isInserted(() => duties.insertOne({ _id: name, owner, until: until() })))) return false;
  const holds = async () => {
    const { matchedCount } = await duties.updateOne({ _id: name, owner }, { $set: { until: until() } });
    return matchedCount === 1;
  };
  try {
    await work(holds);
  } finally {
    await duties.deleteOne({ _id: name, owner });
  }
  return true;
}

async function isInserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
