// The portable format, version 0.1: what an identity knows as atoms, and what it has written as artifacts.
import { z } from 'zod';
import {
  DocClassification,
  DocType,
  LinkType,
  MemoryType,
  Provenance,
  RuleKind,
  RuleStatus,
  RuleTrigger,
} from '../../contract/enums.ts';
import { boolean, dateTime, float, int32, string, uuid } from '../../contract/types.ts';

/** Where the server publishes the JSON schema of the format. */
export const portableSchemaPath = '/schemas/portable-memory-0.1.json';
export const portableSchemaName = 'rivulet-portable-memory';
export const portableVersion = '0.1';

const written = { createdAtUtc: dateTime, updatedAtUtc: dateTime };
/** The key of a project, e.g. `RIVER`; null for what is in none. */
const project = string.nullable();

const MemoryAtom = z.strictObject({
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
  archivedAtUtc: dateTime.nullable(),
  archivedReason: string.nullable(),
  ...written,
});

const FactAtom = z.strictObject({
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

const RuleAtom = z.strictObject({
  kind: z.literal('rule'),
  id: uuid,
  content: string,
  rationale: string.nullable(),
  ruleKind: RuleKind,
  trigger: RuleTrigger,
  status: RuleStatus,
  project,
  reviewByUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
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

const DocumentArtifact = z.strictObject({
  kind: z.literal('document'),
  id: uuid,
  path: string,
  title: string,
  content: string,
  type: DocType,
  classification: DocClassification,
  isPublished: boolean,
  tags: string.nullable(),
  project: string,
  ...written,
});

const SessionArtifact = z.strictObject({
  kind: z.literal('session'),
  id: uuid,
  title: string.nullable(),
  project,
  ...written,
  messages: z.array(
    z.strictObject({
      id: string,
      parentId: string.nullable(),
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: string,
      modelId: string.nullable(),
      sentAtUtc: dateTime,
    }),
  ),
});

const PortableIdentity = z.strictObject({
  id: uuid,
  name: string,
  displayName: string,
  type: string,
  bio: string.nullable(),
  origin: string.nullable(),
  /** The identity as a SOUL.md. */
  soul: string,
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
  artifacts: z.array(z.discriminatedUnion('kind', [DocumentArtifact, SessionArtifact])),
});

export type PortableMemory = z.output<typeof MemoryAtom>;
export type PortableFact = z.output<typeof FactAtom>;
export type PortableRule = z.output<typeof RuleAtom>;
export type PortableLink = z.output<typeof LinkAtom>;
export type PortableDoc = z.output<typeof DocumentArtifact>;
export type PortableSession = z.output<typeof SessionArtifact>;
export type PortableIdentity = z.output<typeof PortableIdentity>;
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
