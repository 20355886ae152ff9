// A session's standing and its hand-offs, as they are answered and published.
import { z } from 'zod';
import { HandoffStatus, Permission, SessionKind } from '../../contract/enums.ts';
import { dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';
import { IdentityDto } from '../identities/dto.ts';
import { UserDto } from '../users/dto.ts';

export const SessionHandoffDto = dto('SessionHandoffDto', {
  id: int64,
  guid: uuid,
  fromIdentityId: int64,
  fromIdentityName: string,
  /** Null: left for the next session of the same identity. */
  toIdentityId: int64.nullable(),
  toIdentityName: string.nullable(),
  projectId: int64.nullable(),
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  title: string,
  summary: string,
  openQuestions: z.array(string),
  nextSteps: z.array(string),
  memoryIds: z.array(int64),
  taskIds: z.array(int64),
  filesTouched: z.array(string),
  status: HandoffStatus,
  claimedByIdentityId: int64.nullable(),
  claimedByName: string.nullable(),
  claimNotes: string.nullable(),
  claimedAtUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type SessionHandoffDto = z.output<typeof SessionHandoffDto>;

export const SessionInfoDto = dto('SessionInfoDto', {
  kind: SessionKind,
  sessionId: int64.nullable(),
  user: UserDto.nullable(),
  identity: IdentityDto.nullable(),
  keyId: int64.nullable(),
  keyName: string.nullable(),
  clientId: string.nullable(),
  permissions: z.array(Permission),
  scopes: z.array(string),
  orgUnitIds: z.array(int64),
  expiresAtUtc: dateTime.nullable(),
  unreadMessages: int32,
  pendingReplyCount: int32,
  dueHintCount: int32,
  pendingEscalationCount: int32,
  activeRunCount: int32,
  openTaskCount: int32,
  pendingHandoffs: z.array(SessionHandoffDto),
  realtimeUrl: string,
  serverVersion: string,
  serverTimeUtc: dateTime,
});
export type SessionInfoDto = z.output<typeof SessionInfoDto>;
