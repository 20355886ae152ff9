// A part: what the server must know of a group to keep, serve, stream, brief runs with and check it.
import type { z } from 'zod';
import type { Model } from '../../runtime/model.ts';
import type { RunDocuments, ToolContext, ToolOutcome, ToolQuestion, ToolSpec } from '../../runtime/ports.ts';
import type { EventDraft, RunRecord } from '../../runtime/records.ts';
import type { Acting } from '../auth/acting.ts';
import type { Administrators } from '../auth/administrators.ts';
import type { AuthCollections } from '../auth/collections.ts';
import type { Ranks } from '../auth/rank.ts';
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation, AnyService, Group } from '../contract/operation.ts';
import type { IdTopic } from '../contract/topics.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Round } from '../kernel/rounds.ts';
import type { Signer } from '../kernel/signer.ts';
import type { Horizon } from '../memory/facts/version.ts';
import type { Indexes } from '../memory/ports.ts';
import type { UnitsOfTenants } from '../org-units/units.ts';
import type { Outside } from '../outside/outside.ts';
import type { Audit } from '../ports/audit.ts';
import type { AnyCollectionSpec, Db } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import type { Quotas } from '../ports/quotas.ts';
import type { RecordSpec } from '../ports/record.ts';
import type { RetentionBase, RetentionRules } from '../ports/retention.ts';
import type { SearchLeg } from '../ports/search.ts';
import type { Publisher } from '../ports/stream.ts';
import type { Versions } from '../ports/versions.ts';
import type { PastRuns } from './agent/past-runs.ts';
import type { FoundRuns } from './agent/searched.ts';
import type { EventPayloads } from './events.ts';
import type { Luggage } from './luggage.ts';
import type { Inbox } from './messages/inbox.ts';

declare module '../ports/stream.ts' {
  /** Publishers are held to the types and payloads that groups declare. */
  interface Payloads extends EventPayloads {}
}

/** What stands before the engine does. */
export interface PartBase {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  signer: Signer;
  /** Where memories are found. */
  indexes: Indexes;
  /** What says whether that which is held in memory still holds. */
  versions: Versions;
  /** Which organisation unit work belongs to. */
  units: UnitsOfTenants;
  /** The way to other servers. */
  outside: Outside;
  /** Folder of the server's data, where a part may have a folder of its own. */
  dataDir: string;
  findRun(id: number, tenantId?: number): Promise<RunRecord | null>;
  /** Where runs of other servers are kept. */
  pastRuns: PastRuns;
  /** What the plans of tenants allow of new work. */
  quotas?: Quotas;
  /** Whether this process alone has the store. */
  alone: boolean;
}

/** All that a group's service may ask for; each names what it takes. */
export interface PartDeps extends PartBase {
  auth: AuthCollections;
  ranks: Ranks;
  acting: Acting;
  administrators: Administrators;
  /** The models that the tenants have. */
  model: Model;
  /** Where runs and their questions are found. */
  ofRuns: FoundRuns;
  /** What a run has told. */
  eventsOf: RunDocuments['events'];
  /** Called when what routes read has changed: they read it anew. */
  routesChanged(tenantId: number): void;
  /** Called when somebody may have lost rights; sockets and caches follow. */
  accessChanged: () => void;
  /** Of this server. */
  version: string;
}

/** What stands before anything is published. */
export interface TopicBase {
  db: Db;
  clock: Clock;
  auth: AuthCollections;
  findRun(id: number, tenantId?: number): Promise<RunRecord | null>;
}

/** Whether what a topic is about is there for the caller, as the operation that reads it would say. */
export type MayRead = (caller: Caller, id: number) => Promise<boolean>;

/** Who calls a part's tool: a run, or a reply of a chat. */
export interface ToolCaller
  extends Pick<ToolContext, 'toolCallId' | 'idempotencyKey' | 'signal' | 'answered' | 'model'> {
  tenantId: number;
  /** Null where a plain model answers in a chat. */
  identityId: number | null;
  projectId: number | null;
  runId: number | null;
  /** The tree that the run belongs to. */
  rootRunId: number | null;
  chatSessionId: number | null;
  /** What a fork may know; null for all that is known now. */
  horizon: Horizon | null;
}

/** Whom a part briefs: a run at each turn, or a chat at each reply. */
export interface Briefed
  extends Pick<ToolCaller, 'tenantId' | 'identityId' | 'projectId' | 'runId' | 'chatSessionId' | 'horizon'> {
  /** The goal of the run, or what was said last. */
  about: string;
  /** The person that the work is for; null where nobody is known. */
  userId: number | null;
  /** Whether it starts with what its identity remembers. */
  hydrate: boolean;
  /** Tokens that the whole context of a run may take; null where nobody says. */
  contextTokens: number | null;
}

/** One thing that was recalled for a run or chat, for `MemoryRecalled`. */
export interface RecalledItem {
  source: string;
  kind: string;
  id: number;
  why: string;
  tokens: number;
}

/** What a part tells, with what it recalled for that. */
export interface Told {
  text: string;
  recalled: readonly RecalledItem[];
}

/** All that is told, as one text; null where there is nothing. */
export const toldTexts = (told: readonly (string | Told | null)[]): string | null =>
  told
    .map((one) => (typeof one === 'string' ? one : one?.text))
    .filter((text) => text != null)
    .join('\n\n') || null;

/** All that was recalled for one turn or reply. */
export const recalledIn = (told: readonly (string | Told | null)[]): RecalledItem[] =>
  told.flatMap((one) => (one === null || typeof one === 'string' ? [] : [...one.recalled]));

/** The event that says what a run was told. */
export function recalledEvent(items: readonly RecalledItem[]): EventDraft {
  const tokens = items.reduce((sum, one) => sum + one.tokens, 0);
  return {
    type: 'MemoryRecalled',
    title: `Recalled ${items.length}, about ${tokens} tokens`,
    payload: { tokens, items },
  };
}

/** A tool that runs and chats may call, by their policies. */
export interface PartTool<Input = unknown> extends ToolSpec<Input> {
  /** Offered to the work of this organisation unit and those below it alone; to all work where it is null or absent. */
  orgUnitId?: number | null;
  handler(input: Input, caller: ToolCaller): Promise<PartToolOutcome | string>;
}

/** The tools that a tenant has made, as they stand. */
export type TenantTools = (tenantId: number) => Promise<readonly PartTool[]>;

/** What a tool answers, with what it recalled for that. */
export interface PartToolOutcome extends Pick<ToolOutcome, 'content' | 'isError'> {
  /** The call has no result before a person has answered: its handler is called again then. */
  asks?: ToolQuestion;
  recalled?: readonly RecalledItem[];
}

/** Makes one of another resource that has a sample, and says its id. */
type MakeOther = (other: Group) => Promise<number>;

/** How one of a resource is made and used, so that the checks of every operation can reach it. */
export interface ResourceSample {
  /** A group, or one of its resources (`resourceOf`). */
  of: Group & { noun?: string };
  /** Parameters of the path by which it is created: what it belongs to, made for it. */
  within?: ((make: MakeOther) => Promise<Readonly<Record<string, number>>>) | undefined;
  create(name: string, make: MakeOther): object | Promise<object>;
  bodies: Readonly<Record<string, ((made: { id: number; name: string }) => object) | undefined>>;
}

type Bodies<G extends Group> = {
  [Verb in Exclude<keyof G['operations'], 'create'>]?: (made: {
    id: number;
    name: string;
  }) => Sent<G['operations'][Verb]>;
};
type Soon<T> = T | Promise<T>;
type Sent<O extends AnyOperation> = z.input<Exclude<O['body'], undefined>> & object;

/**
 * @example sampleOf(goals, (name) => ({ topic: name }), { patch: () => ({ priority: 5 }) })
 * @example sampleOf(resourceOf(connectors, 'Endpoint', ['list', 'create', 'get']), (name) => ({ name }), {},
 *   async (make) => ({ connectorId: await make(connectors) }))
 */
export function sampleOf<G extends Group>(
  of: G,
  create: (name: string, make: MakeOther) => Soon<Sent<G['operations']['create'] & AnyOperation>>,
  bodies: Bodies<G>,
  within?: ResourceSample['within'],
): ResourceSample {
  return { of, create, within, bodies: bodies as ResourceSample['bodies'] };
}

export interface Part<Topic extends IdTopic = IdTopic> {
  /** Its collections, which the store makes with their indexes. */
  records: readonly Pick<RecordDeclaration, 'spec' | 'inProject' | 'staysSmall'>[];
  /** What it serves; every group of `contracts` has a service. */
  contracts: readonly Group[];
  serve(deps: PartDeps): AnyService[];
  /**
   * What a run is told of it at each turn, of its own records alone; null when there is nothing. Not asked for a tenant
   * that has none of them.
   */
  briefs?(base: PartBase): (run: RunRecord) => Promise<string | Told | null>;
  /** What runs and chats alike are told of it, at each turn and at each reply. */
  tells?(base: PartBase): (work: Briefed) => Promise<string | Told | null>;
  /** What chats with strangers are told instead, who may bring a model to repeat all of it. */
  tellsStrangers?(base: PartBase): (work: Briefed) => Promise<string | Told | null>;
  /** Topics that are about one of what it keeps, each with the rule who may follow it. */
  topics?(base: TopicBase): Readonly<Record<Topic, MayRead>>;
  /** What it keeps of identities that a clone of one can take along. */
  luggage?(base: PartBase): Luggage;
  /** What runs and chats may call; of two tools with one name the engine's own counts. */
  tools?(base: PartBase & { inbox: Pick<Inbox, 'send'> }): readonly PartTool[];
  /**
   * Tools that a tenant has made, such as those of its connectors. They are asked for at each turn and each reply, so
   * they are to be kept in memory. A name of `tools` or of the engine counts before theirs.
   */
  tenantTools?(base: PartBase): TenantTools;
  /** How the search over everything finds what it keeps: one for each kind. */
  searches?(deps: PartDeps): readonly SearchLeg[];
  /** Hears of each write and each denied attempt of all groups, before the caller is answered. */
  audit?(base: PartBase): Audit;
  /** Background work, from the server's start to its end; nodes may do it at the same time. */
  rounds?(base: PartBase): Round[];
  /** How long it keeps things that do not stay for ever. */
  retention?(base: RetentionBase): RetentionRules;
  /** Collections whose documents belong to a run, by `runId`, and go with it. */
  ofRuns?: readonly AnyCollectionSpec[];
  /** One for each group whose operations take ids. */
  samples: readonly ResourceSample[];
}

interface RecordDeclaration extends RecordSpec<never> {
  spec: { name: string; indexes: readonly { keys: object }[] };
}

/** Declares a part: `export const goalsPart = part({ … })` in a group's `part.ts`; `npm run openapi` puts it on the list. */
export const part = <const Topic extends IdTopic = never>(declared: Part<Topic>): Part<Topic> => declared;

type TopicsOf<P> = P extends Part<infer Topic> ? Topic : never;

/** Who may follow the topics of all parts. */
export const topicRules = <P extends Part<never>>(parts: readonly P[], base: TopicBase) =>
  Object.assign({}, ...parts.map((one) => one.topics?.(base))) as Record<TopicsOf<P>, MayRead>;
