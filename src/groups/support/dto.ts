// Support requests as they are answered.
import type { z } from 'zod';
import { MessagePriority, SupportCategory, SupportStatus } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, string, uuid } from '../../contract/types.ts';

export const SupportRequestDto = dto('SupportRequestDto', {
  id: int64,
  guid: uuid,
  /** What people call it by: `SR-12`. */
  reference: string,
  subject: string,
  category: SupportCategory,
  status: SupportStatus,
  priority: MessagePriority,
  hasDiagnostics: boolean,
  /** Where the bundle is downloaded, on this server. */
  diagnosticsPath: string.nullable(),
  /** `mail`: to the address of RIVULET_SUPPORT_MAIL; `inbox`: to the tenant's other administrators. */
  forwardedVia: string.nullable(),
  createdAtUtc: dateTime,
});
export type SupportRequestDto = z.output<typeof SupportRequestDto>;
