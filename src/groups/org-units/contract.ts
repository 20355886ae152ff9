// Organisation units: a tree of companies, departments and teams, whose members, budgets and policies hold below them.
import { z } from 'zod';
import {
  AIUsageGroupBy,
  BudgetAction,
  BudgetPeriod,
  IdentityType,
  InviteStatus,
  OrgUnitKind,
  PrincipalKind,
  ProjectStatus,
  TimeBucket,
} from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, double, email, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { IdentityDto } from '../identities/dto.ts';
import { ProjectDto } from '../projects/dto.ts';
import {
  OrgUnitBudgetDto,
  OrgUnitDetailDto,
  OrgUnitDto,
  OrgUnitInviteCreatedDto,
  OrgUnitInviteDto,
  OrgUnitMemberDto,
  OrgUnitPolicyDto,
  OrgUnitRoleDto,
  OrgUnitTreeNodeDto,
  OrgUnitUsageDto,
} from './dto.ts';

const name = string.trim().min(1).max(200);
const key = string
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'must be lower-case letters, digits and dashes, 50 at most');
const text = string.max(2000);
const short = string.trim().max(200);
const names = z.array(string.min(1).max(200)).max(1000);
const sortOrder = int32;

const settings = {
  description: text.nullish(),
  managerUserId: int64.nullish(),
  costCenter: short.nullish(),
};
const member = {
  roleId: int64.nullish(),
  title: short.nullish(),
  isManager: boolean.nullish(),
  expiresAtUtc: dateTime.nullish(),
};
/** Who manages a unit may do it there, too. */
const inUnit = { inUnit: 'id' } as const;

export const orgUnits = group(
  'OrgUnits',
  {
    base: '/api/org-units',
    doc: 'Organisation units in a tree. Members of a unit work in its projects and in those of the units below; a budget or a policy of a unit holds there as well. Work belongs to the unit of its project, else to that of the identity that does it.',
  },
  {
    list: op.get('', {
      doc: 'List organisation units.',
      needs: 'OrgUnitsRead',
      query: listQuery(['name', 'key', 'kind', 'sortOrder', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        q: string.max(200).optional(),
        parentId: int64.optional(),
        kind: OrgUnitKind.optional(),
        isActive: boolean.optional(),
        mine: boolean.optional(),
      }),
      data: page(OrgUnitDto),
    }),
    create: op.post('', {
      doc: 'Create a unit, under a parent or as a root. Without a key one is made from the name.',
      needs: 'OrgUnitsWrite',
      body: fields({
        name,
        key: key.nullish(),
        kind: OrgUnitKind.nullish(),
        parentId: int64.nullish(),
        sortOrder: sortOrder.nullish(),
        ...settings,
      }),
      data: OrgUnitDto,
    }),
    tree: op.get('/tree', {
      doc: 'The whole tree, or what is below a unit, with members, projects and what this month has cost.',
      needs: 'OrgUnitsRead',
      query: fields({ rootId: int64.optional(), depth: int32.min(0).max(100).optional() }),
      data: z.array(OrgUnitTreeNodeDto),
    }),
    get: op.get('/{id}', {
      doc: 'One unit with counts and its budget.',
      needs: 'OrgUnitsRead',
      data: OrgUnitDetailDto,
    }),
    replace: op.put('/{id}', {
      doc: 'Replace the settings of a unit; what is left out is cleared.',
      needs: 'OrgUnitsWrite',
      body: fields({ name, key, kind: OrgUnitKind, sortOrder, isActive: boolean, ...settings }),
      data: OrgUnitDto,
    }),
    patch: op.patch('/{id}', {
      doc: 'Change some settings of a unit. One that is not active gives nobody access, and no run begins in it.',
      needs: 'OrgUnitsWrite',
      body: fields({
        name: name.optional(),
        key: key.optional(),
        kind: OrgUnitKind.optional(),
        sortOrder: sortOrder.optional(),
        isActive: boolean.optional(),
        ...settings,
      }),
      data: OrgUnitDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete an empty unit, or move what is in it to another one first.',
      needs: 'OrgUnitsWrite',
      body: fields({ moveToOrgUnitId: int64.nullish() }).optional(),
      data: nothing,
    }),
    move: op.post('/{id}/move', {
      doc: 'Move a unit with all below it under another one, or make it a root.',
      needs: 'OrgUnitsWrite',
      body: fields({ parentId: int64.nullish(), sortOrder: sortOrder.nullish() }),
      data: OrgUnitDto,
    }),
    children: op.get('/{id}/children', {
      doc: 'The units right below a unit.',
      needs: 'OrgUnitsRead',
      query: fields({ includeInactive: boolean.default(false) }),
      data: z.array(OrgUnitDto),
    }),
    ancestors: op.get('/{id}/ancestors', {
      doc: 'The path from the root to the unit, the unit with it.',
      needs: 'OrgUnitsRead',
      data: z.array(OrgUnitDto),
    }),
    members: op.get('/{id}/members', {
      doc: 'List the members of a unit, and those of the units above where they are asked for.',
      needs: 'OrgUnitsRead',
      query: listQuery(['name', 'createdAtUtc', 'id'], {
        q: string.max(200).optional(),
        roleId: int64.optional(),
        memberKind: PrincipalKind.optional(),
        includeInherited: boolean.default(false),
      }),
      data: page(OrgUnitMemberDto),
    }),
    addMember: op.post('/{id}/members', {
      doc: 'Add a user or an identity. In the projects of the unit a manager is a Maintainer, a role that may write projects makes a Contributor, another one a Viewer. Without a role the default one of the unit is given.',
      needs: 'OrgUnitsWrite',
      ...inUnit,
      body: fields({ userId: int64.nullish(), identityId: int64.nullish(), ...member }),
      data: OrgUnitMemberDto,
    }),
    changeMember: op.patch('/{id}/members/{memberId}', {
      doc: 'Change the role, the title or the end of a membership.',
      needs: 'OrgUnitsWrite',
      ...inUnit,
      body: fields(member),
      data: OrgUnitMemberDto,
    }),
    removeMember: op.delete('/{id}/members/{memberId}', {
      doc: 'Remove a member.',
      needs: 'OrgUnitsWrite',
      ...inUnit,
      data: nothing,
    }),
    invites: op.get('/{id}/invites', {
      doc: 'Invitations to a unit, the newest first.',
      needs: 'OrgUnitsWrite',
      ...inUnit,
      query: fields({ status: InviteStatus.optional() }),
      data: z.array(OrgUnitInviteDto),
    }),
    invite: op.post('/{id}/invites', {
      doc: 'Invite somebody by e-mail. The token and the link are shown once; with sendEmail the link is mailed.',
      needs: 'OrgUnitsWrite',
      ...inUnit,
      body: fields({
        email,
        roleId: int64.nullish(),
        message: text.nullish(),
        expiresInDays: int32.min(1).max(365).nullish(),
        sendEmail: boolean.nullish(),
      }),
      data: OrgUnitInviteCreatedDto,
    }),
    revokeInvite: op.delete('/{id}/invites/{inviteId}', {
      doc: 'Revoke an invitation that nobody has accepted.',
      needs: 'OrgUnitsWrite',
      ...inUnit,
      data: nothing,
    }),
    acceptInvite: op.post('/invites/accept', {
      doc: 'Join a unit by an invitation. Who has no account makes one with POST /api/auth/register and the same token.',
      needs: 'self',
      body: fields({ token: string.min(1).max(500) }),
      data: OrgUnitMemberDto,
    }),
    roles: op.get('/{id}/roles', {
      doc: 'The roles that may be given in a unit.',
      needs: 'OrgUnitsRead',
      data: z.array(OrgUnitRoleDto),
    }),
    setRoles: op.put('/{id}/roles', {
      doc: 'Set the roles that may be given, and the default one. With inherit those of the unit above may be given too.',
      needs: 'OrgUnitsWrite',
      body: fields({
        roleIds: z.array(int64).max(200),
        defaultRoleId: int64.nullish(),
        inherit: boolean.nullish(),
      }),
      data: z.array(OrgUnitRoleDto),
    }),
    budget: op.get('/{id}/budget', {
      doc: 'The budget of a unit, and what is left by it and those above.',
      needs: 'OrgUnitsRead',
      data: OrgUnitBudgetDto,
    }),
    setBudget: op.put('/{id}/budget', {
      doc: 'Set the budget of a unit; without a limit it is removed.',
      needs: 'OrgUnitsWrite',
      body: fields({
        period: BudgetPeriod,
        limitUsd: double.min(0).nullish(),
        limitTokens: int64.min(0).nullish(),
        warnAtPercent: int32.min(1).max(100).nullish(),
        action: BudgetAction.nullish(),
        includeDescendants: boolean.nullish(),
        enabled: boolean.nullish(),
      }),
      data: OrgUnitBudgetDto,
    }),
    usage: op.get('/{id}/usage', {
      doc: 'Runs, model calls, tokens and cost of a unit and those below it; of today (UTC) and the 30 days before unless a window is given.',
      needs: 'OrgUnitsRead',
      query: fields({
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        bucket: TimeBucket.default('Day'),
        groupBy: AIUsageGroupBy.default('OrgUnit'),
      }),
      data: OrgUnitUsageDto,
    }),
    policy: op.get('/{id}/policy', {
      doc: 'What a unit says of the policy, and what holds there with all that is above it.',
      needs: 'OrgUnitsRead',
      data: OrgUnitPolicyDto,
    }),
    setPolicy: op.put('/{id}/policy', {
      doc: 'Replace what a unit says of the policy: it tightens what is above it, and never widens it. Null fields are inherited.',
      needs: 'PolicyWrite',
      body: fields({
        allowedModelIds: names.nullish(),
        blockedTools: names.nullish(),
        humanApprovalTools: names.nullish(),
        maxConcurrentRuns: int32.min(1).max(1_000_000).nullish(),
        maxSpawnDepth: int32.min(0).max(100).nullish(),
        swarmChildCeiling: int32.min(0).max(100_000).nullish(),
        maxRunCostUsd: double.min(0).nullish(),
        allowExternalChannels: boolean.nullish(),
      }),
      data: OrgUnitPolicyDto,
    }),
    identities: op.get('/{id}/identities', {
      doc: 'List the identities that belong to a unit.',
      needs: 'OrgUnitsRead',
      query: listQuery(['name', 'displayName', 'createdAtUtc', 'id'], {
        type: IdentityType.optional(),
        includeDescendants: boolean.default(false),
      }),
      data: page(IdentityDto),
    }),
    attachIdentity: op.post('/{id}/identities', {
      doc: 'Make an identity belong to a unit, and to no other: its work without a project counts there, and it works in the projects of the unit.',
      needs: 'OrgUnitsWrite',
      body: fields({ identityId: int64 }),
      data: IdentityDto,
    }),
    detachIdentity: op.delete('/{id}/identities/{identityId}', {
      doc: 'Detach an identity from a unit.',
      needs: 'OrgUnitsWrite',
      data: nothing,
    }),
    projects: op.get('/{id}/projects', {
      doc: 'List the projects of a unit that the caller may know of.',
      needs: 'OrgUnitsRead',
      query: listQuery(['name', 'key', 'status', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        status: ProjectStatus.optional(),
        includeDescendants: boolean.default(false),
      }),
      data: page(ProjectDto),
    }),
  },
);
