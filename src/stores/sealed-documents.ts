// A Db whose documents are sealed with a key of their tenant where their `sealedBy` names one.
import { Fault } from '../kernel/fault.ts';
import type { Vault } from '../kernel/vault.ts';
import type {
  AnyCollectionSpec,
  Collection,
  Db,
  Entity,
  FindCursor,
  FindOptions,
  Projection,
  SealedFields,
  Update,
} from '../ports/db.ts';

/** A document as this layer sees it. */
type Doc = Entity & Record<string, unknown>;
type Fields = Record<string, unknown>;

/** Field that holds the sealed labels; the field of the labels holds their digests. */
const labelsOf = (field: string) => `sealed${field.charAt(0).toUpperCase()}${field.slice(1)}`;

/** Wraps a Db; collections that declare no sealed fields are passed through. */
export function withSealedDocuments(db: Db, vault: Vault, specs: readonly AnyCollectionSpec[]): Db {
  const sealed = new Map(specs.flatMap(({ name, sealed }) => (sealed ? [[name, sealed]] : [])));
  const known = new Map<string, Collection<Doc>>();
  return {
    ...db,
    collection<T extends Entity>(source: Parameters<Db['collection']>[0]): Collection<T> {
      const inner = db.collection<Doc>(source as string);
      const fields = sealed.get(inner.collectionName);
      if (!fields) return inner as unknown as Collection<T>;
      let own = known.get(inner.collectionName);
      if (!own) {
        own = sealing(inner, createSealer(vault, fields));
        known.set(inner.collectionName, own);
      }
      return own as unknown as Collection<T>;
    },
  };
}

interface Sealer {
  seal(fields: Fields, tenantId: number): Fields;
  open(document: Doc): Doc;
  /** @throws Error for a change that does not say whether it is to be sealed */
  update(update: Update<Doc>, tenantId: unknown): Update<Doc>;
  /** Adds the fields that opening the projected ones requires. */
  projection(wanted: Projection<Doc>): Projection<Doc>;
}

function createSealer(vault: Vault, { texts, labels }: SealedFields): Sealer {
  const top = new Set([...texts.map((path) => path.split('.')[0] as string), ...labels]);
  const sealer: Sealer = {
    seal(fields, tenantId) {
      if (!fields.sealedBy) return fields;
      const sealed = mapTexts(fields, texts, (text) => vault.seal(tenantId, text));
      for (const field of labels) {
        const own = fields[field] as string[] | undefined;
        if (!own) continue;
        sealed[field] = own.map((label) => vault.digest(tenantId, label));
        sealed[labelsOf(field)] = vault.seal(tenantId, JSON.stringify(own));
      }
      return { ...sealed, sealedBy: vault.keyId };
    },
    open(document) {
      if (!document.sealedBy) return document;
      const tenantId = document.tenantId as number;
      const opened = mapTexts(document, texts, (text) => openedBy(vault, tenantId, text)) as Doc;
      for (const field of labels) {
        const own = opened[labelsOf(field)];
        delete opened[labelsOf(field)];
        if (typeof own === 'string') opened[field] = JSON.parse(openedBy(vault, tenantId, own));
      }
      return opened;
    },
    update(update, tenantId) {
      const { $set = {}, ...others } = update;
      const isSealed = (field: string) => top.has(field.split('.')[0] as string);
      if (Object.values(others).some((change) => Object.keys(change as object).some(isSealed)))
        throw new Error('Fields that may be sealed are changed by $set alone.');
      if (!Object.keys($set).some(isSealed)) return update;
      if (!('sealedBy' in $set)) throw new Error('A change of what may be sealed says by which key: sealedBy.');
      if ($set.sealedBy) return { ...update, $set: sealer.seal($set, tenantId as number) as typeof $set };
      const plain = Object.fromEntries(labels.filter((field) => field in $set).map((field) => [labelsOf(field), null]));
      return { ...update, $set: { ...$set, ...plain } };
    },
    projection(wanted) {
      const keeps = Object.entries(wanted).filter(([, kept]) => Boolean(kept));
      if (!keeps.some(([path]) => top.has(path.split('.')[0] as string))) return wanted;
      const own = labels.filter((field) => field in wanted).map((field) => [labelsOf(field), 1]);
      return { ...wanted, tenantId: 1, sealedBy: 1, ...Object.fromEntries(own) };
    },
  };
  return sealer;
}

/** @throws Fault NOT_CONFIGURED where the key is not known, or the text was changed */
function openedBy(vault: Vault, tenantId: number, sealed: string): string {
  try {
    return vault.open(tenantId, sealed);
  } catch (cause) {
    throw new Fault('NOT_CONFIGURED', `An encrypted memory cannot be read: ${(cause as Error).message}`, {
      hint: 'Nothing is lost: start the server with the RIVULET_SECRET that it was written with.',
      cause,
    });
  }
}

/** Copy of the fields with each of the texts mapped; empty texts are left as they are. */
function mapTexts(fields: Fields, texts: readonly string[], to: (text: string) => string): Fields {
  const changed = (value: unknown) => (typeof value === 'string' && value !== '' ? to(value) : value);
  const mapped = { ...fields };
  for (const path of texts) {
    const [field, below] = path.split('.') as [string, string?];
    const value = mapped[field];
    if (below === undefined) {
      if (field in mapped) mapped[field] = changed(value);
    } else if (Array.isArray(value))
      mapped[field] = value.map((one: Fields) => ({ ...one, [below]: changed(one[below]) }));
  }
  return mapped;
}

function sealing(inner: Collection<Doc>, sealer: Sealer): Collection<Doc> {
  const { open } = sealer;
  const insertion = (document: Doc) => sealer.seal(document, document.tenantId as number) as Doc;
  const opened = (document: Doc | null) => document && open(document);
  const projected = <O extends Pick<FindOptions<Doc>, 'projection'>>(options: O | undefined): O | undefined =>
    options?.projection ? { ...options, projection: sealer.projection(options.projection) } : options;
  const changed = (filter: Fields, update: Update<Doc>) => sealer.update(update, tenantOf(filter));
  return {
    ...inner,
    insertOne: (document) => inner.insertOne(insertion(document)),
    insertMany: (documents) => inner.insertMany(documents.map(insertion)),
    findOne: async (filter, options) => opened(await inner.findOne(filter, projected(options))),
    find: (filter, options) => openedCursor(inner.find(filter, projected(options)), sealer),
    updateOne: async (filter, update, options) => inner.updateOne(filter, changed(filter, update), options),
    updateMany: async (filter, update, options) => inner.updateMany(filter, changed(filter, update), options),
    replaceOne: (filter, document, options) => inner.replaceOne(filter, insertion(document), options),
    findOneAndUpdate: async (filter, update, options) =>
      opened(await inner.findOneAndUpdate(filter, changed(filter, update), projected(options))),
    findOneAndDelete: async (filter, options) => opened(await inner.findOneAndDelete(filter, projected(options))),
  };
}

/** The tenant that a filter is bound to. */
function tenantOf(filter: Fields): unknown {
  if (typeof filter.tenantId === 'number') return filter.tenantId;
  return (filter.$and as Fields[] | undefined)?.map(tenantOf).find((one) => one !== undefined);
}

function openedCursor(cursor: FindCursor<Doc>, sealer: Sealer): FindCursor<Doc> {
  const wrapped = (next: FindCursor<Doc>) => openedCursor(next, sealer);
  return {
    sort: (order) => wrapped(cursor.sort(order)),
    skip: (count) => wrapped(cursor.skip(count)),
    limit: (count) => wrapped(cursor.limit(count)),
    project: <P = Partial<Doc>>(wanted: Projection<Doc>) =>
      wrapped(cursor.project(sealer.projection(wanted)) as unknown as FindCursor<Doc>) as unknown as FindCursor<P>,
    toArray: async () => (await cursor.toArray()).map(sealer.open),
    json: async () => JSON.stringify((await cursor.toArray()).map(sealer.open)),
    made: (make) => cursor.made((document) => make(sealer.open(document))),
    async *[Symbol.asyncIterator]() {
      for await (const document of cursor) yield sealer.open(document);
    },
  };
}
