// Shows the audit log; nothing changes it.
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Signer } from '../../kernel/signer.ts';
import type { Db } from '../../ports/db.ts';
import { inSpan } from '../../ports/in-span.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { isChained } from './chain.ts';
import { auditEvents } from './contract.ts';
import { AuditEventDetailDto } from './dto.ts';
import type { AuditEventDoc } from './record.ts';
import { toAuditEventDto } from './to-dto.ts';

export interface AuditEventsDeps {
  db: Db;
  signer: Signer;
  entries: Keeper<AuditEventDoc>;
}

export const auditEventsService = implement(auditEvents, ({ db, signer, entries }: AuditEventsDeps) => ({
  list: async ({ caller, query: { fromUtc, toUtc, ...query } }) => {
    const within = inSpan('createdAt', fromUtc, toUtc);
    const { items, totalCount } = await entries.page(caller, query, { within });
    return toPage(items.map(toAuditEventDto), totalCount, query);
  },
  get: async ({ caller, params }) => {
    const entry = await entries.get(caller, params.id);
    return shown(AuditEventDetailDto, entry, { chainValid: await isChained({ db, signer }, entry) });
  },
}));
