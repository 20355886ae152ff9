// Councils as pure data: several participants deliberate on one question and vote.

export type CouncilStatus =
  | 'Convening'
  | 'Deliberating'
  | 'Voting'
  | 'Consensus'
  | 'NoConsensus'
  | 'Failed'
  | 'Cancelled';

export interface Participant {
  name: string;
  modelId: string | null;
  role: string | null;
  identityId: number | null;
}

export interface Statement {
  round: number;
  kind: 'Opening' | 'Argument' | 'Rebuttal' | 'Vote' | 'Conclusion';
  participant: string;
  content: string;
  vote: string | null;
  at: number;
}

export interface CouncilRecord {
  id: number;
  guid: string;
  tenantId: number;
  version: number;
  /** Idempotency key of the call that convened it. */
  key: string;
  /** Id of the run that convened it; null for a council of a chat. */
  runId: number | null;
  rootRunId: number | null;
  chatSessionId: number | null;
  question: string;
  rounds: number;
  participants: Participant[];
  statements: Statement[];
  consensusJson: string | null;
  status: CouncilStatus;
  createdAt: number;
  completedAt: number | null;
}

export type CouncilCommand = 'deliberate' | 'vote' | 'agree' | 'split' | 'fail' | 'cancel';

export const councilTransitions: Record<CouncilStatus, Partial<Record<CouncilCommand, CouncilStatus>>> = {
  Convening: { deliberate: 'Deliberating', fail: 'Failed', cancel: 'Cancelled' },
  Deliberating: { vote: 'Voting', agree: 'Consensus', fail: 'Failed', cancel: 'Cancelled' },
  Voting: { agree: 'Consensus', split: 'NoConsensus', fail: 'Failed', cancel: 'Cancelled' },
  Consensus: {},
  NoConsensus: {},
  Failed: {},
  Cancelled: {},
};

/** The status after `command`, or null when the state does not allow it. */
export const moveCouncil = (status: CouncilStatus, command: CouncilCommand): CouncilStatus | null =>
  councilTransitions[status][command] ?? null;
