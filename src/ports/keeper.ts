// Keeps the documents of a record: finds, pages, inserts, changes and removes them, each within its tenant.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../contract/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { withArticle } from '../kernel/words.ts';
import { noteWrite } from './audit.ts';
import { contains, type Db, type Filter } from './db.ts';
import { isDuplicate } from './duplicate.ts';
import type { Ids } from './ids.ts';
import { requireChangeIn, visibleTo } from './in-project.ts';
import { pageOf } from './page-of.ts';
import type { Draft, KeptDoc, RecordOf } from './record.ts';
import { sortOf } from './sort-of.ts';
import { type PerTenant, perTenant } from './tenanted.ts';

/** Who asks: a caller, or the server itself on behalf of a tenant. */
export type By = Caller | Pick<Caller, 'tenantId' | 'projects'>;

/** A write that was made, as the keeper's `told` sees it: for events, caches and the audit log. */
export interface Change<Doc> {
  how: 'created' | 'changed' | 'removed';
  /** As it is now; of a removed one, as it was. */
  doc: Doc;
  /** As it was; null for a new one. */
  before: Doc | null;
  by: By;
}

/** A page of a list: the query of a list operation, whose further fields are filters. */
export interface ListRequest {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  q?: string | undefined;
}

/** How filters are looked for that are not simply a field of their name: value → filter. */
export type Filters<Doc> = Readonly<Record<string, (value: never) => Filter<Doc>>>;

export interface Keeper<Doc extends KeptDoc> {
  readonly record: RecordOf<Doc>;
  /** The collection of a tenant, for reads that the keeper has no word for. Removed documents are in it. */
  readonly of: PerTenant<Doc>;
  find(by: By, id: number, within?: Filter<Doc>): Promise<Doc | null>;
  /** @throws Fault NOT_FOUND, with the operation that lists what there is */
  get(by: By, id: number, within?: Filter<Doc>): Promise<Doc>;
  /** The document of this name, in any case; for records with `uniqueName`. */
  findByName(by: By, name: string): Promise<Doc | null>;
  /** One page of what a list asks for, and the number of all that match. */
  page(
    by: By,
    query: ListRequest,
    options?: { within?: Filter<Doc>; filters?: Filters<Doc> },
  ): Promise<{ items: Doc[]; totalCount: number }>;
  /** @throws Fault DUPLICATE when the name is taken */
  insert(by: By, draft: Draft<Doc>): Promise<Doc>;
  /**
   * Changes a document. What depends on what it was is worked out by a function, which runs again when a field of
   * `expecting` has changed meanwhile. Without fields nothing is written or told.
   *
   * @param options.touches - written and told without fields as well: what belongs to it has changed
   * @throws Fault NOT_FOUND; DUPLICATE when the new name is taken; what the function throws
   */
  change(
    by: By,
    id: number,
    to: Partial<Draft<Doc>> | ((old: Doc) => Partial<Draft<Doc>> | Promise<Partial<Draft<Doc>>>),
    options?: { expecting?: readonly (keyof Doc & string)[]; within?: Filter<Doc>; touches?: boolean },
  ): Promise<Doc>;
  /** Removes a document that is there; of records with `softDelete` it stays for what points to it. @throws Fault NOT_FOUND */
  remove(by: By, id: number): Promise<Doc>;
}

export interface KeeperDeps<Doc> {
  db: Db;
  ids: Ids;
  clock: Clock;
  /** Told of each write after it was made, before its caller is answered. */
  told?: (change: Change<Doc>) => void | Promise<void>;
}

/** Documents as the keeper sees them: by fields that only their record declares. */
interface OpenDoc extends KeptDoc {
  [field: string]: unknown;
}

/** @example const goals = createKeeper(goalRecord, { db, ids, clock }); await goals.get(caller, 7); */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createKeeper<Doc extends KeptDoc>(record: RecordOf<Doc>, deps: KeeperDeps<Doc>): Keeper<Doc> {
  const { clock, ids } = deps;
  const of = perTenant(deps.db.collection(record.spec));
  const open = of as unknown as PerTenant<OpenDoc>;
  const unique: string | undefined = record.uniqueName ? 'name' : record.unique;
  const lacks = new Set<string>(record.lacks);
  const live = record.softDelete ? { deletedAt: null } : {};
  const nameKey = ({ name }: { name?: unknown }) =>
    record.uniqueName && typeof name === 'string' ? { nameKey: name.toLowerCase() } : {};
  const touched = () => (lacks.has('updatedAt') ? {} : { updatedAt: new Date(clock.now()) });

  const tell = async (how: Change<Doc>['how'], by: By, doc: OpenDoc, before: OpenDoc | null) => {
    noteWrite(by, { kind: record.noun, how, doc, before });
    await deps.told?.({ how, by, doc: doc as unknown as Doc, before: before as unknown as Doc | null });
    return doc as unknown as Doc;
  };

  const visible = (by: By) => (record.inProject ? visibleTo<OpenDoc & { projectId: number | null }>(by) : {});
  const find = (by: By, id: number, within?: Filter<Doc>) => {
    const there = { _id: id, ...live, ...(visible(by) as Filter<OpenDoc>) };
    return open(by.tenantId).findOne(within ? { $and: [there, within as Filter<OpenDoc>] } : there);
  };
  /** @throws Fault NOT_FOUND, FORBIDDEN where the caller may not write into the project */
  const requireChange = (by: By, doc: object) => {
    if (record.inProject) requireChangeIn(by, (doc as { projectId: number | null }).projectId);
  };

  const get = async (by: By, id: number, within?: Filter<Doc>): Promise<OpenDoc> => {
    const found = await find(by, id, within);
    if (found) return found;
    throw notThere(record, id);
  };

  const written = async <T>(fields: object, write: Promise<T>): Promise<T> => {
    try {
      return await write;
    } catch (error) {
      const shown = record.uniqueAs ?? unique;
      const name = shown && (fields as Record<string, unknown>)[shown];
      const taken = typeof name === 'string' && isDuplicate(error);
      throw taken ? nameTaken(record.noun, name, error) : error;
    }
  };

  return {
    record,
    of,
    find: async (by, id, within) => (await find(by, id, within)) as unknown as Doc | null,
    get: async (by, id, within) => (await get(by, id, within)) as unknown as Doc,
    findByName: async ({ tenantId }, name) =>
      (await open(tenantId).findOne({ nameKey: name.toLowerCase(), ...live })) as unknown as Doc | null,
    page: async (by, query, { within, filters } = {}) => {
      const { page, pageSize, sort, q, ...wanted } = query;
      const parts = [...filtersOf(wanted, filters), ...searchOf(record.search ?? [], q), ...(within ? [within] : [])];
      // One project that the operation names was looked at when the request came.
      const isNamed = [wanted, within ?? {}].some((one) => (one as { projectId?: unknown }).projectId !== undefined);
      if (!isNamed && Object.keys(visible(by)).length > 0) parts.push(visible(by));
      const filter = Object.assign({}, live, ...(parts.length > 0 ? [merged(parts as object[])] : []));
      return pageOf(of(by.tenantId), { page, pageSize, filter, sort: sortOf<Doc>(sort ?? record.order) });
    },
    insert: async (by, draft) => {
      requireChange(by, draft);
      const doc: OpenDoc = {
        ...(draft as object),
        ...nameKey(draft as object),
        _id: await ids.next(record.spec.name),
        ...(lacks.has('guid') ? {} : { guid: randomUUID() }),
        tenantId: by.tenantId,
        createdAt: new Date(clock.now()),
        ...touched(),
        ...live,
      };
      await written(doc, open(by.tenantId).insertOne(doc));
      return tell('created', by, doc, null);
    },
    change: async (by, id, to, { expecting = [], within, touches = false } = {}) => {
      for (;;) {
        const old = await get(by, id, within);
        requireChange(by, old);
        const fields = typeof to === 'function' ? await to(old as unknown as Doc) : to;
        if ('projectId' in fields) requireChange(by, fields);
        if (!touches && Object.keys(fields).length === 0) return old as unknown as Doc;
        const $set = { ...fields, ...nameKey(fields), ...touched() };
        const same = Object.fromEntries(expecting.map((field) => [field, old[field] ?? null]));
        const filter = { _id: id, ...live, ...same };
        const changed = await written(
          $set,
          open(by.tenantId).findOneAndUpdate(filter, { $set }, { returnDocument: 'after' }),
        );
        // Null: the document was changed or removed meanwhile; the next read tells which.
        if (changed) return tell('changed', by, changed, old);
      }
    },
    remove: async (by, id) => {
      const old = await get(by, id);
      requireChange(by, old);
      const collection = open(by.tenantId);
      const freed = record.uniqueName ? { nameKey: `${String(old.nameKey)} ${String(old.guid ?? old._id)}` } : {};
      const $set = { deletedAt: new Date(clock.now()), ...touched(), ...freed };
      const gone = record.softDelete
        ? (await collection.updateOne({ _id: id, deletedAt: null }, { $set })).matchedCount
        : (await collection.deleteOne({ _id: id })).deletedCount;
      // A concurrent request removed it, and published that.
      if (gone === 0) return old as unknown as Doc;
      return tell('removed', by, old, old);
    },
  };
}

/** For what is not there, or not for the caller: both are answered alike. */
export const notThere = ({ noun, list }: { noun: string; list: string }, id: number): Fault =>
  new Fault('NOT_FOUND', `There is no ${noun} ${id}.`, { hint: `List them with ${list}.` });

/** Says which name is taken instead of which index was hit. */
export function nameTaken(noun: string, name: string, cause?: unknown): Fault {
  return new Fault('DUPLICATE', `There is already ${withArticle(noun)} named "${name}".`, {
    hint: 'Choose another name.',
    cause,
  });
}

function filtersOf<Doc>(wanted: object, filters: Filters<Doc> = {}): object[] {
  return Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const special = filters[name];
      if (special) return special(value as never);
      return { [name.replace(/Utc$/, '')]: Array.isArray(value) ? { $in: value } : value };
    });
}

function searchOf(fields: readonly string[], q: string | undefined): object[] {
  if (!q || fields.length === 0) return [];
  const text = { $regex: contains(q), $options: 'i' };
  const each = fields.map((field) => ({ [field]: text }));
  // Flat where it can be, for the stores that have an index of the field's parts.
  return each.length === 1 ? each : [{ $or: each }];
}

/** Flat where no two of them speak of one field, since that is what stores plan best. */
function merged(parts: readonly object[]): object {
  const names = parts.flatMap((part) => Object.keys(part));
  return new Set(names).size === names.length ? Object.assign({}, ...parts) : { $and: parts };
}
