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

/** A participant that was asked in a round and said nothing. */
export interface Silence {
  round: number;
  participant: string;
  reason: string;
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
  /** Absent in councils of earlier versions, as are phases. */
  silences?: Silence[];
  /** When it had which status, in order. */
  phases?: { status: CouncilStatus; at: number }[];
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

/** What a command changes of a council at a time, or null when its state does not allow it. */
export function councilMove(now: CouncilRecord, command: CouncilCommand, at: number) {
  const status = moveCouncil(now.status, command);
  return status && { status, phases: [...(now.phases ?? []), { status, at }] };
}

/** Share of the votes that makes a consensus. */
const consensusShare = 2 / 3;

/** Votes that a position needs among so many participants. */
export const votesNeeded = (participants: number): number => Math.ceil(participants * consensusShare - 1e-9);

/** What two wordings of one position have in common: letters and digits in lower case. */
export const positionKey = (position: string): string =>
  position
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export interface Tallied {
  /** In the words of who voted for it first. */
  position: string;
  key: string;
  participants: string[];
}

/** The positions of the last round in which somebody spoke, those with the most votes first. */
export function tallyOf({ statements }: Pick<CouncilRecord, 'statements'>): Tallied[] {
  const tally = new Map<string, Tallied>();
  for (const { vote, participant } of lastRoundOf(statements)) {
    if (!vote) continue;
    const key = positionKey(vote);
    const entry = tally.get(key) ?? { position: vote, key, participants: [] };
    tally.set(key, { ...entry, participants: [...entry.participants, participant] });
  }
  return [...tally.values()].sort((a, b) => b.participants.length - a.participants.length);
}

/** Statements of the last round in which somebody spoke. */
export function lastRoundOf(statements: readonly Statement[]): Statement[] {
  const last = statements.reduce((most, { round }) => Math.max(most, round), 0);
  return statements.filter(({ round }) => round === last);
}

/** The position that who speaks has given up with this statement; null where nothing was given up. */
export function changedFrom(statements: readonly Statement[], { participant, round, vote }: Statement): string | null {
  if (vote === null) return null;
  const before = statements
    .filter((one) => one.participant === participant && one.round < round && one.vote !== null)
    .reduce<Statement | null>((last, one) => (last === null || one.round > last.round ? one : last), null);
  return before?.vote && positionKey(before.vote) !== positionKey(vote) ? before.vote : null;
}
