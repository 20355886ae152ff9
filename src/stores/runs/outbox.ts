// Fills a run's logs: together with its change, or from what its document carries, where doing it twice changes nothing.

import type { LogMessage, ToolCallRecord } from '../../../runtime/message-log.ts';
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import type { Collection, Db, Entity, Filter, Writer } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import * as spec from './collections.ts';

export const emptyOutbox: spec.Outbox = { events: [], messages: [], toolCalls: [] };

/** Number of entries of an outbox. */
export const sizeOf = ({ events, messages, toolCalls }: spec.Outbox) =>
  events.length + messages.length + toolCalls.length;

export const isEmpty = (outbox: spec.Outbox) => sizeOf(outbox) === 0;

/** Stored form of a message in the outbox and the log. */
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

/** Writes the appended entries of a run's change into the logs, in one write with the change. */
export function appendTogether(writer: Writer, { id, version }: RunRecord, appended: spec.Outbox): void {
  for (const event of appended.events) writer.insert(spec.events, eventDocument(event));
  for (const message of appended.messages) writer.insert(spec.messages, messageDocument(id, message));
  const indexes = new Set(appended.messages.map((message) => message.index));
  for (const call of newestCalls(appended.toolCalls)) {
    const document = toolCallDocument(id, call, version);
    const { _id, ...fields } = document;
    // A call that comes with its requesting message has no earlier state.
    if (indexes.has(document.messageIndex)) writer.insert(spec.toolCalls, document);
    else writer.update(spec.toolCalls, { _id } as Filter<spec.ToolCallDocument>, { $set: fields }, { upsert: true });
  }
}

/** Writes an outbox into the logs; `version` is the run's at the time. */
export async function flushOutbox(db: Db, runId: number, outbox: spec.Outbox, version: number): Promise<void> {
  await Promise.all([
    insertMissing(db.collection(spec.events), outbox.events.map(eventDocument)),
    insertMissing(
      db.collection(spec.messages),
      outbox.messages.map((message) => messageDocument(runId, message)),
    ),
    ...outbox.toolCalls.map((call) => putToolCall(db.collection(spec.toolCalls), runId, call, version)),
  ]);
}

/** Newest state of each call: one change may hold the begin and the end of a call. */
export const newestCalls = (calls: readonly ToolCallRecord[]): ToolCallRecord[] => [
  ...new Map(calls.map((call) => [call.key, call])).values(),
];

// Documents are made field by field: with a spread behind other fields it takes several times as long.
const eventDocument = (event: AgentEvent): spec.EventDocument => {
  const document = plainEvent(event);
  if (event.movedTo) document.movedTo = event.movedTo;
  return document;
};

const plainEvent = (event: AgentEvent): spec.EventDocument => ({
  _id: event.id,
  guid: event.guid,
  tenantId: event.tenantId,
  runId: event.runId,
  rootRunId: event.rootRunId,
  parentRunId: event.parentRunId,
  seq: event.seq,
  type: event.type,
  level: event.level,
  iteration: event.iteration,
  title: event.title,
  message: event.message,
  toolName: event.toolName,
  toolCallId: event.toolCallId,
  modelId: event.modelId,
  promptTokens: event.promptTokens,
  completionTokens: event.completionTokens,
  costUsd: event.costUsd,
  durationMs: event.durationMs,
  payloadJson: event.payloadJson,
  createdAt: event.createdAt,
});

const messageDocument = (runId: number, message: spec.Outbox['messages'][number]): spec.MessageDocument => ({
  _id: `${runId}:${message.index}`,
  runId,
  index: message.index,
  iteration: message.iteration,
  body: message.body,
});

function toolCallDocument(runId: number, call: ToolCallRecord, version: number): spec.ToolCallDocument {
  const [messageIndex, position] = call.key.split('.').map(Number) as [number, number];
  return {
    _id: `${runId}:${call.key}`,
    key: call.key,
    callId: call.callId,
    name: call.name,
    argumentsJson: call.argumentsJson,
    state: call.state,
    result: call.result,
    isError: call.isError,
    ...(call.interrupted ? { interrupted: true } : {}),
    ...(call.asked ? { asked: call.asked } : {}),
    startedAt: call.startedAt,
    finishedAt: call.finishedAt,
    runId,
    messageIndex,
    position,
    version,
  };
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
  const { _id, ...fields } = toolCallDocument(runId, call, version);
  try {
    const older = { _id, version: { $lte: version } } as Filter<spec.ToolCallDocument>;
    await collection.updateOne(older, { $set: fields }, { upsert: true });
  } catch (error) {
    // A newer state is there already.
    if (!isDuplicate(error)) throw error;
  }
}
