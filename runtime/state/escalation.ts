// Escalations as pure data: questions of a run to a decider, and the transitions to their end.
import { Fault } from '../../src/kernel/fault.ts';

export type EscalationStatus =
  | 'Open'
  | 'SupervisorReview'
  | 'AwaitingHuman'
  | 'RevisionRequested'
  | 'Resolved'
  | 'TimedOut'
  | 'Withdrawn';
export type ResolutionMode = 'Human' | 'Supervisor' | 'Council' | 'Policy' | 'Timeout';
export type TimeoutAction = 'UseRecommendation' | 'Proceed' | 'Fail' | 'Cancel' | 'KeepWaiting';
export type Urgency = 'Low' | 'Normal' | 'High' | 'Critical';

export interface EscalationRecord {
  id: number;
  guid: string;
  tenantId: number;
  version: number;
  /** Keys of the requests that raised and resolved it, where they had one. */
  askedKey?: string;
  resolvedKey?: string;
  /** Id of the run; null for a question of a chat. */
  runId: number | null;
  rootRunId: number | null;
  projectId: number | null;
  identityId: number | null;
  taskId: number | null;
  situation: string;
  optionsJson: string | null;
  /** JSON of what a tool asks, for pages to draw; absent for what is words alone. */
  formJson?: string;
  /** Only a person decides it: no supervisor, council or agent. */
  needsPerson?: true;
  supervisorRecommendation: string | null;
  confidence: number;
  kind: string | null;
  urgency: Urgency | null;
  status: EscalationStatus;
  resolutionMode: ResolutionMode | null;
  decision: string | null;
  decidedBy: string | null;
  decisionNotes: string | null;
  /** Arguments that a person put in place of the model's, for tool approvals. */
  argumentsJson: string | null;
  /** Key of the tool call that waits for the approval, if any. */
  toolCallKey: string | null;
  toolName: string | null;
  /** Key of the tool call that receives the decision as its result; null when the decision is injected as a message. */
  answersCallKey: string | null;
  chatSessionId: number | null;
  approvalThreadId: number | null;
  revisionRoundsUsed: number;
  maxRevisionRounds: number;
  timeoutAt: number | null;
  timeoutAction: TimeoutAction;
  notificationState: 'NotRequired' | 'Pending' | 'Sent' | 'PartiallySent' | 'Failed' | 'Acknowledged' | 'Suppressed';
  notificationDetail: string | null;
  /** Whether the decision also answers the same question when it is asked again in this tree. */
  rememberAsRule: boolean;
  /** Node whose connection it hangs on; absent where it may be answered at any time. */
  heldBy?: string;
  /** Fingerprint of the question; see questionKey. */
  questionKey: string;
  /** Whether the outcome is delivered to the run. */
  delivered: boolean;
  createdAt: number;
  resolvedAt: number | null;
}

export type EscalationCommand =
  | 'send-to-supervisor'
  | 'ask-human'
  | 'resolve'
  | 'request-revision'
  | 'submit-revision'
  | 'time-out'
  | 'withdraw';

const table: Record<EscalationStatus, Partial<Record<EscalationCommand, EscalationStatus>>> = {
  Open: {
    'send-to-supervisor': 'SupervisorReview',
    'ask-human': 'AwaitingHuman',
    resolve: 'Resolved',
    withdraw: 'Withdrawn',
  },
  SupervisorReview: {
    resolve: 'Resolved',
    'ask-human': 'AwaitingHuman',
    'time-out': 'TimedOut',
    withdraw: 'Withdrawn',
  },
  AwaitingHuman: {
    resolve: 'Resolved',
    'request-revision': 'RevisionRequested',
    'time-out': 'TimedOut',
    withdraw: 'Withdrawn',
  },
  RevisionRequested: {
    'submit-revision': 'AwaitingHuman',
    resolve: 'Resolved',
    'time-out': 'TimedOut',
    withdraw: 'Withdrawn',
  },
  Resolved: {},
  TimedOut: {},
  Withdrawn: {},
};

/** Kind of the escalation of a call that waits at a breakpoint. */
export const breakpointKind = 'breakpoint';

export const isBreakpoint = ({ kind }: Pick<EscalationRecord, 'kind'>) => kind === breakpointKind;

const isWord = (words: RegExp, decision: string | null) => words.test((decision ?? '').trim().replace(/[.!]$/, ''));

/**
 * A decision at a breakpoint: the call is made, answered without being made, or its run is cancelled. Any other text
 * refuses the call and is its reason.
 */
export function breakpointVerdict(decision: string | null): 'continue' | 'skip' | 'cancel' | 'refuse' {
  if (isApproval(decision) || isWord(/^(continue|go on)$/i, decision)) return 'continue';
  if (isWord(/^skip(ped)?$/i, decision)) return 'skip';
  return isWord(/^cancel(l?ed)?$/i, decision) ? 'cancel' : 'refuse';
}

/** Whether the escalation asks for approval of one tool call. */
export const isToolApproval = ({ kind, toolName }: Pick<EscalationRecord, 'kind' | 'toolName'>) =>
  kind === 'toolApproval' && toolName !== null;

/** Whether a decision approves a tool call: only the word itself does. Any other text is a refusal and its reason. */
export const isApproval = (decision: string | null) => /^approved?[.!]?$/i.test((decision ?? '').trim());

/** Whether the status is final. */
export const escalationClosed = (status: EscalationStatus) => Object.keys(table[status]).length === 0;

/** Whether its run must receive an outcome: the decision, or that it was sent back. */
export const hasOutcome = (status: EscalationStatus) => escalationClosed(status) || status === 'RevisionRequested';

/** The status after `command`; Fault INVALID_TRANSITION when the state does not allow it. */
export function moveEscalation(status: EscalationStatus, command: EscalationCommand): EscalationStatus {
  const next = table[status][command];
  if (next) return next;
  throw new Fault('INVALID_TRANSITION', `This escalation is ${status}: it cannot ${command.replaceAll('-', ' ')}.`, {
    hint: escalationClosed(status)
      ? 'Its decision was used once and stands. Look at decision and decidedBy.'
      : 'Wait for the run or the supervisor, or resolve it with a decision.',
  });
}

/** The whole table, for tests against the interface. */
export const escalationTransitions = table;
