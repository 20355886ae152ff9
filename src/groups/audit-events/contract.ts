// Operations on the audit log.
import { AuditCategory, AuditOutcome, PrincipalKind } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { dateTime, int64, string } from '../../contract/types.ts';
import { AuditEventDetailDto, AuditEventDto } from './dto.ts';

export const auditEvents = group(
  'AuditEvents',
  { base: '/api/audit-events', doc: 'The tamper-evident record of who did or tried what.' },
  {
    list: op.get('', {
      doc: 'Search the record, newest first.',
      needs: 'AuditRead',
      query: listQuery(['seq', 'createdAtUtc', 'action', 'category', 'outcome', 'actorName', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        action: string.max(200).optional(),
        category: AuditCategory.optional(),
        outcome: AuditOutcome.optional(),
        actorKind: PrincipalKind.optional(),
        actorId: int64.optional(),
        targetKind: string.max(200).optional(),
        targetId: int64.optional(),
        requestId: string.max(200).optional(),
        q: string.max(200).optional(),
      }),
      data: page(AuditEventDto),
    }),
    get: op.get('/{id}', {
      doc: 'One entry with the documents that were written, and whether it stands as it was written, chained to its neighbours.',
      needs: 'AuditRead',
      data: AuditEventDetailDto,
    }),
  },
);
