// Provisioning: an identity makes a child that can do no more than whoever asks for it, and lives no longer.
import type { Acting } from '../../../auth/acting.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import { expand, rolePermissions } from '../../../auth/permissions.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { IdentityType, Permission } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { nameTaken } from '../../../ports/keeper.ts';
import { onceScope } from '../../../ports/once.ts';
import type { KeyMaker } from '../key-maker.ts';
import type { People } from '../people.ts';
import { requireWork } from '../profiles/service.ts';
import { settingOf } from '../settings.ts';
import { toIdentityDto } from '../to-dto.ts';
import type { Ceiling } from './ceiling.ts';
import type { ProvisionedIdentityResult } from './dto.ts';

export interface ProvisionDeps {
  people: People;
  acting: Acting;
  clock: Clock;
  ceiling: Ceiling;
  keys: KeyMaker;
  roles: Parameters<typeof requireWork>[0]['roles'];
  profiles: Parameters<typeof requireWork>[0]['profiles'];
}

export interface Wanted {
  name: string;
  displayName?: string | null | undefined;
  bio?: string | null | undefined;
  origin?: string | null | undefined;
  type?: IdentityType | null | undefined;
  roleDefinitionId?: number | null | undefined;
  toolProfileName?: string | null | undefined;
  tags?: string[] | null | undefined;
  provisionedByIdentityId?: number | null | undefined;
  expiresAtUtc?: string | null | undefined;
  ttlMinutes?: number | null | undefined;
  createApiKey?: boolean | null | undefined;
  reuseExisting?: boolean | null | undefined;
}

const minute = 60_000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createProvision(deps: ProvisionDeps) {
  const { people, acting, clock, ceiling, keys } = deps;

  const parentOf = async (caller: Caller, wanted: number | null | undefined) => {
    const id = wanted ?? caller.identityId;
    if (id === null)
      throw new Fault('VALIDATION_FAILED', 'You have no identity that a child could be of.', {
        hint: 'Name one in provisionedByIdentityId.',
      });
    await acting.require(caller, id);
    return people.get(caller, id);
  };

  /** When the child ends: as asked for, but no later than the caller and the parent do. */
  const endOf = (caller: Caller, parent: IdentityDoc, { expiresAtUtc, ttlMinutes }: Wanted): Date | null => {
    const now = clock.now();
    const asked = [
      ...(expiresAtUtc == null ? [] : [Date.parse(expiresAtUtc)]),
      ...(ttlMinutes == null ? [] : [now + ttlMinutes * minute]),
    ];
    const most = [caller.lendsUntil, parent.expiresAt?.getTime()].filter((end) => end != null);
    const end = Math.min(...asked, ...most);
    if (asked.some((one) => one <= now))
      throw new Fault('VALIDATION_FAILED', 'expiresAtUtc lies in the past.', { hint: 'Give a later time, or none.' });
    return Number.isFinite(end) ? new Date(end) : null;
  };

  /** The child of this name that is there already; null for none. */
  const existing = async (caller: Caller, parent: IdentityDoc, wanted: Wanted): Promise<IdentityDoc | null> => {
    const found = await people.keeper.findByName(caller, wanted.name);
    // A repeated request finds the child that it has made itself.
    if (!found || onceScope()?.took(found._id)) return null;
    if (!wanted.reuseExisting || found.provisionedByIdentityId !== parent._id || found.adoptedAt)
      throw nameTaken('identity', wanted.name);
    const { isActive, name } = found;
    if (isActive) return found;
    throw new Fault('CONFLICT', `The child ${name} was switched off.`, {
      hint: 'Ask who switched it off, or choose another name.',
    });
  };

  const make = (caller: Caller, parent: IdentityDoc, wanted: Wanted, expiresAt: Date | null) => {
    const { roleDefinitionId = null, toolProfileName = null } = wanted;
    // A child is bound by its parent's tools, whatever its own profile will say.
    const tools = settingOf(parent, 'tools');
    const work = { roleDefinitionId, toolProfileName: toolProfileName ?? settingOf(parent, 'work').toolProfileName };
    return ceiling.within(parent, wanted.name, () =>
      people.make(caller, {
        name: wanted.name,
        displayName: wanted.displayName,
        bio: wanted.bio,
        origin: wanted.origin,
        type: wanted.type ?? 'AI',
        tags: [...new Set(wanted.tags ?? [])],
        expiresAt,
        provisionedByIdentityId: parent._id,
        work,
        tools: { ...tools },
      }),
    );
  };

  /** The same child again, alive until the end that is asked for now. */
  const renew = async (caller: Caller, parent: IdentityDoc, child: IdentityDoc, expiresAt: Date | null) => {
    const change = () => people.keeper.change(caller, child._id, { expiresAt });
    const ended = child.expiresAt !== null && child.expiresAt.getTime() <= clock.now();
    return ended ? ceiling.within(parent, child.name, change) : change();
  };

  /** What the key of a child may do: as much of an agent's role as the caller may. */
  const scopesFor = (caller: Caller): Permission[] => {
    const own = [...expand(rolePermissions.Agent)];
    const scopes = own.filter((permission) => caller.permissions.has(permission));
    if (scopes.length === 0)
      throw new Fault('FORBIDDEN', 'A key of this child could do nothing.', { hint: 'Leave createApiKey out.' });
    return scopes;
  };

  return async (caller: Caller, wanted: Wanted): Promise<ProvisionedIdentityResult> => {
    if (wanted.type === 'Human')
      throw new Fault('VALIDATION_FAILED', 'People are not provisioned.', {
        hint: 'Make an identity of a person with POST /api/identities.',
      });
    const parent = await parentOf(caller, wanted.provisionedByIdentityId);
    await requireWork(deps, caller, {
      roleDefinitionId: wanted.roleDefinitionId ?? null,
      toolProfileName: wanted.toolProfileName ?? null,
    });
    const expiresAt = endOf(caller, parent, wanted);
    const scopes = wanted.createApiKey ? scopesFor(caller) : [];
    const before = await existing(caller, parent, wanted);
    const identity = before
      ? await renew(caller, parent, before, expiresAt)
      : await make(caller, parent, wanted, expiresAt);
    const { user } = await people.getToWrite(caller, identity._id);
    const key = wanted.createApiKey
      ? await keys.make(caller, user, {
          identityId: identity._id,
          name: 'provisioned',
          scopes,
          expiresAt: identity.expiresAt,
          rotatedFromKeyId: null,
        })
      : null;
    return {
      identity: toIdentityDto(identity),
      identityUserId: identity.userId,
      rawApiKey: key?.rawKey ?? null,
      apiKeyId: key?.key.id ?? null,
      createdExisting: before !== null,
    };
  };
}
