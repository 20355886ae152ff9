// Everything that the server holds on a person.
import { z } from 'zod';
import { MemoryVisibility, PersonalMemoryCategory } from '../../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../../contract/types.ts';
import { AgentFeedbackDto } from '../../agent/dto.ts';
import { AuditEventDto } from '../../audit-events/dto.ts';
import { AuthSessionDto } from '../../auth/dto.ts';
import { ChatSessionDetailDto } from '../../chat/dto.ts';
import { IdentityDto } from '../../identities/dto.ts';
import { MessageDto } from '../../messages/dto.ts';
import { UserDto } from '../dto.ts';

/** There are none yet; the interface names what they hold. */
const PersonalMemoryDto = dto('PersonalMemoryDto', {
  id: int64,
  guid: uuid,
  userId: int64,
  title: string.nullable(),
  content: string,
  category: PersonalMemoryCategory,
  importance: int32,
  visibility: MemoryVisibility,
  identityIds: z.array(int64),
  tags: z.array(string),
  sourceIdentityId: int64.nullable(),
  sourceChatSessionId: int64.nullable(),
  hasEmbedding: boolean,
  usedCount: int32,
  lastUsedAtUtc: dateTime.nullable(),
  lastUsedByName: string.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});

export const UserDataExport = dto('UserDataExport', {
  exportedAtUtc: dateTime,
  user: UserDto,
  identities: z.array(IdentityDto),
  sessions: z.array(AuthSessionDto),
  chatSessions: z.array(ChatSessionDetailDto),
  personalMemories: z.array(PersonalMemoryDto),
  messages: z.array(MessageDto),
  feedback: z.array(AgentFeedbackDto),
  auditEvents: z.array(AuditEventDto),
});
export type UserDataExport = z.output<typeof UserDataExport>;
