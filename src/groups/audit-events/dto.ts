// Audit events as they are answered.
import type { z } from 'zod';
import { AuditCategory, AuditOutcome, PrincipalKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, string, uuid } from '../../contract/types.ts';

const event = {
  id: int64,
  guid: uuid,
  seq: int64,
  action: string,
  category: AuditCategory,
  outcome: AuditOutcome,
  actorKind: PrincipalKind,
  actorId: int64.nullable(),
  actorName: string.nullable(),
  targetKind: string.nullable(),
  targetId: int64.nullable(),
  targetName: string.nullable(),
  ip: string.nullable(),
  userAgent: string.nullable(),
  requestId: string.nullable(),
  detail: string.nullable(),
  createdAtUtc: dateTime,
};

export const AuditEventDto = dto('AuditEventDto', event);
export type AuditEventDto = z.output<typeof AuditEventDto>;

export const AuditEventDetailDto = dto('AuditEventDetailDto', {
  ...event,
  changesJson: string.nullable(),
  requestJson: string.nullable(),
  prevHash: string,
  hash: string,
  chainValid: boolean,
});
export type AuditEventDetailDto = z.output<typeof AuditEventDetailDto>;
