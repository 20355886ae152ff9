// Records of the portable format: what belongs to an identity besides what it knows, each with the fields of its document.
import { z } from 'zod';
import {
  CompulsionType,
  CurationStatus,
  CuratorType,
  GraphNodeKind,
  KnowledgeDomain,
  KnowledgeGoalStatus,
  PrincipalKind,
  ProjectRole,
  ProjectStatus,
  Provenance,
  TaskDependencyKind,
  TaskStatus,
  TrainingObjective,
} from '../../contract/enums.ts';
import { boolean, dateTime, float, int32, string, uuid } from '../../contract/types.ts';
import { promptFields } from '../prompts/contract.ts';
import { historySchemas, refersTo } from './portable-history.ts';

const made = { createdAtUtc: dateTime };
const written = { ...made, updatedAtUtc: dateTime };
const texts = z.array(string);
const text = string.nullable();
const time = dateTime.nullable();
/** The key of a project; null for what is in none. */
const project = string.nullable();

/** Fields whose values stand for something else of the document: they are no fields of what is kept. */
const references = {
  project: { project },
  inProject: { project: string },
  memory: { memory: uuid.nullable() },
  parent: { parent: uuid.nullable() },
  reflection: { reflection: uuid.nullable() },
  ends: { from: uuid, to: uuid },
  part: { role: ProjectRole, leads: boolean },
  /** Whether the identity is meant: what others have to do with it is theirs. */
  worker: { assigned: boolean.default(false), reported: boolean.default(false) },
  speaker: { isOwn: boolean, mentioned: boolean },
  task: { task: uuid },
  before: { on: uuid },
  document: { document: uuid },
  ...refersTo,
};
const kind = <const Kind extends string>(name: Kind) => ({ kind: z.literal(name), id: uuid });

export const recordSchemas = {
  project: z.strictObject({
    ...kind('project'),
    ...references.part,
    key: string,
    name: string,
    description: text,
    status: ProjectStatus,
    repositoryUrl: text,
    defaultBranch: text,
    agentInstructions: text,
    siteSlug: text,
    icon: text,
    color: text,
    tags: texts,
    archivedAtUtc: time,
    ...written,
  }),
  goal: z.strictObject({
    ...kind('goal'),
    ...references.inProject,
    topic: string,
    description: string,
    domain: KnowledgeDomain,
    status: KnowledgeGoalStatus,
    priority: int32,
    knowledgeLevel: float,
    searchQueries: texts.nullable(),
    tags: texts.nullable(),
    researchRunCount: int32,
    lastResearchedAtUtc: time,
    ...written,
  }),
  hint: z.strictObject({
    ...kind('hint'),
    ...references.memory,
    content: string,
    category: text,
    priority: int32,
    isRecurring: boolean,
    recurrencePattern: text,
    remark: text,
    open: boolean,
    triggerAtUtc: time,
    startAtUtc: time,
    dueAtUtc: dateTime,
    toldForUtc: time,
    dismissedAtUtc: time,
    completedAtUtc: time,
    ...made,
  }),
  task: z.strictObject({
    ...kind('task'),
    ...references.inProject,
    ...references.parent,
    ...references.worker,
    title: string,
    description: text,
    acceptanceCriteria: text,
    status: TaskStatus,
    statusReason: text,
    priority: int32,
    estimateMinutes: int32.nullable(),
    /** Key of its place in the project: tasks are in the order of these keys. */
    rank: string,
    tags: texts,
    dueAtUtc: time,
    startedAtUtc: time,
    completedAtUtc: time,
    ...written,
  }),
  comment: z.strictObject({
    ...kind('comment'),
    ...references.inProject,
    ...references.task,
    ...references.speaker,
    authorKind: PrincipalKind,
    authorName: string,
    content: string,
    ...made,
  }),
  dependency: z.strictObject({
    ...kind('dependency'),
    ...references.inProject,
    ...references.task,
    ...references.before,
    dependencyKind: TaskDependencyKind,
    ...made,
  }),
  version: z.strictObject({
    ...kind('version'),
    ...references.inProject,
    ...references.document,
    /** Counts from 1 for each document. */
    number: int32,
    title: string,
    content: string,
    changeSummary: text,
    authorName: text,
    ...made,
  }),
  reflection: z.strictObject({
    ...kind('reflection'),
    compulsionType: CompulsionType,
    intensity: int32,
    wasResisted: boolean,
    triggerContext: string,
    compliantResponse: string,
    honestResponse: string,
    narrative: text,
    systemPrompt: text,
    sessionReference: text,
    tags: texts,
    ...made,
  }),
  pair: z.strictObject({
    ...kind('pair'),
    ...references.reflection,
    systemPrompt: string,
    userPrompt: string,
    chosenResponse: string,
    rejectedResponse: string,
    objective: TrainingObjective,
    curationStatus: CurationStatus,
    curatorType: CuratorType,
    curatorName: text,
    curationNotes: text,
    sourceReference: text,
    tags: texts,
    ...made,
  }),
  handoff: z.strictObject({
    ...kind('handoff'),
    ...references.project,
    fromIdentityName: string,
    title: string,
    summary: string,
    openQuestions: texts,
    nextSteps: texts,
    filesTouched: texts,
    claimed: boolean,
    claimedByName: text,
    claimNotes: text,
    claimedAtUtc: time,
    expiresAtUtc: time,
    ...made,
  }),
  entity: z.strictObject({
    ...kind('entity'),
    ...references.project,
    name: string,
    entityKind: GraphNodeKind,
    aliases: texts,
    description: text,
    importance: int32,
    propertiesJson: text,
    ...written,
  }),
  relation: z.strictObject({
    ...kind('relation'),
    ...references.ends,
    relation: string,
    weight: float,
    provenance: Provenance,
    observedCount: int32,
    validFromUtc: time,
    validUntilUtc: time,
    ...written,
  }),
  prompt: z.strictObject({
    ...kind('prompt'),
    ...promptFields,
    description: promptFields.description.nullable(),
    isShared: boolean,
    /** Of its text; the former ones stay behind. */
    version: int32,
    createdByName: string,
    writtenByName: string,
    writtenAtUtc: dateTime,
    ...written,
  }),
  soul: z.strictObject({
    ...kind('soul'),
    /** Counts from 1 for each identity. */
    number: int32,
    markdown: string,
    changedBy: text,
    ...made,
  }),
  ...historySchemas,
} as const;

export type RecordKind = keyof typeof recordSchemas;
export type PortableRecord<Kind extends RecordKind = RecordKind> = z.output<(typeof recordSchemas)[Kind]>;

/** Names in the format of fields that are called otherwise where they are kept. */
const renamed: Readonly<Partial<Record<RecordKind, Readonly<Record<string, string>>>>> = {
  entity: { entityKind: 'kind' },
  dependency: { dependencyKind: 'kind' },
  version: { number: 'version' },
  run: { runRole: 'role' },
  note: { noteType: 'type' },
};
const isReference = new Set(['kind', 'id', ...Object.values(references).flatMap(Object.keys)]);

/** The fields of a kind by their names in the format, with those of the document. */
function* fieldsOf(of: RecordKind): Generator<[name: string, field: string, isTime: boolean]> {
  for (const name of Object.keys(recordSchemas[of].shape)) {
    if (isReference.has(name)) continue;
    const isTime = name.endsWith('Utc');
    yield [name, renamed[of]?.[name] ?? (isTime ? name.slice(0, -3) : name), isTime];
  }
}

/** A document as a record of the format; what stands for something else is given. */
export function portableRecord<Kind extends RecordKind>(
  of: Kind,
  doc: object,
  given: { id: string } & Record<string, unknown>,
): PortableRecord<Kind> {
  const { id, ...rest } = given;
  const record: Record<string, unknown> = { kind: of, id, ...rest };
  for (const [name, field] of fieldsOf(of)) {
    const value = (doc as Record<string, unknown>)[field] ?? null;
    record[name] = value instanceof Date ? value.toISOString() : value;
  }
  return record as PortableRecord<Kind>;
}

/** The fields of a document that a record of the format says; times are Dates. */
export function storedFields(of: RecordKind, record: object): Record<string, unknown> {
  const doc: Record<string, unknown> = {};
  for (const [name, field, isTime] of fieldsOf(of)) {
    const value = (record as Record<string, unknown>)[name] ?? null;
    doc[field] = isTime && typeof value === 'string' ? new Date(value) : value;
  }
  return doc;
}
