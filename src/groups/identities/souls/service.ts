// Imports souls, and shows identities as souls.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Roles } from '../../agent/roles/roles.ts';
import type { ToolProfiles } from '../../agent/tool-profiles/profiles.ts';
import type { People } from '../people.ts';
import { settingOf } from '../settings.ts';
import { toIdentityDto } from '../to-dto.ts';
import { souls } from './contract.ts';
import type { SoulSpecImport } from './dto.ts';
import { fieldsOf, soulOf } from './mapping.ts';
import { createOverwriting } from './overwriting.ts';
import { type JoinedSoul, joinText, readPackage } from './package.ts';
import { soulPackage } from './package-writer.ts';
import { createRoleMaker } from './role.ts';
import { readSoul, type Soul, writeSoul } from './soul.ts';
import { soulFile } from './soul-file.ts';

export interface SoulsDeps {
  people: People;
  roles: Roles;
  profiles: Pick<ToolProfiles, 'findByName' | 'insert'>;
}

export const soulsService = implement(souls, ({ people, roles, profiles }: SoulsDeps) => {
  const { roleOf, overwrite } = createOverwriting({ people, roles });
  const makeRole = createRoleMaker({ roles, profiles });

  const soulIn = async (identity: IdentityDoc): Promise<Soul> => {
    const { roleDefinitionId } = settingOf(identity, 'work');
    const role = roleDefinitionId === null ? null : await roles.find(identity.tenantId, roleDefinitionId);
    return soulOf(identity, role);
  };

  /** A soul with all that has no place here, a role that the tenant lacks among it. */
  const read = async (caller: Caller, { markdown, notMapped }: JoinedSoul): Promise<SoulSpecImport> => {
    const soul = readSoul(markdown);
    const lacksRole = soul.roleName !== null && (await roleOf(caller, soul)) === null;
    const more = lacksRole ? [`role: ${soul.roleName}`] : [];
    return { ...soul, notMapped: [...soul.notMapped, ...more, ...notMapped] };
  };

  const named = (markdown: string, { name, displayName }: Named): SoulSpecImport => {
    const soul = readSoul(joinText(markdown).markdown);
    return { ...soul, name: name ?? usableName(soul), displayName: displayName ?? soul.displayName };
  };

  return {
    preview: ({ caller, body }) => read(caller, joinText(body.markdown)),
    create: async ({ caller, body }) => {
      const soul = named(body.markdown, body);
      const { name, displayName } = soul;
      if (body.overwriteIdentityId != null) {
        const type = body.type == null ? {} : { type: body.type };
        const more = { displayName, ...(body.name == null ? {} : { name }), ...type };
        return toIdentityDto(await overwrite(caller, body.overwriteIdentityId, soul, more));
      }
      const role = await roleOf(caller, soul);
      const work = role ? { work: { ...settingOf({}, 'work'), roleDefinitionId: role._id } } : {};
      const about = { name, displayName, type: body.type ?? ('AI' as const), userId: body.userId };
      return toIdentityDto(await people.make(caller, { ...fieldsOf(soul), ...about, ...work }));
    },
    createRole: ({ caller, body }) => makeRole(caller, named(body.markdown, body), body.toolProfileName ?? null),
    read: async ({ caller, body: { files } }) => {
      if (!files.file)
        throw new Fault('VALIDATION_FAILED', 'There is no file.', { hint: 'Send one in the field file.' });
      const soul = await read(caller, await readPackage(files.file.path));
      return { soul, markdown: writeSoul(soul) };
    },
    get: async ({ caller, params, query }) => {
      const identity = await people.get(caller, params.id);
      return soulFile(writeSoul(await soulIn(identity)), identity.name, query.download);
    },
    zip: async ({ caller, params }) => {
      const identity = await people.get(caller, params.id);
      const soul = await soulIn(identity);
      return soulPackage(soul, writeSoul(soul), identity.tags ?? []);
    },
  };
});

interface Named {
  name?: string | null | undefined;
  displayName?: string | null | undefined;
}

/** A soul's name, as far as an identity may have it. */
function usableName({ name, displayName }: Soul): string {
  const usable = (name || displayName)
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 100)
    .trim();
  if (usable) return usable;
  throw new Fault('VALIDATION_FAILED', 'This soul has no name that an identity could have.', {
    hint: 'Send one in name.',
  });
}
