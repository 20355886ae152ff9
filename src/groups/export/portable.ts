// The portable format, version 0.1: what an identity knows as atoms, and what it has written as artifacts.
import { z } from 'zod';
import {
  DocClassification,
  DocType,
  LinkType,
  MemoryType,
  Provenance,
  RuleKind,
  RuleLinkKind,
  RuleStatus,
  RuleTrigger,
  RuleWatchKind,
} from '../../contract/enums.ts';
import { boolean, dateTime, float, int32, string, uuid } from '../../contract/types.ts';
import { type PortableRecord, recordSchemas } from './portable-records.ts';

/** Where the server publishes the JSON schema of the format. */
export const portableSchemaPath = '/schemas/portable-memory-0.1.json';
export const portableSchemaName = 'rivulet-portable-memory';
export const portableVersion = '0.1';

const written = { createdAtUtc: dateTime, updatedAtUtc: dateTime };
/** The key of a project, e.g. `RIVER`; null for what is in none. */
const project = string.nullable();

export const MemoryAtom = z.strictObject({
  kind: z.literal('memory'),
  id: uuid,
  title: string,
  content: string,
  type: MemoryType,
  provenance: Provenance,
  importance: int32,
  isPinned: boolean,
  isShared: boolean,
  tags: z.array(string),
  project,
  accessCount: int32,
  readByOthersCount: int32,
  lastAccessedAtUtc: dateTime.nullable(),
  archivedAtUtc: dateTime.nullable(),
  archivedReason: string.nullable(),
  ...written,
});

export const FactAtom = z.strictObject({
  kind: z.literal('fact'),
  id: uuid,
  key: string,
  value: string,
  category: string.nullable(),
  importance: int32,
  isCritical: boolean,
  provenance: Provenance,
  temporalSource: string.nullable(),
  validFromUtc: dateTime,
  validUntilUtc: dateTime.nullable(),
  isCurrent: boolean,
  project: string,
  ...written,
});

export const RuleAtom = z.strictObject({
  kind: z.literal('rule'),
  id: uuid,
  content: string,
  rationale: string.nullable(),
  ruleKind: RuleKind,
  trigger: RuleTrigger,
  status: RuleStatus,
  statusReason: string.nullable(),
  watchKindId: RuleWatchKind,
  project,
  reviewByUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  /** Memories of the same document that it stands on, or that speak for it. */
  links: z.array(z.strictObject({ memory: uuid, kind: RuleLinkKind, note: string.nullable() })),
  ...written,
});

const LinkAtom = z.strictObject({
  kind: z.literal('link'),
  from: uuid,
  to: uuid,
  type: LinkType,
  strength: float,
  coActivationCount: int32,
  createdAtUtc: dateTime,
});

export const DocumentArtifact = z.strictObject({
  kind: z.literal('document'),
  id: uuid,
  path: string,
  slug: string,
  /** The path of the document that it stands below; null for one at the top. */
  parentPath: string.nullable(),
  title: string,
  content: string,
  type: DocType,
  classification: DocClassification,
  isGroup: boolean,
  isPinned: boolean,
  includeInNav: boolean,
  isPublished: boolean,
  publishedAtUtc: dateTime.nullable(),
  /** Null where it is the beginning of the text. */
  excerpt: string.nullable(),
  coverImageUrl: string.nullable(),
  icon: string.nullable(),
  tags: string.nullable(),
  authorName: string.nullable(),
  /** Number of the version that its text is; earlier ones are records. Absent in documents of before. */
  version: int32.default(1),
  changeSummary: string.nullable().default(null),
  project: string,
  ...written,
});

const sessionHead = {
  kind: z.literal('session'),
  id: uuid,
  title: string.nullable(),
  project,
  modelId: string,
  reasoningEffort: string.nullable(),
  systemPrompt: string.nullable(),
  enabledTools: z.array(string).nullable(),
  hydrate: boolean,
  isPinned: boolean,
  archived: boolean,
  /** Absent in documents of before, as are tags. */
  folder: string.nullable().default(null),
  tags: z.array(string).default([]),
  /** The identity answers in it; else it talks itself. */
  answers: boolean,
  owns: boolean,
  /** The last message of the branch that is shown. */
  activeMessageId: string.nullable(),
  /** Tokens of its replies, as they were counted then: budgets of a server know nothing of them. */
  totalTokens: int32.default(0),
  ...written,
};
export const SessionHead = z.strictObject(sessionHead);

const ToolCall = z.strictObject({
  id: string,
  name: string,
  argumentsJson: string,
  resultJson: string.nullable(),
  status: string,
  durationMs: int32.nullable().default(null),
});

const Attachment = z.strictObject({
  kind: z.enum(['Text', 'Image', 'File', 'Memory', 'Doc', 'Url']),
  name: string.nullable(),
  mimeType: string.nullable(),
  text: string.nullable(),
  base64: string.nullable(),
  url: string.nullable(),
});

/** What a person said of a reply. */
const Feedback = z.strictObject({
  rating: z.enum(['up', 'down']).nullable(),
  score: float,
  tags: z.array(string).nullable(),
  comment: string.nullable(),
  correction: string.nullable(),
  /** The training pair of the document that came of it. */
  pair: uuid.nullable(),
});

const Usage = z.strictObject({
  promptTokens: int32,
  completionTokens: int32,
  cacheReadTokens: int32,
  costUsd: float,
});
const noUsage = { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, costUsd: 0 };

export const SessionMessage = z.strictObject({
  id: string,
  parentId: string.nullable(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: string,
  reasoning: string.nullable(),
  modelId: string.nullable(),
  state: string,
  hidden: boolean,
  summary: string.nullable(),
  toolCallId: string.nullable(),
  toolName: string.nullable(),
  /** The model calls of a reply, in order. */
  steps: z.array(z.strictObject({ text: string, reasoning: string, toolCalls: z.array(ToolCall) })),
  reasoningEffort: string.nullable().default(null),
  attachments: z.array(Attachment).default([]),
  feedback: Feedback.nullable().default(null),
  usage: Usage.default(noUsage),
  responseTimeMs: int32.default(0),
  truncated: boolean.default(false),
  error: z.strictObject({ code: string, message: string, hint: string.nullable() }).nullable().default(null),
  sentAtUtc: dateTime,
});

const SessionArtifact = z.strictObject({ ...sessionHead, messages: z.array(SessionMessage) });

const open = z.record(z.string(), z.unknown());
export const PortableIdentity = z.strictObject({
  id: uuid,
  name: string,
  displayName: string,
  type: string,
  bio: string.nullable(),
  origin: string.nullable(),
  /** The identity as a SOUL.md. */
  soul: string,
  tags: z.array(string),
  /** What is set of its profiles and configurations; what is not set has the defaults of a server. */
  settings: z.strictObject({
    personality: open.nullable(),
    soul: open.nullable(),
    tools: open.nullable(),
    messaging: open.nullable(),
    memory: open.nullable(),
    hydration: open.nullable(),
    toolProfileName: string.nullable(),
  }),
});

export const PortableDocument = z.strictObject({
  $schema: string,
  schema: z.literal(portableSchemaName),
  version: z.literal(portableVersion),
  exportedAtUtc: dateTime,
  exportedBy: string,
  identity: PortableIdentity,
  /** Memories first, then facts and rules, then links, whose ends are memories of the same document. */
  atoms: z.array(z.discriminatedUnion('kind', [MemoryAtom, FactAtom, RuleAtom, LinkAtom])),
  artifacts: z.array(
    z.discriminatedUnion('kind', [DocumentArtifact, SessionArtifact, ...Object.values(recordSchemas)] as never),
  ),
});

export type PortableMemory = z.output<typeof MemoryAtom>;
export type PortableFact = z.output<typeof FactAtom>;
export type PortableRule = z.output<typeof RuleAtom>;
export type PortableLink = z.output<typeof LinkAtom>;
export type PortableDoc = z.output<typeof DocumentArtifact>;
export type PortableSession = z.output<typeof SessionArtifact>;
export type PortableIdentity = z.output<typeof PortableIdentity>;
export type { PortableRecord };
export type Atom = PortableMemory | PortableFact | PortableRule | PortableLink;

/** The format as a JSON schema (2020-12). */
export function portableJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(PortableDocument, { unrepresentable: 'any', io: 'output' });
  return {
    $schema,
    $id: portableSchemaPath,
    title: 'Portable memory of an identity, version 0.1',
    ...schema,
  };
}
