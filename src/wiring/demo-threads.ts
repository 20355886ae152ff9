// The threads that the demo takes back: those of its runs, and those in which nobody else wrote.
import { messageSpec, threadSpec } from '../groups/messages/documents.ts';
import { removeThreads } from '../groups/messages/retention.ts';
import type { Db } from '../ports/db.ts';
import { perTenant } from '../ports/tenanted.ts';
import { runs as runSpec } from '../stores/runs/collections.ts';

interface Origin {
  runIds: readonly number[];
  identityIds: readonly number[];
}

export async function removeThreadsOf(db: Db, tenantId: number, of: Origin): Promise<void> {
  await removeThreads(db, tenantId, [
    ...(await threadsOfRuns(db, tenantId, of.runIds)),
    ...(await threadsBy(db, tenantId, of.identityIds)),
  ]);
}

async function threadsOfRuns(db: Db, tenantId: number, named: readonly number[]): Promise<number[]> {
  const below = { rootRunId: { $in: [...named] } };
  const members = await perTenant(db.collection(runSpec))(tenantId)
    .find(below, { projection: { _id: 1 } })
    .toArray();
  // Those named count as well when they are gone: what they asked may have been told late.
  const theirs = { tenantId, runId: { $in: [...named, ...members.map(({ _id }) => _id)] } };
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
