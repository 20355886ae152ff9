// The tool profiles of a tenant: stored, found by role or name, and seeded for the system's roles.
import type { Clock } from '../../../kernel/clock.ts';
import type { Db } from '../../../ports/db.ts';
import { ignoreDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import { type By, createKeeper } from '../../../ports/keeper.ts';
import { type Draft, record } from '../../../ports/record.ts';
import { shown } from '../../../ports/shown.ts';
import { AgentToolProfileDto } from '../dto.ts';
import type { Roles } from '../roles/roles.ts';

/** Tool names, or beginnings of names with a trailing `*`. */
export interface ToolLists {
  safeTools: string[];
  /** Need an approval a call. */
  optInTools: string[];
  blockedTools: string[];
  /** May be used only where they run in the sandbox. */
  sandboxedTools: string[];
}

export interface ProfileContent extends ToolLists {
  role: string;
  roleDefinitionId: number | null;
  name: string;
  description: string | null;
  /** Tools that no list names may be used too. */
  discoveryEnabled: boolean;
}

export interface ProfileDoc extends ProfileContent {
  _id: number;
  tenantId: number;
  roleKey: string;
  /** Lower-case name, unique within the tenant: runs name profiles. */
  nameKey: string;
  createdAt: Date;
  updatedAt: Date;
}

const profileRecord = record<ProfileDoc>('agent_tool_profiles', {
  noun: 'tool profile',
  list: 'GET /api/agent/tool-profiles',
  order: 'role',
  search: ['name', 'role', 'description'],
  uniqueName: true,
  lacks: ['guid'],
  indexes: [{ keys: { tenantId: 1, roleKey: 1, _id: 1 } }],
});
export const { spec: profileSpec } = profileRecord;

/** Tools that the system's roles have no use for, so that a slip of the model cannot use them. */
const withheld: Record<string, string[]> = {
  worker: [],
  researcher: ['shell_exec'],
  coder: [],
  reviewer: ['file_write'],
  // Both work through others, and whom they spawn may use no more than they.
  planner: [],
  supervisor: [],
};

/** What earlier versions withheld, and kept from children as well now; where nobody has changed it, it is lifted. */
const withheldOnce: Record<string, string[]> = {
  planner: ['shell_exec', 'file_write'],
  supervisor: ['shell_exec', 'file_write'],
};

/** Tools that a role can't do its work without: its runs fail at once where there is no sandbox for them. */
const needed: Record<string, string[]> = { coder: ['shell_exec'] };

export function createToolProfiles(deps: { db: Db; ids: Ids; clock: Clock }) {
  const keeper = createKeeper(profileRecord, deps);
  const { of } = keeper;

  /** @throws Fault DUPLICATE when the name is taken */
  const insert = (by: By, content: ProfileContent): Promise<ProfileDoc> => keeper.insert(by, withRoleKey(content));

  const findByName = (tenantId: number, name: string) => keeper.findByName({ tenantId }, name);

  return {
    of,
    keeper,
    insert,
    findByName,
    /** The profile that runs of the role use unless they name another. */
    findByRole: (tenantId: number, role: string): Promise<ProfileDoc | null> =>
      of(tenantId).findOne({ roleKey: role.toLowerCase() }, { sort: { _id: 1 } }),
    /** Makes what is missing for the system's roles. May run at every boot, after the roles were seeded. */
    async seed(tenantId: number, roles: Pick<Roles, 'findByName'>): Promise<void> {
      for (const [role, blockedTools] of Object.entries(withheld)) {
        const existing = await findByName(tenantId, role);
        if (existing) {
          const asSeeded = { _id: existing._id, description: aboutRole(role), blockedTools: withheldOnce[role] ?? [] };
          if (withheldOnce[role]) await of(tenantId).updateOne(asSeeded, { $set: { blockedTools } });
          continue;
        }
        const definition = await roles.findByName(tenantId, role);
        const content: ProfileContent = {
          role,
          roleDefinitionId: definition?._id ?? null,
          name: role,
          description: aboutRole(role),
          safeTools: needed[role] ?? [],
          optInTools: [],
          blockedTools,
          sandboxedTools: [],
          discoveryEnabled: true,
        };
        await insert({ tenantId }, content).catch(ignoreDuplicate);
      }
    },
  };
}
export type ToolProfiles = ReturnType<typeof createToolProfiles>;

const aboutRole = (role: string) => `What runs of the role ${role} may use.`;

/** Roles are looked for whatever their case. */
export const withRoleKey = (content: ProfileContent): Draft<ProfileDoc> => ({
  ...content,
  roleKey: content.role.toLowerCase(),
});

export const toProfileDto = (profile: ProfileDoc): AgentToolProfileDto => shown(AgentToolProfileDto, profile);
