// Keeps the profiles of identities; each is a field of the identity's document, so that its runs have it at once.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { MessagePriority } from '../../../contract/enums.ts';
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import { shown } from '../../../ports/shown.ts';
import type { Roles } from '../../agent/roles/roles.ts';
import type { ToolProfiles } from '../../agent/tool-profiles/profiles.ts';
import { askedNow } from '../../memories/sealing.ts';
import { verdictOf, willAutoReply } from '../../messages/policy.ts';
import type { People } from '../people.ts';
import { personalityOf, type Settings, settingOf } from '../settings.ts';
import { canMessage, identityProfiles } from './contract.ts';
import { IdentityToolProfileDto } from './dto.ts';
import type { EffectiveTools } from './effective-tools.ts';

export interface ProfilesDeps {
  people: People;
  roles: Pick<Roles, 'find'>;
  profiles: Pick<ToolProfiles, 'findByName'>;
  effectiveTools: EffectiveTools;
}

export const identityProfilesService = implement(identityProfiles, (deps: ProfilesDeps) => {
  const { people, roles, profiles } = deps;
  const get = (caller: Caller, { identityId }: { identityId: number }) => people.get(caller, identityId);

  const toToolProfile = (identity: IdentityDoc): IdentityToolProfileDto =>
    shown(IdentityToolProfileDto, identity, {
      ...settingOf(identity, 'tools'),
      identityId: identity._id,
      identityName: identity.name,
    });

  const toWorkProfile = async (identity: IdentityDoc) => {
    const { roleDefinitionId, toolProfileName } = settingOf(identity, 'work');
    const role = roleDefinitionId === null ? null : await roles.find(identity.tenantId, roleDefinitionId);
    return {
      identityId: identity._id,
      roleDefinitionId,
      roleName: role?.name ?? null,
      toolProfileName,
      tags: identity.tags,
    };
  };

  return {
    personality: async ({ caller, params }) => personalityOf(await get(caller, params)),
    setPersonality: async ({ caller, params, body }) => {
      const personality = { ...body, customInstructions: body.customInstructions ?? null };
      return personalityOf(await people.change(caller, params.identityId, { personality }));
    },
    toolProfile: async ({ caller, params }) => toToolProfile(await get(caller, params)),
    setToolProfile: async ({ caller, params, body }) => {
      return toToolProfile(
        await people.change(caller, params.identityId, { tools: { ...body, description: body.description ?? null } }),
      );
    },
    workProfile: async ({ caller, params }) => toWorkProfile(await get(caller, params)),
    setWorkProfile: async ({ caller, params, body: { tags, ...body } }) => {
      const work = { roleDefinitionId: body.roleDefinitionId ?? null, toolProfileName: body.toolProfileName ?? null };
      await people.getToWrite(caller, params.identityId);
      await requireWork({ roles, profiles }, caller, work);
      return toWorkProfile(await people.change(caller, params.identityId, { work, tags: [...new Set(tags)] }));
    },
    messagingPolicy: async ({ caller, params }) => settingOf(await get(caller, params), 'messaging'),
    setMessagingPolicy: async ({ caller, params, body }) =>
      settingOf(await people.change(caller, params.identityId, { messaging: body }), 'messaging'),
    memoryConfig: async ({ caller, params }) => settingOf(await get(caller, params), 'memory'),
    setMemoryConfig: async ({ caller, params, body }) => {
      const { compressionConfig: compression } = body;
      if (compression && compression.targetPercent >= compression.triggerAtPercent)
        throw new Fault('VALIDATION_FAILED', 'targetPercent must be below triggerAtPercent.', {
          hint: `Lower targetPercent to less than ${compression.triggerAtPercent}.`,
        });
      const memory = {
        ...body,
        defaultSearchConfig: body.defaultSearchConfig ?? null,
        compressionConfig: compression ? { ...compression, summaryModelId: compression.summaryModelId ?? null } : null,
      };
      // What is there already is encrypted, or decrypted, in the background.
      const to = (old: IdentityDoc) =>
        settingOf(old, 'memory').encryptionEnabled === memory.encryptionEnabled
          ? { memory }
          : { memory, memoriesUnsettled: askedNow() };
      return settingOf(await people.change(caller, params.identityId, to), 'memory');
    },
    effectiveTools: async ({ caller, params, query }) => deps.effectiveTools(caller, await get(caller, params), query),
  };
});

export const identityMessagingService = implement(canMessage, ({ people }: Pick<ProfilesDeps, 'people'>) => ({
  check: async ({ caller, params, query }) => {
    const [sender, recipient] = [
      await people.get(caller, params.senderId),
      await people.get(caller, params.recipientId),
    ];
    const priority: MessagePriority = query.priority ?? 'Normal';
    const reason = verdictOf(sender, recipient, priority);
    return {
      senderId: sender._id,
      recipientId: recipient._id,
      allowed: reason === null,
      reason,
      minPriority: settingOf(recipient, 'messaging').minPriority,
      willAutoReply: reason === null && willAutoReply(recipient, sender._id),
    };
  },
}));

/** @throws Fault NOT_FOUND for a role or a tool profile that is not there */
export async function requireWork(
  { roles, profiles }: Pick<ProfilesDeps, 'roles' | 'profiles'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { roleDefinitionId, toolProfileName }: Settings['work'],
): Promise<void> {
  if (roleDefinitionId !== null && !(await roles.find(tenantId, roleDefinitionId)))
    throw new Fault('NOT_FOUND', `There is no role definition ${roleDefinitionId}.`, {
      hint: 'List them with GET /api/agent/role-definitions.',
    });
  if (toolProfileName !== null && !(await profiles.findByName(tenantId, toolProfileName)))
    throw new Fault('NOT_FOUND', `There is no tool profile ${toolProfileName}.`, {
      hint: 'List them with GET /api/agent/tool-profiles.',
    });
}
