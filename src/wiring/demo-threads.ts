// The threads that the demo takes back: those of its runs, and those in which nobody else wrote.
import { messageSpec, threadSpec } from '../groups/messages/documents.ts';
import type { Db } from '../ports/db.ts';

interface Origin {
  runIds: readonly number[];
  identityIds: readonly number[];
}

export async function threadsOf(db: Db, tenantId: number, of: Origin): Promise<number[]> {
  return [...(await threadsOfRuns(db, tenantId, of.runIds)), ...(await threadsBy(db, tenantId, of.identityIds))];
}

/** Also of runs that are gone: what they asked may have been told late. */
async function threadsOfRuns(db: Db, tenantId: number, runIds: readonly number[]): Promise<number[]> {
  const theirs = { tenantId, runId: { $in: [...runIds] } };
  const threads = await db
    .collection(threadSpec)
    .find(theirs, { projection: { _id: 1 } })
    .toArray();
  return threads.map(({ _id }) => _id);
}

async function threadsBy(db: Db, tenantId: number, identityIds: readonly number[]): Promise<number[]> {
  const messages = db.collection(messageSpec);
  const own = { tenantId, senderId: { $in: [...identityIds] } };
  const written = await messages.find(own, { projection: { threadId: 1 } }).toArray();
  const threads = [...new Set(written.map(({ threadId }) => threadId))];
  const others = { tenantId, threadId: { $in: threads }, senderId: { $nin: [...identityIds] } };
  const answered = new Set(
    (await messages.find(others, { projection: { threadId: 1 } }).toArray()).map(({ threadId }) => threadId),
  );
  return threads.filter((id) => !answered.has(id));
}
