// Which words of a soul, in headings and keys, stand for which field.
import type { SoulSpecImport } from './dto.ts';

export type SoulField = Exclude<keyof SoulSpecImport, 'notMapped'> | 'settings';

const words: Record<SoulField, string> = {
  name: 'name|id|slug',
  displayName: 'displayname|title',
  bio: 'bio|about|aboutme|description|summary|identity|whoiam|whoyouare',
  origin: 'origin|background|backstory|history',
  tone: 'tone|thevibe|vibe|style|voice|communicationstyle|communication',
  traits: 'traits|personality|coretruths|character|corevalues|values',
  focusAreas: 'focusareas|focus|expertise|interests|skills|whaticareabout',
  boundaries: 'boundaries|limits|never|mustnever|donts|guardrails',
  greetingStyle: 'greetingstyle|greeting|greetings',
  uncertaintyHandling: 'uncertaintyhandling|uncertainty|whenunsure|escalation',
  customInstructions:
    'custominstructions|instructions|rules|mustalways|heartbeat|agents|workflow|principles|continuity',
  systemPrompt: 'systemprompt|prompt',
  temperature: 'temperature',
  maxIterations: 'maxiterations',
  roleName: 'role|rolename',
  emoji: 'emoji|icon',
  proactiveSuggestions: 'proactivesuggestions',
  settings: 'settings|configuration',
};

const fields = new Map(
  Object.entries(words).flatMap(([field, names]) =>
    names.split('|').map((name) => [name, field as SoulField] as const),
  ),
);
const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');

const short = new Set<SoulField>([
  'name',
  'displayName',
  'temperature',
  'maxIterations',
  'emoji',
  'roleName',
  'proactiveSuggestions',
]);

export const fieldOfHeading = (heading: string): SoulField | undefined => {
  const field = fields.get(plain(heading));
  // Names and numbers stand in the front matter or among the settings.
  return field && short.has(field) ? undefined : field;
};

export const fieldOfKey = (key: string): SoulField | undefined => {
  const field = fields.get(plain(key));
  return field === 'settings' ? undefined : field;
};
