// The policy of a tenant as it is answered.
import { z } from 'zod';
import { EscalationTimeoutAction, RegistrationMode, UserRole } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, string } from '../../contract/types.ts';

const day = 24 * 60;
const names = z.array(string.min(1).max(200)).max(1000);
const days = int32.min(1).max(36_500);

/** Every field with the range that makes sense of it. */
export const policyFields = {
  registrationMode: RegistrationMode,
  passwordMinLength: int32.min(8).max(200),
  mfaRequiredForRoles: z.array(UserRole).max(UserRole.options.length),
  sessionIdleMinutes: int32.min(5).max(400 * day),
  sessionAbsoluteHours: int32.min(1).max(400 * 24),
  accessTokenMinutes: int32.min(1).max(day),
  requireEmailConfirmation: boolean,
  allowDynamicClients: boolean,
  allowedModelIds: names,
  blockedTools: names,
  humanApprovalTools: names,
  sandboxedTools: names,
  maxSpawnDepth: int32.min(0).max(100),
  swarmChildCeiling: int32.min(0).max(100_000),
  maxConcurrentRuns: int32.min(1).max(1_000_000),
  maxRunWallClockMs: int32.min(1000),
  maxRunCostUsd: double.min(0).nullable(),
  monthlyCostCapUsd: double.min(0).nullable(),
  escalationTimeoutMinutes: int32.min(1).max(365 * day),
  escalationTimeoutAction: EscalationTimeoutAction,
  supervisorAutoResolveConfidence: double.min(0).max(1),
  allowExternalChannels: boolean,
  allowedConnectorHosts: names,
  allowPrivateNetworkTargets: boolean,
  memoryEncryptionRequired: boolean,
  scrubPersonalData: boolean,
  eventRetentionDays: days,
  logRetentionDays: days,
  auditRetentionDays: days,
  chatRetentionDays: days.nullable(),
  requestsPerMinutePerKey: int32.min(10),
};

export const TenantPolicyDto = dto('TenantPolicyDto', {
  ...policyFields,
  version: int32,
  updatedByName: string.nullable(),
  updatedAtUtc: dateTime.nullable(),
});
