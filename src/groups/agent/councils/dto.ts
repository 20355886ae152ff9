// A council as a debate.
import { z } from 'zod';
import { CouncilStatus } from '../../../contract/enums.ts';
import { dateTime, dto, int32, int64, string } from '../../../contract/types.ts';
import { AgentCouncilDto, CouncilStatementDto } from '../dto.ts';

const Said = dto('DebateStatementDto', {
  ...CouncilStatementDto.shape,
  /** The same for all wordings of one position; null where the statement names none. */
  positionKey: string.nullable(),
  /** The position that the speaker held before and has given up here; null where there is none. */
  changedFrom: string.nullable(),
});

export const CouncilDebateDto = dto('CouncilDebateDto', {
  council: AgentCouncilDto,
  rootRunId: int64.nullable(),
  participants: z.array(
    dto('DebateParticipantDto', {
      name: string,
      role: string.nullable(),
      modelId: string.nullable(),
      identityId: int64.nullable(),
    }),
  ),
  /** Since when it had which status. */
  phases: z.array(dto('CouncilPhaseDto', { status: CouncilStatus, atUtc: dateTime })),
  statements: z.array(Said),
  /** Who was asked in a round and said nothing, and why. */
  silences: z.array(
    dto('CouncilSilenceDto', { round: int32, participantName: string, reason: string, atUtc: dateTime }),
  ),
  /** Votes that a position needs for a consensus. */
  votesNeeded: int32,
  outcome: dto('CouncilOutcomeDto', {
    decision: string.nullable(),
    /** Why it failed. */
    reason: string.nullable(),
    tally: z.array(dto('CouncilTallyDto', { position: string, key: string, participants: z.array(string) })),
    /** Who did not agree, with their reasons. */
    dissent: z.array(dto('CouncilDissentDto', { participant: string, vote: string.nullable(), reason: string })),
  }).nullable(),
});
export type CouncilDebateDto = z.output<typeof CouncilDebateDto>;
