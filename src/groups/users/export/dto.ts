// Everything that the server holds on a person.
import { z } from 'zod';
import { dateTime, dto } from '../../../contract/types.ts';
import { AgentFeedbackDto } from '../../agent/dto.ts';
import { AuditEventDto } from '../../audit-events/dto.ts';
import { AuthSessionDto } from '../../auth/dto.ts';
import { ChatSessionDetailDto } from '../../chat/dto.ts';
import { IdentityDto } from '../../identities/dto.ts';
import { MessageDto } from '../../messages/dto.ts';
import { ExternalLoginDto } from '../../oauth/dto.ts';
import { PersonalMemoryDto } from '../../personal-memories/dto.ts';
import { PromptDto } from '../../prompts/dto.ts';
import { UserDto } from '../dto.ts';

export const UserDataExport = dto('UserDataExport', {
  exportedAtUtc: dateTime,
  user: UserDto,
  identities: z.array(IdentityDto),
  sessions: z.array(AuthSessionDto),
  /** Ours: their logins at sign-in providers. */
  externalLogins: z.array(ExternalLoginDto),
  chatSessions: z.array(ChatSessionDetailDto),
  personalMemories: z.array(PersonalMemoryDto),
  /** Ours: prompts that they have saved. */
  prompts: z.array(PromptDto),
  messages: z.array(MessageDto),
  feedback: z.array(AgentFeedbackDto),
  auditEvents: z.array(AuditEventDto),
});
export type UserDataExport = z.output<typeof UserDataExport>;
