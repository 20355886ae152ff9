// Moves what a run's document carries into its logs; doing it twice changes nothing.
import type { AgentEvent, LogMessage, ToolCallRecord } from '../../../runtime/records.ts';
import type { Collection, Db, Entity, Filter } from '../../ports/db.ts';
import { isDuplicate } from '../duplicate.ts';
import * as spec from './collections.ts';

export const emptyOutbox: spec.Outbox = { events: [], messages: [], toolCalls: [] };

/** How many entries it holds. */
export const sizeOf = ({ events, messages, toolCalls }: spec.Outbox) =>
  events.length + messages.length + toolCalls.length;

export const isEmpty = (outbox: spec.Outbox) => sizeOf(outbox) === 0;

/** A message as the outbox and the log hold it. */
export const packMessage = (index: number, iteration: number, message: LogMessage['message']) => ({
  index,
  iteration,
  body: JSON.stringify(message),
});

export const unpackMessage = ({
  index,
  iteration,
  body,
}: {
  index: number;
  iteration: number;
  body: string;
}): LogMessage => ({
  index,
  iteration,
  message: JSON.parse(body) as LogMessage['message'],
});

/** Writes an outbox into the logs; `version` is the run's at the time. */
export async function flushOutbox(db: Db, runId: number, outbox: spec.Outbox, version: number): Promise<void> {
  await Promise.all([
    insertMissing(
      db.collection(spec.events),
      outbox.events.map(({ id, ...event }: AgentEvent) => ({ _id: id, ...event })),
    ),
    insertMissing(
      db.collection(spec.messages),
      outbox.messages.map((message) => ({ _id: `${runId}:${message.index}`, runId, ...message })),
    ),
    ...outbox.toolCalls.map((call) => putToolCall(db.collection(spec.toolCalls), runId, call, version)),
  ]);
}

async function insertMissing<T extends Entity>(collection: Collection<T>, documents: T[]): Promise<void> {
  if (documents.length === 0) return;
  try {
    if (documents.length === 1) await collection.insertOne(documents[0]!);
    else await collection.insertMany(documents);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    if (documents.length === 1) return;
    for (const document of documents) await insertMissing(collection, [document]);
  }
}

async function putToolCall(
  collection: Collection<spec.ToolCallDocument>,
  runId: number,
  call: ToolCallRecord,
  version: number,
): Promise<void> {
  const [messageIndex, position] = call.key.split('.').map(Number) as [number, number];
  const _id = `${runId}:${call.key}`;
  const fields = { ...call, runId, messageIndex, position, version };
  try {
    const older = { _id, version: { $lte: version } } as Filter<spec.ToolCallDocument>;
    await collection.updateOne(older, { $set: fields }, { upsert: true });
  } catch (error) {
    // A newer state is there already.
    if (!isDuplicate(error)) throw error;
  }
}
