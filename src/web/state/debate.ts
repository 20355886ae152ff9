// What a debate shows: as it stood at a moment, its rounds and votes, and words that are not heard to their end yet.
import type { CouncilDebateDto, RunDeltaDto } from '../../client/index.ts';

type CouncilTallyDto = NonNullable<CouncilDebateDto['outcome']>['tally'][number];

/** Names whose words come: `toolCallId` of a delta. */
export const speakerKey = (councilId: number, name: string) => `council-${councilId}-${name}`;

/** Words that were not heard to their end yet, by speaker. */
export type Words = Readonly<Record<string, string>>;

export function withDelta(words: Words, { toolCallId, delta, index }: RunDeltaDto): Words {
  if (!toolCallId?.startsWith('council-')) return words;
  const before = words[toolCallId];
  // Who came in the middle of a sentence has not heard its beginning.
  const begin = before ?? (index === 0 ? '' : '…');
  return { ...words, [toolCallId]: begin + delta };
}

/** A debate as it stood at a moment: what was said by then, and no outcome before its end. Null before it was convened. */
export function debateAt(debate: CouncilDebateDto, at: number): CouncilDebateDto | null {
  const isBy = ({ atUtc }: { atUtc: string }) => Date.parse(atUtc) <= at;
  const { council, outcome } = debate;
  if (Date.parse(council.createdAtUtc) > at) return null;
  const phases = debate.phases.filter(isBy);
  const statements = debate.statements.filter(isBy);
  const rest = { ...debate, phases, statements, silences: debate.silences.filter(isBy) };
  const { completedAtUtc } = council;
  if (completedAtUtc !== null && Date.parse(completedAtUtc) <= at) return { ...rest, outcome };
  // Councils of earlier versions do not say since when they had which status.
  const status = phases.at(-1)?.status ?? (statements.some((one) => one.kind === 'Vote') ? 'Voting' : 'Deliberating');
  return { ...rest, outcome: null, council: { ...council, status, consensusJson: null, completedAtUtc: null } };
}

/** Rounds in which somebody was asked so far, the vote last. */
export function roundsOf({ council, statements, silences }: CouncilDebateDto): number[] {
  const spoken = Math.max(1, ...[...statements, ...silences].map((one) => one.round));
  return Array.from({ length: Math.min(spoken, council.rounds + 1) }, (_, index) => index + 1);
}

/** The votes so far: as they were counted at the end, else those of the round of votes. */
export function votesOf({ outcome, statements }: CouncilDebateDto): CouncilTallyDto[] {
  if (outcome) return outcome.tally;
  const votes = new Map<string, CouncilTallyDto>();
  for (const { kind, vote, positionKey, participantName } of statements) {
    if (kind !== 'Vote' || vote === null || positionKey === null) continue;
    const entry = votes.get(positionKey) ?? { key: positionKey, position: vote, participants: [] };
    votes.set(positionKey, { ...entry, participants: [...entry.participants, participantName] });
  }
  return [...votes.values()].sort((a, b) => b.participants.length - a.participants.length);
}
