// The audit log as a part of the server.
import { authCollections } from '../../auth/collections.ts';
import { namesakes } from '../../auth/sign-in.ts';
import { firstSlug } from '../../auth/tenants.ts';
import { createLru } from '../../kernel/lru.ts';
import type { Audit, AuditedOperation } from '../../ports/audit.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { type PartBase, part } from '../part.ts';
import { auditEvents } from './contract.ts';
import { draftOf } from './entry.ts';
import { createAuditLog } from './log.ts';
import { pruneChain } from './prune.ts';
import { auditHeads, auditRecord } from './record.ts';
import { auditEventsService } from './service.ts';
import { toAuditEventDto } from './to-dto.ts';

export const auditEventsPart = part({
  records: [auditRecord, { spec: auditHeads }],
  contracts: [auditEvents],
  serve: (deps) => [auditEventsService({ ...deps, entries: createKeeper(auditRecord, deps) })],
  audit: createAudit,
  retention: (base) => ({
    ofTenants: [
      {
        name: 'audit log',
        daysOf: ({ auditRetentionDays }) => auditRetentionDays,
        prune: (before, tenantId) => pruneChain(base, tenantId, before),
      },
    ],
  }),
  samples: [],
});

/** Milliseconds in which one denial of nobody, repeated from the same address, is told once. */
const sameDenialMs = 60_000;

/** An operation is answered when its entry is stored: what was answered is in the log, whatever happens next. */
function createAudit({ db, ids, clock, publisher }: PartBase): Audit {
  const auth = authCollections(db);
  const append = createAuditLog({
    db,
    ids,
    clock,
    stored: (entries) => {
      for (const entry of entries) {
        const data = toAuditEventDto(entry);
        publisher
          .publish({ tenantId: entry.tenantId, topics: ['audit'], type: 'audit.recorded', data })
          .catch(() => undefined);
      }
    },
  });
  const told = createLru<string, true>(10_000, { ttl: sameDenialMs, clock });
  const isRepeated = ({ caller, outcome, ip, id, fault }: AuditedOperation): boolean => {
    if (caller || outcome !== 'Denied') return false;
    const name = `${ip} ${id} ${fault?.code}`;
    return told.has(name) || !told.set(name, true);
  };

  let firstTenant: number | null = null;
  /** Whose log it belongs in: of strangers that of who they say to be, else of the operator. */
  const tenantOf = async ({ caller, account, body }: AuditedOperation): Promise<number | null> => {
    if (caller) return caller.tenantId;
    if (account) return account.tenantId;
    const { login, username, email } = (body ?? {}) as { login?: unknown; username?: unknown; email?: unknown };
    const name = login ?? username ?? email;
    const [meant] = typeof name === 'string' ? await namesakes(auth, name) : [];
    if (meant) return meant.tenantId;
    firstTenant ??= (await auth.tenants.findOne({ slug: firstSlug }))?._id ?? null;
    return firstTenant;
  };

  return async (operation) => {
    if (isRepeated(operation)) return;
    const tenantId = await tenantOf(operation);
    if (tenantId === null) return;
    const { account } = operation;
    const user = account && (await auth.users.findOne({ _id: account.userId, tenantId }));
    await append(draftOf(operation, tenantId, user));
  };
}
