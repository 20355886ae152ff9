// The event types of the interface: on which topics they travel, what they carry, whether they are kept, and how deltas join.

/** How adjacent events of one type become one: equal `same` fields, the `text` fields concatenated. */
export interface MergeRule {
  text: string;
  same: readonly string[];
  /** Joins only events whose field has one of these values. */
  only?: { field: string; values: readonly unknown[] };
}

export interface EventType {
  /** Topic patterns; `*` stands for an id. */
  topics: readonly string[];
  /** Name of the DTO in `data`. */
  payload: string;
  durable: boolean;
  /** Nothing of its subject follows until it is opened again. */
  terminal?: true;
  /** Kind of the topics that it is the last event of; its other topics go on. */
  ends?: string;
  merge?: MergeRule;
}

const kept = (payload: string, ...topics: string[]): EventType => ({ topics, payload, durable: true });
const passing = (payload: string, ...topics: string[]): EventType => ({ topics, payload, durable: false });
const runTopics = ['runs', 'run:*', 'run-tree:*', 'project:*'];

const table = {
  'run.created': kept('AgentRunDto', ...runTopics),
  'run.updated': kept('AgentRunDto', ...runTopics),
  'run.status': kept('AgentRunDto', ...runTopics),
  'run.completed': kept('AgentRunDto', ...runTopics),
  'run.failed': kept('AgentRunDto', ...runTopics),
  'run.ended': { ...kept('AgentRunDto', ...runTopics), terminal: true, ends: 'run:' },
  'tree.quiesced': { ...kept('RunTreeQuiescedDto', 'runs', 'run-tree:*'), terminal: true, ends: 'run-tree:' },
  'run.deleted': { ...kept('DeletedDto', 'runs', 'run:*', 'project:*'), ends: 'run:' },
  'run.event': kept('AgentEventDto', 'run:*', 'run-tree:*'),
  'run.delta': {
    ...passing('RunDeltaDto', 'run:*', 'run-tree:*'),
    merge: { text: 'delta', same: ['runId', 'iteration', 'kind', 'toolCallId'] },
  },
  'run.budget': passing('RunBudgetDto', 'runs', 'run:*', 'run-tree:*'),
  'run.sandbox.output': {
    ...passing('SandboxChunkDto', 'run:*'),
    merge: { text: 'text', same: ['runId', 'stream', 'toolCallId'], only: { field: 'exitCode', values: [null] } },
  },
  'run.note': kept('AgentRunNoteDto', 'run:*'),
  'run.feedback': kept('AgentFeedbackDto', 'run:*'),
  'run.task': kept('AgentTaskDto', 'run:*'),
  'run.message': kept('MessageDto', 'run:*'),
  'escalation.raised': kept('AgentEscalationDto', 'escalations', 'run:*', 'project:*'),
  'escalation.updated': kept('AgentEscalationDto', 'escalations', 'run:*', 'project:*'),
  'escalation.resolved': kept('AgentEscalationDto', 'escalations', 'run:*', 'project:*'),
  'council.updated': kept('AgentCouncilDto', 'escalations', 'run:*'),
  'council.statement': kept('CouncilStatementDto', 'escalations', 'run:*'),
  'routine.updated': kept('AgentRoutineDto', 'routines'),
  'routine.deleted': kept('DeletedDto', 'routines'),
  'routine.run': kept('AgentRoutineRunDto', 'routines'),
  'chat.session.updated': kept('ChatSessionDto', 'chats', 'chat:*'),
  'chat.session.deleted': kept('DeletedDto', 'chats', 'chat:*'),
  'chat.message': kept('ChatMessageDto', 'chat:*'),
  'chat.stream': {
    ...passing('ChatStreamEventDto', 'chat:*'),
    merge: {
      text: 'delta',
      same: ['type', 'sessionId', 'messageId'],
      only: { field: 'type', values: ['ContentDelta', 'ReasoningDelta'] },
    },
  },
  'message.received': kept('InboxMessageDto', 'inbox:*', 'me'),
  'message.sent': kept('MessageDto', 'inbox:*'),
  'message.read': kept('MessageReadResult', 'inbox:*'),
  'inbox.count': passing('UnreadCountDto', 'inbox:*', 'me'),
  'presence.changed': passing('PresenceChangedDto', 'identities', 'identity:*'),
  'identity.updated': kept('IdentityDto', 'identities', 'identity:*'),
  'identity.deleted': kept('DeletedDto', 'identities', 'identity:*'),
  'hint.due': kept('IdentityHintDto', 'identity:*', 'me'),
  'memory.written': kept('MemoryWriteDto', 'identity:*'),
  'memory.archived': kept('MemoryListDto', 'identity:*'),
  'memory.linked': kept('HebbianLinkDto', 'identity:*'),
  'suggestion.created': kept('PersonalMemorySuggestionDto', 'me'),
  'handoff.created': kept('SessionHandoffDto', 'identity:*', 'me'),
  'handoff.claimed': kept('SessionHandoffDto', 'identity:*', 'me'),
  'fact.written': kept('FactDto', 'project:*'),
  'rule.updated': kept('StandingRuleDto', 'identity:*', 'project:*'),
  'knowledge.goal.updated': kept('KnowledgeGoalDto', 'project:*'),
  'task.created': kept('ProjectTaskDto', 'project:*'),
  'task.updated': kept('ProjectTaskDto', 'project:*'),
  'task.deleted': kept('DeletedDto', 'project:*'),
  'task.comment': kept('TaskCommentDto', 'project:*'),
  'project.updated': kept('ProjectDto', 'project:*'),
  'doc.updated': kept('DocListDto', 'project:*'),
  'doc.published': kept('DocListDto', 'project:*'),
  'doc.deleted': kept('DeletedDto', 'project:*'),
  'sitebuild.updated': kept('SiteBuildDto', 'project:*'),
  'import.updated': kept('ImportDto', 'import:*', 'me'),
  'connector.updated': kept('ConnectorDto', 'connectors'),
  'router.call': passing('AICallDto', 'router'),
  'router.health': kept('AIProviderHealthDto', 'router', 'system'),
  'budget.warning': kept('AIBudgetDto', 'router', 'billing'),
  'budget.exhausted': kept('AIBudgetDto', 'router', 'billing'),
  'subscription.updated': kept('BillingSubscriptionDto', 'billing'),
  'invoice.updated': kept('InvoiceDto', 'billing'),
  'channel.delivery': kept('ChannelDeliveryDto', 'channels'),
  'channel.inbound': kept('ChannelDeliveryDto', 'channels'),
  'webhook.delivery': kept('WebhookDeliveryDto', 'webhooks'),
  'webhook.test': kept('WebhookDto'),
  'log.written': passing('SystemLogDto', 'logs'),
  'audit.recorded': kept('AuditEventDto', 'audit'),
  'system.health': passing('SystemReadinessDto', 'system'),
  'system.node': passing('InfraNodeDto', 'system'),
  'system.queue': passing('QueueDto', 'system'),
  'maintenance.updated': kept('MaintenanceRunDto', 'system'),
  'connection.opened': passing('WebSocketConnectionDto', 'system'),
  'connection.closed': passing('WebSocketConnectionDto', 'system'),
  notification: kept('NotificationDto', 'me'),
  'stream.gap': passing('StreamGapDto'),
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof table;
export const eventTypes: Readonly<Record<EventTypeName, EventType>> = table;

/** The type with this name, or undefined. */
export function eventType(name: string): EventType | undefined {
  return Object.hasOwn(table, name) ? table[name as EventTypeName] : undefined;
}

/** Events whose adjacent neighbours may be joined have a key: those with the same key concatenate. Null for all others. */
export function mergeKeyOf(type: string, data: unknown): string | null {
  const rule = eventType(type)?.merge;
  if (!rule || typeof data !== 'object' || data === null) return null;
  const fields = data as Record<string, unknown>;
  if (typeof fields[rule.text] !== 'string') return null;
  if (rule.only && !rule.only.values.includes(fields[rule.only.field] ?? null)) return null;
  let key = type;
  for (const field of rule.same) key += `|${fields[field] ?? ''}`;
  return key;
}

/** Whether an event is the last one of a topic, as far as anybody knows: a restart opens it again. */
export function isEndOf(topic: string, type: string): boolean {
  const ends = eventType(type)?.ends;
  return ends !== undefined && topic.startsWith(ends);
}

/** Types that open a run again after `run.ended`. */
export const reopening: ReadonlySet<string> = new Set<EventTypeName>(['run.created', 'run.status']);
