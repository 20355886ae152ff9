// Declares records: documents of one kind that belong to a tenant, with what their keeper must know of them.
import {
  type CollectionName,
  type CollectionSpec,
  collectionSpec,
  type IndexSpec,
  type Rollup,
  type SealedFields,
  type Times,
} from './db.ts';
import type { Tenanted } from './tenanted.ts';

type StoredName<Key> = Key extends 'id' ? '_id' : Key extends `${infer Base}Utc` ? Base : Key;
type StoredValue<Key, Value> = Key extends `${string}Utc` ? (Value extends string ? Date : Value) : Value;

/**
 * The document that a DTO is shown from: `id` is `_id`, times lose their `Utc` and are Dates.
 *
 * @example interface GoalDoc extends Stored<Omit<GoalDto, 'computed'>> { secret: string }
 */
export type Stored<Dto> = { tenantId: number } & {
  -readonly [Key in keyof Dto as StoredName<Key>]: StoredValue<Key, Dto[Key]>;
};

/** What every document of a record has. */
export interface KeptDoc extends Tenanted {
  _id: number;
  createdAt: Date;
}

/** What the keeper writes by itself. */
export type KeeperField = '_id' | 'tenantId' | 'guid' | 'nameKey' | 'createdAt' | 'updatedAt' | 'deletedAt';
/** What a new document is made from. */
export type Draft<Doc> = Omit<Doc, KeeperField>;

export interface RecordSpec<Doc> {
  /** What one of them is called in messages, e.g. `budget`. */
  noun: string;
  /** The operation that lists them, for hints, e.g. `GET /api/ai-router/budgets`. */
  list: string;
  indexes?: readonly IndexSpec<Doc>[];
  /** Counts and sums that are kept along, for lists of what grows with use. */
  rollups?: readonly Rollup[];
  /** Order of lists that ask for none, as a list's `sort` says it. */
  order: string;
  /** Fields that `q` is looked for in, whatever its case. */
  search?: readonly (keyof Doc & string)[];
  /** Of those, the ones that are indexed by their parts, for lists of what grows with use. */
  texts?: readonly (keyof Doc & string)[];
  /** Fields that are stored encrypted where a document's `sealedBy` says so. */
  sealed?: SealedFields;
  /** A tenant has one document of a name, whatever its case: it is kept lower-case in `nameKey`, with a unique index. */
  uniqueName?: boolean;
  /** Another field that is unique in the tenant, by an index of its own: messages name its value, or that of `uniqueAs`. */
  unique?: keyof Doc & string;
  uniqueAs?: keyof Doc & string;
  /** Removed documents stay, with `deletedAt`, for what points to them; their names are free again. */
  softDelete?: boolean;
  /** Documents belong to the project of their `projectId`: a caller without access to the project does not find them. */
  inProject?: true;
  /** A tenant has few documents, however long it works: lists may sort all of them (test/e2e/query-plans.test.ts). */
  staysSmall?: true;
  /** Fields of the keeper that these documents do not have. */
  lacks?: readonly ('guid' | 'updatedAt')[];
}

/** A declared record; `createKeeper` keeps its documents. */
export interface RecordOf<Doc extends KeptDoc> extends RecordSpec<Doc> {
  readonly spec: CollectionSpec<Doc>;
}

/** @example export const goals = record<GoalDoc>('knowledge_goals', { noun: 'knowledge goal', list: 'GET /api/…', order: '-priority' }) */
export function record<Doc extends KeptDoc>(
  collection: CollectionName,
  about: RecordSpec<Doc> & Times<Doc>,
): RecordOf<Doc> {
  const named = { keys: { tenantId: 1, nameKey: 1 }, unique: true } as unknown as IndexSpec<Doc>;
  const indexes = [...(about.uniqueName ? [named] : []), ...(about.indexes ?? [])];
  return {
    ...about,
    spec: collectionSpec<Doc>({
      name: collection,
      indexes,
      ...(about.rollups && { rollups: about.rollups }),
      ...(about.texts && { texts: about.texts }),
      ...(about.sealed && { sealed: about.sealed }),
    }),
  };
}
