// What is set of an identity's profiles and configurations, with the defaults of what is not.
import { z } from 'zod';
import type { IdentityDoc } from '../../auth/documents.ts';
import { HydrationSource } from '../../contract/enums.ts';
import { IdentityPersonality } from './dto.ts';
import type { IdentityHydrationConfig, IdentityMemoryConfig, MessagingPolicy } from './profiles/dto.ts';

/** Tools that the identity uses freely, with an approval, or never; patterns as in tool profiles. */
export interface OwnTools {
  name: string;
  description: string | null;
  safeTools: string[];
  optInTools: string[];
  blockedTools: string[];
}

/** What its runs get that name no role or tool profile of their own. */
export interface Work {
  roleDefinitionId: number | null;
  toolProfileName: string | null;
}

/** What of a soul has no field of its own in an identity. */
export interface SoulRest {
  systemPrompt: string | null;
  emoji: string | null;
  temperature: number;
  maxIterations: number;
}

export interface Settings {
  tools: OwnTools;
  work: Work;
  messaging: MessagingPolicy;
  memory: IdentityMemoryConfig;
  hydration: IdentityHydrationConfig;
}

export const defaultSettings: Settings = {
  tools: { name: 'default', description: null, safeTools: [], optInTools: [], blockedTools: [] },
  work: { roleDefinitionId: null, toolProfileName: null },
  messaging: {
    receiveEnabled: true,
    sendEnabled: true,
    allowedSenders: [],
    blockedSenders: [],
    autoReply: false,
    autoReplyTo: [],
    minPriority: 0,
  },
  memory: {
    hebbianLinkingEnabled: true,
    linkStrengthIncrement: 0.1,
    decayEnabled: true,
    decayAfterDays: 30,
    decayAmount: 1,
    decayFloor: 1,
    autoArchiveEnabled: false,
    archiveAfterDays: 365,
    archiveImportanceThreshold: 2,
    encryptionEnabled: false,
    encryptionAlgorithm: 'aes-256-gcm',
    defaultSearchConfig: null,
    compressionConfig: null,
  },
  hydration: {
    preset: 'interactive',
    disabledSources: [],
    enabledSources: [],
    identityMemoryLimit: 10,
    pinnedMemoryLimit: 10,
    recentMemoryLimit: 10,
    projectMemoryLimit: 10,
    projectLimit: 5,
    taskLimit: 30,
    taskMinPriority: 0,
    keyFactLimit: 10,
    factLimit: 20,
    minFactImportance: 1,
    pendingReplyLimit: 5,
    generateSystemPrompt: true,
    surfacedMemoryEnabled: true,
    standingRulesMode: 'triggered',
  },
};

export type WithSettings = Pick<IdentityDoc, keyof Settings>;

/** A setting of an identity: what was set, over the defaults. */
export function settingOf<Name extends keyof Settings>(identity: WithSettings, name: Name): Settings[Name] {
  return { ...defaultSettings[name], ...(identity[name] as Partial<Settings[Name]> | null | undefined) };
}

/** Sources that a preset leaves out; `custom` takes what is enabled alone. */
const leftOut: Record<string, readonly HydrationSource[]> = {
  lean: ['RecentMemories', 'ProjectMemories', 'SurfacedMemories', 'Facts', 'Interests', 'Projects'],
  'agent-minimal': HydrationSource.options.filter((one) => !['Personality', 'Tasks', 'StandingRules'].includes(one)),
  interactive: [],
  all: [],
};

/** Whether a source of context goes to the runs and chats of the identity: what is named counts over the preset. */
export function hydrates(identity: WithSettings, source: HydrationSource): boolean {
  const { preset, disabledSources, enabledSources } = settingOf(identity, 'hydration');
  if (disabledSources.includes(source)) return false;
  if (enabledSources.includes(source)) return true;
  return preset !== 'custom' && !leftOut[preset]?.includes(source);
}

/** The temperature that the soul of an identity names; undefined where it has none. */
export const ownTemperature = ({ soul }: Pick<IdentityDoc, 'soul'>): number | undefined =>
  (soul as Partial<SoulRest> | null | undefined)?.temperature;

/** What the soul of an identity tells it besides its personality. */
export const ownPrompt = ({ soul }: Pick<IdentityDoc, 'soul'>): string | null =>
  (soul as Partial<SoulRest> | null | undefined)?.systemPrompt ?? null;

export const plainPersonality: IdentityPersonality = {
  tone: '',
  traits: [],
  focusAreas: [],
  boundaries: [],
  greetingStyle: '',
  uncertaintyHandling: '',
  proactiveSuggestions: false,
  customInstructions: null,
};

const Partly = z.object(IdentityPersonality.partial().shape);

export function personalityOf({ personality }: Pick<IdentityDoc, 'personality'>): IdentityPersonality {
  const { data = {} } = Partly.safeParse(personality ?? {});
  return { ...plainPersonality, ...(data as Partial<IdentityPersonality>) };
}
