// Makes a role definition from a soul, with the lists of a tool profile where one is named.
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import { nameTaken } from '../../../ports/keeper.ts';
import { plainBudgets, type Roles, toRoleDto } from '../../agent/roles/roles.ts';
import { checkTemplate } from '../../agent/roles/template.ts';
import type { ToolProfiles } from '../../agent/tool-profiles/profiles.ts';
import type { Soul } from './soul.ts';

interface Deps {
  roles: Roles;
  profiles: Pick<ToolProfiles, 'findByName' | 'insert'>;
}

/** @throws Fault NOT_FOUND for the tool profile, DUPLICATE for a name that is taken, VALIDATION_FAILED for its prompt */
export const createRoleMaker =
  ({ roles, profiles }: Deps) =>
  async (caller: Caller, soul: Soul, toolProfileName: string | null) => {
    const { tenantId } = caller;
    const profile = toolProfileName === null ? null : await profiles.findByName(tenantId, toolProfileName);
    if (toolProfileName !== null && !profile)
      throw new Fault('NOT_FOUND', `There is no tool profile ${toolProfileName}.`, {
        hint: 'List them with GET /api/agent/tool-profiles.',
      });
    if (profile && (await profiles.findByName(tenantId, soul.name))) throw nameTaken('tool profile', soul.name);
    const systemPromptTemplate = templateOf(soul);
    checkTemplate(systemPromptTemplate);
    const iterations = Math.min(soul.maxIterations, 10_000);
    const role = await roles.keeper.insert(caller, {
      ...plainBudgets,
      name: soul.name,
      displayName: soul.displayName,
      description: soul.bio?.slice(0, 2000) ?? null,
      icon: soul.emoji,
      systemPromptTemplate,
      routeId: null,
      temperature: soul.temperature,
      fallbackModelId: null,
      enabled: true,
      sortOrder: 100,
      isSystem: false,
      customised: false,
      defaultMaxIterations: iterations,
      hardIterationCap: Math.max(plainBudgets.hardIterationCap, iterations),
    });
    if (profile) {
      const { safeTools, optInTools, blockedTools, sandboxedTools, discoveryEnabled } = profile;
      const lists = { safeTools, optInTools, blockedTools, sandboxedTools, discoveryEnabled };
      await profiles.insert(caller, {
        ...lists,
        role: role.name,
        roleDefinitionId: role._id,
        name: role.name,
        description: null,
      });
    }
    return toRoleDto(role, null);
  };

/** What a role is told: the soul's own prompt, else its bio, and what it is like. */
function templateOf(soul: Soul): string {
  const list = (label: string, items: readonly string[]) =>
    items.length > 0 ? `${label}:\n${items.map((one) => `- ${one}`).join('\n')}` : null;
  const parts = [
    soul.systemPrompt ?? soul.bio,
    soul.tone && `Your tone: ${soul.tone}`,
    list('Your traits', soul.traits),
    list('What you care about most', soul.focusAreas),
    list('What you never do', soul.boundaries),
    soul.customInstructions,
  ];
  const text = parts.filter(Boolean).join('\n\n').slice(0, 32_000).trim();
  return text || `You are {{agent}}, in the role ${soul.displayName.replaceAll(/[{}]/g, '')}.`;
}
