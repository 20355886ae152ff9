// The fields of an identity's profiles, by what they are about.
import type {
  Client,
  HydrationSource,
  IdentityHydrationConfig,
  IdentityMemoryConfig,
  IdentityPersonality,
  MessagePriority,
  MessagingPolicy,
} from '../../../client/index.ts';
import { namesOf, words } from '../../base/i18n.ts';
import type { Section } from '../../ui/record-form.tsx';

type Profiles = Client['identityProfiles'];
type ToolProfile = Awaited<ReturnType<Profiles['toolProfile']>>;
type WorkProfile = Awaited<ReturnType<Profiles['workProfile']>>;
type Options = readonly (readonly [value: string, label: string])[];

export const personalitySections: Section<keyof IdentityPersonality>[] = [
  {
    title: 'Personality',
    hint: 'Runs and chats of this identity speak with it from their next turn on.',
    fields: [
      { key: 'tone', label: 'Tone', kind: 'text' },
      { key: 'greetingStyle', label: 'Greeting style', kind: 'text' },
      { key: 'uncertaintyHandling', label: 'When uncertain', kind: 'text' },
      { key: 'proactiveSuggestions', label: 'Makes suggestions unasked', kind: 'check' },
      { key: 'traits', label: 'Traits', kind: 'lines', hint: 'One per line.' },
      { key: 'focusAreas', label: 'Focus areas', kind: 'lines', hint: 'One per line.' },
      { key: 'boundaries', label: 'Boundaries', kind: 'lines', hint: 'One per line.' },
      { key: 'customInstructions', label: 'Custom instructions', kind: 'long', orNone: true },
    ],
  },
];

export const workSections = (roles: Options, profiles: Options): Section<keyof WorkProfile>[] => [
  {
    title: 'Work profile',
    hint: 'What runs of this identity get when they name no role or tool profile.',
    fields: [
      { key: 'roleDefinitionId', label: 'Role', kind: 'choice', options: roles, orNone: 'none', numeric: true },
      { key: 'toolProfileName', label: 'Tool profile', kind: 'choice', options: profiles, orNone: 'none' },
      { key: 'tags', label: 'Tags', kind: 'lines', hint: 'One per line.' },
    ],
  },
];

const patterns = 'One tool per line; a trailing * matches the rest of a name.';

export const toolSections: Section<keyof ToolProfile>[] = [
  {
    title: 'Tool profile',
    hint: 'It only narrows what roles and other profiles allow.',
    fields: [
      { key: 'name', label: 'Name', kind: 'text' },
      { key: 'description', label: 'Description', kind: 'text', orNone: true },
      { key: 'safeTools', label: 'Allowed tools', kind: 'lines', hint: `${patterns} Empty allows all.` },
      { key: 'optInTools', label: 'Tools on request', kind: 'lines', hint: patterns },
      { key: 'blockedTools', label: 'Blocked tools', kind: 'lines', hint: patterns },
    ],
  },
];

type Search = NonNullable<IdentityMemoryConfig['defaultSearchConfig']>;
type SearchKey = keyof Search & string;
/** The memory configuration with its search in one record, as the form has it. */
export type FlatMemory = IdentityMemoryConfig & { ownSearch: boolean } & {
  [Key in SearchKey as `search.${Key}`]: Search[Key];
};

/** Where the identity has no search of its own, these are proposed. */
const usualSearch: Search = {
  limit: 20,
  minScore: 0.1,
  semanticWeight: 0.6,
  keywordWeight: 0.3,
  recencyWeight: 0.05,
  importanceWeight: 0.05,
  linkExpansionDepth: 1,
  includeArchived: false,
  includeShared: true,
  types: [],
  rerankEnabled: false,
};

export function flatMemory(config: IdentityMemoryConfig): FlatMemory {
  const search = config.defaultSearchConfig ?? usualSearch;
  const flat = Object.fromEntries(Object.entries(search).map(([key, value]) => [`search.${key}`, value]));
  return { ...config, ownSearch: config.defaultSearchConfig !== null, ...flat } as FlatMemory;
}

export function memoryOf({ ownSearch, ...flat }: FlatMemory) {
  const entries = Object.entries(flat);
  const search = entries.filter(([key]) => key.startsWith('search.')).map(([key, value]) => [key.slice(7), value]);
  const rest = Object.fromEntries(entries.filter(([key]) => !key.startsWith('search.'))) as IdentityMemoryConfig;
  return {
    ...rest,
    encryptionAlgorithm: 'aes-256-gcm' as const,
    defaultSearchConfig: ownSearch ? (Object.fromEntries(search) as Search) : null,
  };
}

export const memorySections: Section<keyof FlatMemory>[] = [
  {
    title: 'Memory',
    fields: [
      { key: 'hebbianLinkingEnabled', label: 'Link memories that are used together', kind: 'check' },
      { key: 'linkStrengthIncrement', label: 'Link strength increment', kind: 'number', hint: 'From 0 to 1.' },
      { key: 'decayEnabled', label: 'Importance decays', kind: 'check' },
      { key: 'decayAfterDays', label: 'Decay after, days', kind: 'number' },
      { key: 'decayAmount', label: 'Decay amount', kind: 'number' },
      { key: 'decayFloor', label: 'Decay floor', kind: 'number' },
      { key: 'autoArchiveEnabled', label: 'Archive automatically', kind: 'check' },
      { key: 'archiveAfterDays', label: 'Archive after, days', kind: 'number' },
      { key: 'archiveImportanceThreshold', label: 'Archive up to importance', kind: 'number' },
      { key: 'encryptionEnabled', label: 'Encrypt memories', kind: 'check' },
    ],
  },
  {
    title: 'Memory search',
    hint: 'Used where a search does not say otherwise.',
    fields: [
      { key: 'ownSearch', label: 'Own search settings', kind: 'check' },
      { key: 'search.limit', label: 'Results', kind: 'number' },
      { key: 'search.minScore', label: 'Minimum score', kind: 'number' },
      { key: 'search.semanticWeight', label: 'Semantic weight', kind: 'number' },
      { key: 'search.keywordWeight', label: 'Keyword weight', kind: 'number' },
      { key: 'search.recencyWeight', label: 'Recency weight', kind: 'number' },
      { key: 'search.importanceWeight', label: 'Importance weight', kind: 'number' },
      { key: 'search.linkExpansionDepth', label: 'Link depth', kind: 'number' },
      { key: 'search.includeArchived', label: 'Include archived', kind: 'check' },
      { key: 'search.includeShared', label: 'Include shared', kind: 'check' },
    ],
  },
];

const sources: HydrationSource[] = [
  'Personality',
  'IdentityMemories',
  'PinnedMemories',
  'RecentMemories',
  'ProjectMemories',
  'SurfacedMemories',
  'Projects',
  'Tasks',
  'KeyFacts',
  'Facts',
  'StandingRules',
  'Hints',
  'PendingReplies',
  'Interests',
  'Handoff',
];
const presets: Options = [
  ['lean', 'Lean'],
  ['interactive', 'Interactive'],
  ['all', 'All'],
  ['agent-minimal', 'Agent, minimal'],
  ['custom', 'Custom'],
];
const ruleModes: Options = [
  ['off', 'Off'],
  ['triggered', 'Triggered'],
  ['summary', 'Summary'],
  ['full', 'Full'],
];

export const hydrationSections: Section<keyof IdentityHydrationConfig>[] = [
  {
    title: 'Hydration',
    hint: 'What is put into the prompt of each turn. A preset names sources; the lists add to it or take away.',
    fields: [
      { key: 'preset', label: 'Preset', kind: 'choice', options: presets },
      { key: 'standingRulesMode', label: 'Standing rules', kind: 'choice', options: ruleModes },
      { key: 'generateSystemPrompt', label: 'Generate the system prompt', kind: 'check' },
      { key: 'surfacedMemoryEnabled', label: 'Surface memories by meaning', kind: 'check' },
      { key: 'enabledSources', label: 'Additional sources', kind: 'choices', options: namesOf(sources) },
      { key: 'disabledSources', label: 'Excluded sources', kind: 'choices', options: namesOf(sources) },
    ],
  },
  {
    title: 'Limits of hydration',
    fields: [
      { key: 'identityMemoryLimit', label: 'Identity memories', kind: 'number' },
      { key: 'pinnedMemoryLimit', label: 'Pinned memories', kind: 'number' },
      { key: 'recentMemoryLimit', label: 'Recent memories', kind: 'number' },
      { key: 'projectMemoryLimit', label: 'Project memories', kind: 'number' },
      { key: 'projectLimit', label: 'Projects', kind: 'number' },
      { key: 'taskLimit', label: 'Tasks', kind: 'number' },
      { key: 'taskMinPriority', label: 'Minimum task priority', kind: 'number' },
      { key: 'keyFactLimit', label: 'Key facts', kind: 'number' },
      { key: 'factLimit', label: 'Facts', kind: 'number' },
      { key: 'minFactImportance', label: 'Minimum fact importance', kind: 'number' },
      { key: 'pendingReplyLimit', label: 'Pending replies', kind: 'number' },
    ],
  },
];

const priorities: MessagePriority[] = ['Low', 'Normal', 'High', 'Urgent'];

export const messagingSections = (others: Options): Section<keyof MessagingPolicy>[] => [
  {
    title: 'Messaging policy',
    fields: [
      { key: 'receiveEnabled', label: 'Receives messages', kind: 'check' },
      { key: 'sendEnabled', label: 'Sends messages', kind: 'check' },
      { key: 'autoReply', label: 'Replies automatically', kind: 'check' },
      {
        key: 'minPriority',
        label: 'Minimum priority',
        kind: 'choice',
        options: priorities.map((one, place) => [String(place), words(one)] as const),
        numeric: true,
      },
      {
        key: 'allowedSenders',
        label: 'Allowed senders',
        kind: 'choices',
        options: others,
        numeric: true,
        hint: 'None selected: everybody who is not blocked.',
      },
      { key: 'blockedSenders', label: 'Blocked senders', kind: 'choices', options: others, numeric: true },
      {
        key: 'autoReplyTo',
        label: 'Automatic replies to',
        kind: 'choices',
        options: others,
        numeric: true,
        hint: 'None selected: everybody.',
      },
    ],
  },
];
