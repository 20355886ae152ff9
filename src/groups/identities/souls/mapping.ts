// An identity as a soul, and a soul as fields of an identity.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { RoleDoc } from '../../agent/roles/roles.ts';
import { personalityOf, type SoulRest } from '../settings.ts';
import { plainSoul, type Soul } from './soul.ts';

/** What of a soul has no field of its own in an identity. */
export const restOf = ({ soul }: Pick<IdentityDoc, 'soul'>): SoulRest => ({
  systemPrompt: null,
  emoji: null,
  temperature: plainSoul.temperature,
  maxIterations: plainSoul.maxIterations,
  ...(soul as Partial<SoulRest> | null | undefined),
});

export function soulOf(identity: IdentityDoc, role: Pick<RoleDoc, 'name'> | null): Soul {
  return {
    name: identity.name,
    displayName: identity.displayName,
    bio: identity.bio,
    origin: identity.origin,
    ...personalityOf(identity),
    ...restOf(identity),
    roleName: role?.name ?? null,
  };
}

export function fieldsOf(soul: Soul) {
  const { tone, traits, focusAreas, boundaries, greetingStyle, uncertaintyHandling, customInstructions } = soul;
  const { systemPrompt, emoji, temperature, maxIterations, proactiveSuggestions } = soul;
  return {
    bio: soul.bio,
    origin: soul.origin,
    personality: {
      tone,
      traits,
      focusAreas,
      boundaries,
      greetingStyle,
      uncertaintyHandling,
      customInstructions,
      proactiveSuggestions,
    },
    soul: { systemPrompt, emoji, temperature, maxIterations },
  };
}
