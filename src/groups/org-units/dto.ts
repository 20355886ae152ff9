// Organisation units as they are answered.
import { z } from 'zod';
import {
  BudgetAction,
  BudgetPeriod,
  BudgetState,
  InviteStatus,
  OrgUnitKind,
  Permission,
  PrincipalKind,
} from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string, uuid } from '../../contract/types.ts';
import { AIUsagePoint, AIUsageRow } from '../ai-router/dto.ts';

const unit = {
  id: int64,
  guid: uuid,
  parentId: int64.nullable(),
  name: string,
  key: string,
  /** Keys from the root, e.g. `acme/engineering`. */
  path: string,
  /** 0 for a root. */
  depth: int32,
  description: string.nullable(),
  kind: OrgUnitKind,
  managerUserId: int64.nullable(),
  managerName: string.nullable(),
  costCenter: string.nullable(),
  sortOrder: int32,
  isActive: boolean,
  memberCount: int32,
  childCount: int32,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const OrgUnitDto = dto('OrgUnitDto', unit);
export type OrgUnitDto = z.output<typeof OrgUnitDto>;

export const OrgUnitBudgetDto = dto('OrgUnitBudgetDto', {
  orgUnitId: int64,
  budgetId: int64.nullable(),
  enabled: boolean,
  period: BudgetPeriod,
  limitUsd: double.nullable(),
  limitTokens: int64.nullable(),
  warnAtPercent: int32,
  action: BudgetAction,
  includeDescendants: boolean,
  spentUsd: double,
  usedTokens: int64,
  state: BudgetState,
  /** The least that is left of the budgets of the unit and those above it that count what it spends. */
  effectiveRemainingUsd: double.nullable(),
  constrainedByOrgUnitId: int64.nullable(),
  periodStartUtc: dateTime,
  periodEndUtc: dateTime.nullable(),
  updatedAtUtc: dateTime.nullable(),
});
export type OrgUnitBudgetDto = z.output<typeof OrgUnitBudgetDto>;

export const OrgUnitDetailDto = dto('OrgUnitDetailDto', {
  ...unit,
  projectCount: int32,
  identityCount: int32,
  connectorCount: int32,
  activeRunCount: int32,
  pendingInviteCount: int32,
  budget: OrgUnitBudgetDto.nullable(),
  defaultRoleId: int64.nullable(),
  callerRoleName: string.nullable(),
});
export type OrgUnitDetailDto = z.output<typeof OrgUnitDetailDto>;

const node = {
  id: int64,
  parentId: int64.nullable(),
  name: string,
  key: string,
  kind: OrgUnitKind,
  isActive: boolean,
  sortOrder: int32,
  memberCount: int32,
  projectCount: int32,
  /** Of this month (UTC), with the units below. */
  costUsdThisPeriod: double,
  budgetState: BudgetState.nullable(),
};
export interface OrgUnitTreeNodeDto extends z.output<z.ZodObject<typeof node>> {
  children: OrgUnitTreeNodeDto[];
}
export const OrgUnitTreeNodeDto: z.ZodType<OrgUnitTreeNodeDto> = z
  .strictObject({
    ...node,
    get children() {
      return z.array(OrgUnitTreeNodeDto);
    },
  })
  .meta({ id: 'OrgUnitTreeNodeDto' });

export const OrgUnitMemberDto = dto('OrgUnitMemberDto', {
  id: int64,
  guid: uuid,
  orgUnitId: int64,
  memberKind: PrincipalKind,
  userId: int64.nullable(),
  identityId: int64.nullable(),
  name: string,
  email: string.nullable(),
  roleId: int64.nullable(),
  roleName: string.nullable(),
  title: string.nullable(),
  isManager: boolean,
  inheritedFromOrgUnitId: int64.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type OrgUnitMemberDto = z.output<typeof OrgUnitMemberDto>;

export const OrgUnitInviteDto = dto('OrgUnitInviteDto', {
  id: int64,
  guid: uuid,
  orgUnitId: int64,
  orgUnitName: string,
  email: string,
  roleId: int64.nullable(),
  roleName: string.nullable(),
  status: InviteStatus,
  invitedByName: string.nullable(),
  message: string.nullable(),
  expiresAtUtc: dateTime,
  acceptedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type OrgUnitInviteDto = z.output<typeof OrgUnitInviteDto>;

export const OrgUnitInviteCreatedDto = dto('OrgUnitInviteCreatedDto', {
  invite: OrgUnitInviteDto,
  /** Shown once, as is the address. */
  rawToken: string,
  acceptUrl: string,
  emailSent: boolean,
});
export type OrgUnitInviteCreatedDto = z.output<typeof OrgUnitInviteCreatedDto>;

export const OrgUnitRoleDto = dto('OrgUnitRoleDto', {
  roleId: int64,
  roleName: string,
  weight: int32,
  isDefault: boolean,
  isInherited: boolean,
  memberCount: int32,
  permissions: z.array(Permission),
});
export type OrgUnitRoleDto = z.output<typeof OrgUnitRoleDto>;

export const OrgUnitUsageDto = dto('OrgUnitUsageDto', {
  orgUnitId: int64,
  fromUtc: dateTime,
  toUtc: dateTime,
  runCount: int64,
  calls: int64,
  totalTokens: int64,
  costUsd: double,
  rows: z.array(AIUsageRow),
  points: z.array(AIUsagePoint),
});
export type OrgUnitUsageDto = z.output<typeof OrgUnitUsageDto>;

export const OrgUnitEffectivePolicyDto = dto('OrgUnitEffectivePolicyDto', {
  allowedModelIds: z.array(string),
  blockedTools: z.array(string),
  humanApprovalTools: z.array(string),
  maxConcurrentRuns: int32,
  maxSpawnDepth: int32,
  swarmChildCeiling: int32,
  maxRunCostUsd: double.nullable(),
  allowExternalChannels: boolean,
  /** From the tenant to the unit, those that say something. */
  appliedLayers: z.array(string),
});

export const OrgUnitPolicyDto = dto('OrgUnitPolicyDto', {
  orgUnitId: int64,
  allowedModelIds: z.array(string).nullable(),
  blockedTools: z.array(string).nullable(),
  humanApprovalTools: z.array(string).nullable(),
  maxConcurrentRuns: int32.nullable(),
  maxSpawnDepth: int32.nullable(),
  swarmChildCeiling: int32.nullable(),
  maxRunCostUsd: double.nullable(),
  allowExternalChannels: boolean.nullable(),
  effective: OrgUnitEffectivePolicyDto,
  updatedAtUtc: dateTime.nullable(),
});
export type OrgUnitPolicyDto = z.output<typeof OrgUnitPolicyDto>;
