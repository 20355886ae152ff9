// What a hydration can tell, by kind: how each is loaded again by its id, and how a model reads it.
import { authCollections } from '../../auth/collections.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { createLedger } from '../../memory/facts/ledger.ts';
import type { FactDoc } from '../../memory/facts/records.ts';
import type { FactVersion, Horizon } from '../../memory/facts/version.ts';
import { fenced } from '../../memory/fence.ts';
import { ruleAsText } from '../../memory/rules/quoted.ts';
import type { Filter } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type ProjectDoc, projectRecord } from '../../projects/record.ts';
import { personText } from '../agent/briefings/system-text.ts';
import type { FactDto } from '../facts/dto.ts';
import { factAsData } from '../facts/quoted.ts';
import { toCurrentDto, toVersionDto } from '../facts/show.ts';
import { type HintDoc, hintRecord } from '../identities/hints/record.ts';
import type { IdentityHydrationConfig } from '../identities/profiles/dto.ts';
import { type InterestDoc, interestRecord } from '../interests/record.ts';
import type { MemorySearchResult } from '../memories/dto.ts';
import { type MemoryDoc, memoryRecord } from '../memories/record.ts';
import { entrySpec, messageSpec, threadSpec } from '../messages/documents.ts';
import type { InboxMessageDto } from '../messages/dto.ts';
import { createReads } from '../messages/reads.ts';
import type { PartBase } from '../part.ts';
import { type HandoffDoc, handoffRecord } from '../session/record.ts';
import { type RuleDoc, ruleRecord } from '../standing-rules/record.ts';
import { type ProjectTaskDoc, taskRecord } from '../tasks/record.ts';
import { shortened } from '../texts.ts';

/** For whom a context is made. */
export interface Session {
  tenantId: number;
  identity: IdentityDoc;
  config: IdentityHydrationConfig;
  projectId: number | null;
  /** What it is about, in words; null where nobody said. */
  query: string | null;
  /** Projects of which nothing may be told. */
  hidden: ReadonlySet<number>;
  /** What a fork may know; null for what is known now. */
  horizon: Horizon | null;
  /** What a search found, by memory. */
  hits: Map<number, MemorySearchResult['results'][number]>;
}

/** A fact as it holds, or held for a fork. */
export interface HeldFact extends Pick<FactVersion, '_id' | 'key' | 'value' | 'provenance' | 'importance'> {
  validFrom: Date;
  validUntil: Date | null;
  dto: FactDto;
}

/** What there is to tell, by kind. */
export interface Held {
  identity: IdentityDoc;
  memory: MemoryDoc;
  project: ProjectDoc;
  task: ProjectTaskDoc;
  fact: HeldFact;
  rule: RuleDoc;
  hint: HintDoc;
  message: InboxMessageDto;
  interest: InterestDoc;
  handoff: HandoffDoc;
}
export type KindName = keyof Held;

interface Kind<Doc> {
  idOf(doc: Doc): number;
  textOf(doc: Doc, session: Session): string;
  /** Documents of the ids that still exist and that the session may know of. */
  load(session: Session, ids: number[]): Promise<Doc[]>;
}
export type Kinds = { readonly [Name in KindName]: Kind<Held[Name]> };

/** Characters of one text: about 300 tokens; who needs more reads it with a tool. */
const shownCharacters = 1200;
const shownSteps = 10;

const short = (text: string) => shortened(text.trim(), shownCharacters);
const day = (at: Date) => at.toISOString().slice(0, 10);
const idOf = ({ _id }: { _id: number }) => _id;

/**
 * A filter for what a session may know of: in a project, what belongs to it or to none, since others read along there;
 * elsewhere all but what belongs to a project that is hidden from it.
 */
export function inSight<Doc>({ hidden, projectId }: Pick<Session, 'hidden' | 'projectId'>): Filter<Doc> {
  if (projectId !== null)
    return { projectId: { $in: hidden.has(projectId) ? [null] : [null, projectId] } } as Filter<Doc>;
  return (hidden.size === 0 ? {} : { projectId: { $nin: [...hidden] } }) as Filter<Doc>;
}

export const seesProject = ({ hidden }: Pick<Session, 'hidden'>, projectId: number | null) =>
  projectId === null || !hidden.has(projectId);

export const heldFact = (fact: FactDoc | FactVersion): HeldFact =>
  'versionId' in fact
    ? { ...fact, _id: fact.versionId, dto: toCurrentDto(fact) }
    : { ...fact, dto: toVersionDto(fact, true) };

/** Where the documents are. */
export function shelvesOf({ db, ids, clock, indexes }: PartBase) {
  const messages = {
    messages: perTenant(db.collection(messageSpec)),
    entries: perTenant(db.collection(entrySpec)),
    threads: perTenant(db.collection(threadSpec)),
  };
  return {
    identities: perTenant(authCollections(db).identities),
    memories: perTenant(db.collection(memoryRecord.spec)),
    projects: perTenant(db.collection(projectRecord.spec)),
    tasks: perTenant(db.collection(taskRecord.spec)),
    rules: perTenant(db.collection(ruleRecord.spec)),
    hints: perTenant(db.collection(hintRecord.spec)),
    interests: perTenant(db.collection(interestRecord.spec)),
    handoffs: perTenant(db.collection(handoffRecord.spec)),
    ledger: createLedger({ db, ids, clock, words: indexes.words }),
    messages: messages.messages,
    reads: createReads(messages),
  };
}
export type Shelves = ReturnType<typeof shelvesOf>;

export function createKinds(shelves: Shelves): Kinds {
  return { ...personKinds(shelves), ...workKinds(shelves), ...memoryKinds(shelves) };
}

/** What is about the identity itself. */
function personKinds({ hints, interests, handoffs, messages, reads }: Shelves) {
  return {
    identity: {
      idOf,
      textOf: (identity, { config }) => (config.generateSystemPrompt ? personText(identity) : ''),
      load: async ({ identity }, ids) => (ids.includes(identity._id) ? [identity] : []),
    },
    hint: {
      idOf,
      textOf: ({ _id, content }) => fenced('hint', { id: _id }, short(content)),
      load: ({ tenantId, identity }, ids) =>
        hints(tenantId)
          .find({ _id: { $in: ids }, identityId: identity._id })
          .toArray(),
    },
    interest: {
      idOf,
      textOf: ({ _id, topic }) => fenced('interest', { id: _id }, topic),
      load: ({ tenantId, identity }, ids) =>
        interests(tenantId)
          .find({ _id: { $in: ids }, identityId: identity._id })
          .toArray(),
    },
    handoff: {
      idOf,
      textOf: handoffText,
      load: (session, ids) =>
        handoffs(session.tenantId)
          .find({ _id: { $in: ids }, forIdentityId: session.identity._id, ...inSight<HandoffDoc>(session) })
          .toArray(),
    },
    message: {
      idOf: ({ id }) => id,
      textOf: ({ id, senderName, content }) => fenced('message', { id, from: senderName }, short(content)),
      load: async (session, ids) => {
        const { tenantId, identity } = session;
        const found = await messages(tenantId)
          .find({ _id: { $in: ids } })
          .toArray();
        const own = await Promise.all(found.map((one) => reads.one({ tenantId, identityId: identity._id }, one)));
        return own.filter((one) => one !== null).filter(({ projectId }) => seesProject(session, projectId));
      },
    },
  } satisfies Partial<Kinds>;
}

/** Projects, tasks, and what binds the work in them. */
function workKinds({ projects, tasks, rules, ledger }: Shelves) {
  return {
    project: {
      idOf,
      textOf: ({ _id, key, name, description }) =>
        fenced('project', { id: _id, key }, description ? `${name}: ${short(description)}` : name),
      load: ({ tenantId, hidden }, ids) =>
        projects(tenantId)
          .find({ _id: { $in: ids.filter((id) => !hidden.has(id)) }, deletedAt: null })
          .toArray(),
    },
    task: {
      idOf,
      textOf: ({ _id, projectId, title, status, priority }) =>
        fenced('task', { id: _id, project: projectId, status, priority }, title),
      load: (session, ids) =>
        tasks(session.tenantId)
          .find({ _id: { $in: ids }, assigneeIdentityId: session.identity._id, ...inSight<ProjectTaskDoc>(session) })
          .toArray(),
    },
    fact: {
      idOf,
      textOf: factAsData,
      load: async (session, ids) => {
        if (session.projectId === null || !seesProject(session, session.projectId)) return [];
        const own = { _id: { $in: ids }, projectId: session.projectId, retractedAt: null };
        return (await ledger.versions(session.tenantId).find(own).toArray()).map(heldFact);
      },
    },
    rule: {
      idOf,
      textOf: (rule, { config }) => ruleAsText(rule, config.standingRulesMode === 'full'),
      load: (session, ids) =>
        rules(session.tenantId)
          .find({
            _id: { $in: ids },
            identityId: { $in: [null, session.identity._id] },
            ...inSight<RuleDoc>(session),
          } as Filter<RuleDoc>)
          .toArray(),
    },
  } satisfies Partial<Kinds>;
}

function memoryKinds({ memories }: Shelves) {
  return {
    memory: {
      idOf,
      textOf: ({ _id, provenance, type, createdAt, title, content, identityId }, { identity }) => {
        const by = identityId === identity._id ? {} : { by: `identity ${identityId}` };
        const about = { id: _id, provenance, type, written: day(createdAt), ...by };
        return fenced('memory', about, `${title}\n${short(content)}`);
      },
      load: (session, ids) =>
        memories(session.tenantId)
          .find({
            _id: { $in: ids },
            archivedAt: null,
            $or: [{ identityId: session.identity._id }, { isShared: true }],
            ...inSight<MemoryDoc>(session),
          } as Filter<MemoryDoc>)
          .toArray(),
    },
  } satisfies Partial<Kinds>;
}

function handoffText({ _id, fromIdentityName, title, summary, nextSteps, openQuestions }: HandoffDoc): string {
  const list = (label: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${label}:`, ...items.slice(0, shownSteps).map((one) => `- ${one}`)];
  const lines = [title, short(summary), ...list('Next steps', nextSteps), ...list('Open questions', openQuestions)];
  return fenced('handoff', { id: _id, from: fromIdentityName }, lines.join('\n'));
}

/** A hand-off that waits, as it is answered. */
export const openHandoffs = (now: number): Filter<HandoffDoc> => ({
  claimed: false,
  $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date(now) } }],
});
