// Events as the client hands them out, their payloads by type, and the state of a connection.
import type {
  AgentCouncilDto,
  AgentEscalationDto,
  AgentEventDto,
  AgentFeedbackDto,
  AgentRunDto,
  AgentRunNoteDto,
  AgentTaskDto,
  CouncilStatementDto,
  RunBudgetDto,
  RunDeltaDto,
  RunTreeQuiescedDto,
} from '../../groups/agent/dto.ts';
import type { AIBudgetDto, AICallDto, AIProviderHealthDto } from '../../groups/ai-router/dto.ts';
import type { IdentityDto, PresenceChangedDto } from '../../groups/identities/dto.ts';
import type { InboxMessageDto, MessageDto, MessageReadResult, UnreadCountDto } from '../../groups/messages/dto.ts';
import type { NotificationDto, RealtimeEventDto, WebSocketConnectionDto } from '../../groups/realtime/dto.ts';
import type { InfraNodeDto, SystemReadinessDto } from '../../groups/system/dto.ts';

/** Payload of a `stream.gap`: what lies between could not be served, load a snapshot. */
export interface StreamGapDto {
  topic: string;
  requestedSeq: number;
  oldestSeq: number;
  latestSeq: number;
}

export interface SandboxChunkDto {
  runId: number;
  seq: number;
  stream: 'Stdout' | 'Stderr' | 'System';
  text: string;
  toolCallId: string | null;
  exitCode: number | null;
  atUtc: string;
}

export interface DeletedDto {
  kind: string;
  id: number;
  atUtc: string;
}

/** Payload by event type. */
export interface EventPayloads {
  'run.created': AgentRunDto;
  'run.updated': AgentRunDto;
  'run.status': AgentRunDto;
  'run.completed': AgentRunDto;
  'run.failed': AgentRunDto;
  'run.ended': AgentRunDto;
  'tree.quiesced': RunTreeQuiescedDto;
  'run.deleted': DeletedDto;
  'run.event': AgentEventDto;
  'run.delta': RunDeltaDto;
  'run.budget': RunBudgetDto;
  'run.sandbox.output': SandboxChunkDto;
  'run.note': AgentRunNoteDto;
  'run.feedback': AgentFeedbackDto;
  'run.task': AgentTaskDto;
  'run.message': MessageDto;
  'escalation.raised': AgentEscalationDto;
  'escalation.updated': AgentEscalationDto;
  'escalation.resolved': AgentEscalationDto;
  'council.updated': AgentCouncilDto;
  'council.statement': CouncilStatementDto;
  'message.received': InboxMessageDto;
  'message.sent': MessageDto;
  'message.read': MessageReadResult;
  'inbox.count': UnreadCountDto;
  'presence.changed': PresenceChangedDto;
  'identity.updated': IdentityDto;
  'identity.deleted': DeletedDto;
  'router.call': AICallDto;
  'router.health': AIProviderHealthDto;
  'budget.warning': AIBudgetDto;
  'budget.exhausted': AIBudgetDto;
  'system.health': SystemReadinessDto;
  'system.node': InfraNodeDto;
  'connection.opened': WebSocketConnectionDto;
  'connection.closed': WebSocketConnectionDto;
  notification: NotificationDto;
  'stream.gap': StreamGapDto;
}

type Frame = Omit<RealtimeEventDto, 'type' | 'data'>;
/** An event whose payload type follows from its `type`. */
export type KnownEvent = {
  [T in keyof EventPayloads]: Frame & { type: T; data: EventPayloads[T] };
}[keyof EventPayloads];
/** Any event, as it came over the wire. */
export type RawEvent = RealtimeEventDto;

/** Gives an event its payload type; types that are not in `EventPayloads` simply match no case. */
export function known(event: RawEvent): KnownEvent {
  return event as unknown as KnownEvent;
}

export type ConnectionPhase = 'connecting' | 'live' | 'resuming' | 'offline' | 'closed';

export interface ConnectionState {
  phase: ConnectionPhase;
  /** When this phase began, ms since the epoch. */
  since: number;
  /** Attempts to connect since it was last live. */
  attempt: number;
  /** Round trip of the last ping, ms; null until one was measured. */
  latencyMs: number | null;
  /** Events still to be caught up on after a resume; null when the transport does not tell. */
  behind: number | null;
  transport: 'ws' | 'sse';
  /** Why it is offline or closed. */
  reason: string | null;
}
