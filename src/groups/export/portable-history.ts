// Records of the portable format that tell what happened: runs with what they told, and messages between identities, as
// one of them has them.
import { z } from 'zod';
import {
  AgentEventType,
  AgentRunNoteType,
  AgentRunStatus,
  MessagePriority,
  MessageType,
  SystemLogLevel,
} from '../../contract/enums.ts';
import { boolean, dateTime, float, int32, int64, string, uuid } from '../../contract/types.ts';

const time = dateTime.nullable();
const text = string.nullable();
const kind = <const Kind extends string>(name: Kind) => ({ kind: z.literal(name), id: uuid });

/** Who a message went to; others than the identity are names alone. */
const Recipient = z.strictObject({ name: string, isOwn: boolean, seen: boolean, refused: text });
/** A message as it lies in the mailbox of the identity. */
const Mailbox = z.strictObject({
  unread: boolean,
  deliveredAtUtc: time,
  readAtUtc: time,
  repliedAtUtc: time,
  archivedAtUtc: time,
  removedAtUtc: time,
  rejectedReason: text,
});
export type Mailbox = z.output<typeof Mailbox>;

/** What the tree of a run had to spend, and has spent. */
const Pool = z.strictObject({
  iterationBudget: int32,
  iterationsUsed: int32,
  tokenBudget: int64,
  tokensUsed: int64,
  costBudgetUsd: float.nullable(),
  costUsd: float,
});
export type Pool = z.output<typeof Pool>;

/** An event of a run. Numbers by which a payload names things of the server are not in it; runs are, by their ids here. */
const RunEvent = z.strictObject({
  seq: int32,
  type: AgentEventType,
  level: SystemLogLevel,
  iteration: int32.nullable(),
  title: string,
  message: text,
  toolName: text,
  toolCallId: text,
  modelId: text,
  promptTokens: int32.nullable(),
  completionTokens: int32.nullable(),
  costUsd: float.nullable(),
  durationMs: float.nullable(),
  payload: z.unknown(),
  movedTo: AgentRunStatus.nullable(),
  createdAtUtc: dateTime,
});
export type RunEvent = z.output<typeof RunEvent>;

/** Fields that stand for something else of the document. */
export const refersTo = {
  filed: { project: text, archived: boolean, run: uuid.nullable().default(null) },
  /** `sent`: the identity wrote it. `replies` are messages of the document. */
  said: { thread: uuid, project: text, sent: boolean, replies: z.array(uuid), recipients: z.array(Recipient) },
  mailbox: { mailbox: Mailbox.nullable() },
  /** `pool` is said of roots. */
  run: { project: text, parent: uuid.nullable(), about: uuid.nullable(), pool: Pool.nullable() },
  ofRun: { run: uuid },
  /** Some events, in order. */
  events: { events: z.array(RunEvent) },
};

export const historySchemas = {
  run: z.strictObject({
    ...kind('run'),
    ...refersTo.run,
    goal: string,
    runRole: string,
    status: AgentRunStatus,
    identityName: text,
    taskTitle: text,
    modelId: text,
    reasoningEffort: text,
    toolProfileName: text,
    outputPath: text,
    contractDeliverable: text,
    contractDestination: text,
    tags: z.array(string),
    failureReason: text,
    progressSummary: text,
    planJson: text,
    result: z.strictObject({ summary: string, deliverable: text }).nullable(),
    maxIterations: int32,
    maxTokens: int32,
    maxWallClockMs: int32,
    contextBudgetTokens: int32,
    contextUsedTokens: int32,
    staleStepCount: int32,
    restarts: int32,
    iterationsUsed: int32,
    tokensUsed: int32,
    promptTokens: int32,
    completionTokens: int32,
    writtenOffTokens: int32,
    costUsd: float,
    activeMs: int64,
    eventCount: int32,
    startedAtUtc: time,
    completedAtUtc: time,
    createdAtUtc: dateTime,
    updatedAtUtc: dateTime,
  }),
  events: z.strictObject({
    ...kind('events'),
    ...refersTo.ofRun,
    ...refersTo.events,
    createdAtUtc: dateTime,
  }),
  note: z.strictObject({
    ...kind('note'),
    ...refersTo.ofRun,
    noteType: AgentRunNoteType,
    content: string,
    createdAtUtc: dateTime,
  }),
  thread: z.strictObject({
    ...kind('thread'),
    ...refersTo.filed,
    title: text,
    createdAtUtc: dateTime,
    lastMessageAtUtc: dateTime,
  }),
  message: z.strictObject({
    ...kind('message'),
    ...refersTo.said,
    ...refersTo.mailbox,
    senderName: string,
    content: string,
    type: MessageType,
    priority: MessagePriority,
    requiresReply: boolean,
    senderRemovedAtUtc: time,
    createdAtUtc: dateTime,
  }),
} as const;

export type HistoryKind = keyof typeof historySchemas;
