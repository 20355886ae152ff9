// A role as soul.md: the same Markdown that souls of identities are, so that an import reads it back.
import { plainSoul, writeSoul } from '../../identities/souls/soul.ts';
import type { RoleDoc } from './roles.ts';

export function roleAsSoul(role: RoleDoc): string {
  const soul = {
    ...plainSoul,
    name: role.name,
    displayName: role.displayName,
    emoji: role.icon,
    bio: role.description,
    systemPrompt: role.systemPromptTemplate,
    temperature: role.temperature,
    maxIterations: role.defaultMaxIterations,
  };
  return writeSoul(soul, role.fallbackModelId === null ? {} : { fallbackModel: role.fallbackModelId });
}
