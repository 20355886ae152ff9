// What a tenant allows its people and agents: one document a tenant, with defaults where nobody has said otherwise.
import type { EscalationTimeoutAction, RegistrationMode, UserRole } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { createLru } from '../kernel/lru.ts';
import { type Db, defineCollection } from './db.ts';
import { isDuplicate } from './duplicate.ts';
import { noUnits, type OrgUnits, tightenedBy, type UnitPath, type UnitWork } from './org-units.ts';

export interface TenantPolicy {
  /** Who may register: of the first tenant, whether registration starts tenants; of each, whether invitations hold. */
  registrationMode: RegistrationMode;
  passwordMinLength: number;
  mfaRequiredForRoles: UserRole[];
  /** A session ends after so long without use, and after so many hours whatever it does. */
  sessionIdleMinutes: number;
  sessionAbsoluteHours: number;
  accessTokenMinutes: number;
  requireEmailConfirmation: boolean;
  allowDynamicClients: boolean;
  /** Ids of models; an empty list means all. */
  allowedModelIds: string[];
  blockedTools: string[];
  humanApprovalTools: string[];
  sandboxedTools: string[];
  maxSpawnDepth: number;
  swarmChildCeiling: number;
  maxConcurrentRuns: number;
  maxRunWallClockMs: number;
  maxRunCostUsd: number | null;
  monthlyCostCapUsd: number | null;
  escalationTimeoutMinutes: number;
  escalationTimeoutAction: EscalationTimeoutAction;
  supervisorAutoResolveConfidence: number;
  allowExternalChannels: boolean;
  allowedConnectorHosts: string[];
  allowPrivateNetworkTargets: boolean;
  memoryEncryptionRequired: boolean;
  scrubPersonalData: boolean;
  eventRetentionDays: number;
  logRetentionDays: number;
  auditRetentionDays: number;
  chatRetentionDays: number | null;
  requestsPerMinutePerKey: number;
}

export interface PolicyDoc extends TenantPolicy {
  /** The tenant. */
  _id: number;
  version: number;
  updatedByName: string | null;
  updatedAt: Date | null;
  /** Whether the memories of the tenant are yet to be encrypted, or decrypted, as it says now. */
  memoriesUnsettled?: boolean;
}

export const policySpec = defineCollection<PolicyDoc>({
  name: 'tenant_policies',
  indexes: [
    { keys: { memoriesUnsettled: 1 }, name: 'unsettled', partialFilterExpression: { memoriesUnsettled: true } },
  ],
});

export const defaultPolicy: TenantPolicy = {
  registrationMode: 'InviteOnly',
  /** NIST SP 800-63B asks for eight characters or more where a password is the only factor; we ask for ten. */
  passwordMinLength: 10,
  mfaRequiredForRoles: [],
  sessionIdleMinutes: 30 * 24 * 60,
  sessionAbsoluteHours: 90 * 24,
  accessTokenMinutes: 15,
  requireEmailConfirmation: false,
  allowDynamicClients: true,
  allowedModelIds: [],
  blockedTools: [],
  humanApprovalTools: [],
  sandboxedTools: [],
  maxSpawnDepth: 5,
  swarmChildCeiling: 50,
  maxConcurrentRuns: 1000,
  maxRunWallClockMs: 7 * 24 * 3_600_000,
  maxRunCostUsd: null,
  monthlyCostCapUsd: null,
  escalationTimeoutMinutes: 24 * 60,
  escalationTimeoutAction: 'KeepWaiting',
  supervisorAutoResolveConfidence: 0.8,
  allowExternalChannels: true,
  allowedConnectorHosts: [],
  allowPrivateNetworkTargets: true,
  memoryEncryptionRequired: false,
  scrubPersonalData: false,
  eventRetentionDays: 3650,
  logRetentionDays: 3650,
  auditRetentionDays: 3650,
  chatRetentionDays: null,
  requestsPerMinutePerKey: 60_000,
};

interface Deps {
  db: Db;
  clock: Clock;
  /** Where work belongs; nothing belongs anywhere unless given. */
  units?: OrgUnits;
}

/** How long a policy is cached, in ms; bounds how late another node's change is seen. */
const cacheMs = 1000;

/** A policy as it holds for some work, with the units that the work belongs to. */
export interface WorkPolicy extends PolicyDoc {
  units: UnitPath;
}

export interface Policies {
  of(tenantId: number): Promise<PolicyDoc>;
  /** The tenant's policy as the units that the work belongs to tighten it. */
  ofWork(work: UnitWork): Promise<WorkPolicy>;
  /** The units that the work belongs to as they were last read, without waiting; null where they were not. */
  lastUnitsOf(work: UnitWork): UnitPath | null;
  /** The policy as it was last read, without waiting; it is read anew where that was not lately. */
  last(tenantId: number): PolicyDoc;
  replace(tenantId: number, policy: TenantPolicy, updatedByName: string): Promise<PolicyDoc>;
}

export function createPolicies({ db, clock, units = noUnits }: Deps): Policies {
  const stored = db.collection(policySpec);
  const cache = createLru<number, PolicyDoc>(10_000, { ttl: cacheMs, clock });
  const latest = createLru<number, PolicyDoc>(10_000);
  const keep = (policy: PolicyDoc) => {
    cache.set(policy._id, policy);
    latest.set(policy._id, policy);
  };
  const fresh = (tenantId: number): PolicyDoc => ({
    ...defaultPolicy,
    _id: tenantId,
    version: 0,
    updatedByName: null,
    updatedAt: null,
  });
  const read = async (tenantId: number): Promise<PolicyDoc> => {
    // Fields that came with a later version have their defaults.
    const policy = { ...fresh(tenantId), ...(await stored.findOne({ _id: tenantId })) };
    keep(policy);
    return policy;
  };
  const of = async (tenantId: number) => cache.get(tenantId) ?? read(tenantId);
  const last = (tenantId: number) => {
    if (!cache.has(tenantId)) read(tenantId).catch(() => undefined);
    return latest.get(tenantId) ?? fresh(tenantId);
  };
  return {
    of,
    last,
    async ofWork(work) {
      const [policy, path] = await Promise.all([of(work.tenantId), units.pathOf(work)]);
      return { ...tightenedBy(policy, path), units: path };
    },
    lastUnitsOf: units.lastPathOf,
    async replace(tenantId, policy, updatedByName) {
      for (;;) {
        const { version, memoryEncryptionRequired: before, memoriesUnsettled = false } = await read(tenantId);
        const next: PolicyDoc = {
          ...policy,
          memoriesUnsettled: memoriesUnsettled || before !== policy.memoryEncryptionRequired,
          _id: tenantId,
          version: version + 1,
          updatedByName,
          updatedAt: new Date(clock.now()),
        };
        const written =
          version === 0
            ? await stored.insertOne(next).then(
                () => true,
                (error) => {
                  if (isDuplicate(error)) return false;
                  throw error;
                },
              )
            : (await stored.replaceOne({ _id: tenantId, version }, next)).matchedCount > 0;
        if (!written) continue;
        keep(next);
        return next;
      }
    },
  };
}
