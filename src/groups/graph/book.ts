// Writes the graph: entities merge by name and alias within what may see them, relations become stronger, texts are read for both.
import type { GraphNodeKind, Provenance } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { createFinder, type Finder } from '../../memory/finder.ts';
import { extract, nameKey } from '../../memory/graph/extract.ts';
import { reworded, unindexed } from '../../memory/kinds.ts';
import { strengthened } from '../../memory/links.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import { isMarked, ownMark } from '../../ports/once.ts';
import type { EdgeDoc, MentionDoc, NameDoc, NodeDoc } from './record.ts';
import { nodeKind, unnamed } from './record.ts';

export interface GraphDeps {
  nodes: Keeper<NodeDoc>;
  edges: Keeper<EdgeDoc>;
  mentions: Keeper<MentionDoc>;
  names: Keeper<NameDoc>;
  indexes: Indexes;
  clock: Clock;
}

export interface Named {
  name: string;
  kind: GraphNodeKind;
  description?: string | null;
  aliases?: readonly string[];
  projectId?: number | null;
  identityId?: number | null;
  importance?: number | null;
  propertiesJson?: string | null;
  isFound?: boolean;
}

export interface Related {
  fromNodeId: number;
  toNodeId: number;
  relation: string;
  weight?: number | null;
  provenance: Provenance;
  identityId: number | null;
  projectId: number | null;
  sourceMemoryId?: number | null;
  sourceFactId?: number | null;
  validFrom?: Date | null;
  validUntil?: Date | null;
}

/** A text that entities are found in. */
export interface Readable {
  _id: number;
  tenantId: number;
  identityId: number;
  projectId: number | null;
  title: string;
  content: string;
  tags: readonly string[];
  isShared: boolean;
  archivedAt: Date | null;
  provenance: Provenance;
}

const plainWeight = 0.5;
const strengthening = 0.1;
const mostAliases = 50;

export function createGraphBook(deps: GraphDeps) {
  const { indexes, clock } = deps;
  const finder = createFinder<NodeDoc>({ ...indexes, clock }, nodeKind);
  const writing = { finder, name: createNaming(deps, finder), relate: createRelating(deps) };
  return { ...writing, ...createReading(deps, writing), ...createRemoval(deps) };
}

export type GraphBook = ReturnType<typeof createGraphBook>;

/** Removes an entity with its names, unless somebody was faster; what points to it is its caller's. */
async function removed({ nodes, names }: GraphDeps, by: By, id: number): Promise<void> {
  await names.of(by.tenantId).deleteMany({ nodeId: id });
  await nodes.remove(by, id).catch(ifThere);
}

const ifThere = (error: unknown) => {
  if (!(error instanceof Fault && error.code === 'NOT_FOUND')) throw error;
};

async function putNames({ names }: GraphDeps, { tenantId }: By, node: NodeDoc, keys: readonly string[]) {
  const { _id: nodeId, identityId, projectId } = node;
  for (const key of keys) await names.insert({ tenantId }, { nodeId, identityId, projectId, key });
}

/**
 * Counts anew what entities are related to and named in. Relations count that whoever sees the entity sees: a count tells
 * nobody what others keep to themselves.
 */
async function recount({ nodes, edges, mentions }: GraphDeps, { tenantId }: By, ids: readonly number[]): Promise<void> {
  const found = await nodes
    .of(tenantId)
    .find({ _id: { $in: [...new Set(ids)] } })
    .toArray();
  for (const { _id, identityId, projectId } of found) {
    const open = { identityId, projectId: { $in: [null, projectId] } } as Filter<EdgeDoc>;
    const [from, to, mentionCount] = await Promise.all([
      edges.of(tenantId).countDocuments({ fromNodeId: _id, ...open }),
      edges.of(tenantId).countDocuments({ toNodeId: _id, ...open }),
      mentions.of(tenantId).countDocuments({ nodeId: _id }),
    ]);
    await nodes.of(tenantId).updateOne({ _id }, { $set: { degree: from + to, mentionCount } });
  }
}

/** Whether anything at all relates to an entity. */
async function isRelated({ edges }: GraphDeps, { tenantId }: By, { _id }: NodeDoc): Promise<boolean> {
  const of = edges.of(tenantId);
  return (await of.findOne({ fromNodeId: _id })) !== null || (await of.findOne({ toNodeId: _id })) !== null;
}

type Writing = {
  finder: Pick<Finder<NodeDoc>, 'forget'>;
  name(by: By, named: Named): Promise<NodeDoc>;
  relate(by: By, said: Related): Promise<EdgeDoc>;
};

/** What a memory named and said before, without what it names now. */
async function drop({ mentions, edges, nodes }: GraphDeps, by: By, memoryId: number): Promise<number[]> {
  const named = await mentions.of(by.tenantId).find({ memoryId }).toArray();
  const said = await edges.of(by.tenantId).find({ sourceMemoryId: memoryId }).toArray();
  const touched = [...named.map(({ nodeId }) => nodeId), ...said.flatMap((one) => [one.fromNodeId, one.toNodeId])];
  // The intent to look at them again, should this process die before it has.
  if (touched.length > 0)
    await nodes
      .of(by.tenantId)
      .updateMany({ _id: { $in: [...new Set(touched)] } }, { $set: { pending: true }, $inc: { revision: 1 } });
  await mentions.of(by.tenantId).deleteMany({ memoryId });
  await edges.of(by.tenantId).deleteMany({ sourceMemoryId: memoryId });
  return touched;
}

/** Reads memories for what they name. */
function createReading(deps: GraphDeps, { finder, name, relate }: Writing) {
  const { mentions, edges, nodes } = deps;

  /** Entities that were found in texts alone go with the last of them. */
  async function sweep(by: By, ids: readonly number[]): Promise<void> {
    await recount(deps, by, ids);
    const left = await nodes
      .of(by.tenantId)
      .find({ _id: { $in: [...new Set(ids)] }, ...unnamed })
      .toArray();
    const gone: number[] = [];
    for (const node of left) if (!(await isRelated(deps, by, node))) gone.push(node._id);
    for (const id of gone) await removed(deps, by, id);
    if (gone.length > 0) await finder.forget(by.tenantId, gone);
  }

  return {
    /** Counts anew what an entity is named in, after something was taken back; one that was found there alone goes. */
    settle: ({ tenantId, _id }: Pick<NodeDoc, 'tenantId' | '_id'>): Promise<void> => sweep({ tenantId }, [_id]),
    /** Reads a memory anew; twice is the same as once. What nobody else may read has entities of its own. */
    async read(memory: Readable): Promise<void> {
      const by = { tenantId: memory.tenantId };
      const before = await drop(deps, by, memory._id);
      const { entities, relations } = memory.archivedAt
        ? { entities: [], relations: [] }
        : extract(`${memory.title}.\n${memory.content}`, memory.tags);
      const { projectId } = memory;
      const identityId = memory.isShared ? null : memory.identityId;
      const made = new Map<string, NodeDoc>();
      for (const one of entities) {
        const node = await name(by, { ...one, identityId, projectId, isFound: true });
        made.set(one.name, node);
        await mentions
          .insert(by, { nodeId: node._id, memoryId: memory._id, projectId })
          .catch((error) => (isDuplicate(error) ? null : Promise.reject(error)));
      }
      for (const { from, to, relation } of relations) {
        const [a, b] = [made.get(from), made.get(to)];
        if (!a || !b || a._id === b._id) continue;
        const ends = { fromNodeId: a._id, toNodeId: b._id };
        const provenance = memory.provenance === 'Reported' ? ('Reported' as const) : ('Derived' as const);
        await relate(by, { ...ends, relation, identityId, projectId, provenance, sourceMemoryId: memory._id });
      }
      await sweep(by, [...before, ...[...made.values()].map(({ _id }) => _id)]);
    },
    /** Takes back what memories named and said. */
    async forget(by: By, memoryIds: readonly number[]): Promise<void> {
      const touched: number[] = [];
      for (const id of memoryIds) touched.push(...(await drop(deps, by, id)));
      await sweep(by, touched);
    },
    /** Takes back what a version of a fact said, but for what it says now. */
    async dropFact(by: By, factId: number, keep: (edge: EdgeDoc) => boolean): Promise<void> {
      const said = await edges.of(by.tenantId).find({ sourceFactId: factId }).toArray();
      const gone = said.filter((edge) => !keep(edge));
      for (const { _id } of gone) await edges.remove(by, _id);
      if (gone.length > 0)
        await sweep(
          by,
          gone.flatMap((edge) => [edge.fromNodeId, edge.toNodeId]),
        );
    },
  };
}

function createRemoval(deps: GraphDeps) {
  const { edges, mentions } = deps;
  return {
    /** Removes an entity with its relations. */
    async removeNode(by: By, id: number): Promise<void> {
      const of = edges.of(by.tenantId);
      const ends = [...(await of.find({ fromNodeId: id }).toArray()), ...(await of.find({ toNodeId: id }).toArray())];
      await removed(deps, by, id);
      await of.deleteMany({ _id: { $in: ends.map(({ _id }) => _id) } });
      await mentions.of(by.tenantId).deleteMany({ nodeId: id });
      await recount(
        deps,
        by,
        ends.flatMap(({ fromNodeId, toNodeId }) => [fromNodeId, toNodeId]).filter((other) => other !== id),
      );
    },
    async removeEdge(by: By, edge: EdgeDoc): Promise<void> {
      await edges.remove(by, edge._id);
      await recount(deps, by, [edge.fromNodeId, edge.toNodeId]);
    },
  };
}

/** An entity that nobody has named before. */
const freshNode = (named: Named, aliases: string[], nameKeys: string[]) => ({
  name: named.name,
  kind: named.kind,
  description: named.description ?? null,
  aliases,
  nameKeys,
  projectId: named.projectId ?? null,
  identityId: named.identityId ?? null,
  importance: named.importance ?? 5,
  propertiesJson: named.propertiesJson ?? null,
  mentionCount: 0,
  degree: 0,
  ...unindexed,
  isFound: named.isFound ?? false,
});

function createNaming(deps: GraphDeps, finder: Finder<NodeDoc>): Writing['name'] {
  const { nodes, names } = deps;

  /** The first entity that has one of the names. */
  async function byKeys({ tenantId }: By, named: Named, keys: readonly string[]): Promise<NodeDoc | null> {
    const within = { identityId: named.identityId ?? null, projectId: named.projectId ?? null };
    const found = await Promise.all(
      keys.map((key) => names.of(tenantId).findOne({ ...within, key }, { sort: { nodeId: 1 } })),
    );
    const first = Math.min(...found.map((one) => one?.nodeId ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(first) ? nodes.of(tenantId).findOne({ _id: first }) : null;
  }

  /** The entity of a name, made or merged into. */
  async function name(by: By, named: Named): Promise<NodeDoc> {
    const aliases = [...new Set(named.aliases ?? [])];
    const keys = [...new Set([named.name, ...aliases].map(nameKey))];
    const known = await byKeys(by, named, keys);
    if (known) return merge(by, known, named, aliases, keys);
    const node = await nodes.insert(by, freshNode(named, aliases, keys));
    await putNames(deps, by, node, keys);
    // Two that name it at once: the first one stays.
    const first = await byKeys(by, named, keys);
    if (first && first._id !== node._id) {
      await removed(deps, by, node._id);
      return merge(by, first, named, aliases, keys);
    }
    await finder.index(node);
    return node;
  }

  async function merge(by: By, known: NodeDoc, named: Named, aliases: readonly string[], keys: readonly string[]) {
    const isNew = nameKey(named.name) !== nameKey(known.name) && !known.aliases.includes(named.name);
    const all = [...new Set([...known.aliases, ...(isNew ? [named.name] : []), ...aliases])].slice(0, mostAliases);
    const nameKeys = [...new Set([...known.nameKeys, ...keys])];
    const said = named.isFound
      ? {}
      : {
          ...(named.description != null && { description: named.description }),
          ...(named.importance != null && { importance: named.importance }),
          ...(named.propertiesJson != null && { propertiesJson: named.propertiesJson }),
          ...(known.isFound && { kind: named.kind, isFound: false }),
        };
    const words = all.length !== known.aliases.length || 'description' in said;
    if (!words && nameKeys.length === known.nameKeys.length && Object.keys(said).length === 0) return known;
    const changed = await nodes.change(by, known._id, {
      ...said,
      aliases: all,
      nameKeys,
      ...(words && reworded(known)),
    });
    await putNames(
      deps,
      by,
      changed,
      nameKeys.filter((key) => !known.nameKeys.includes(key)),
    );
    if (words) await finder.index(changed);
    return changed;
  }

  return name;
}

function createRelating(deps: GraphDeps): Writing['relate'] {
  const { edges } = deps;

  /** Relates two entities; the same relation of the same time again makes it stronger. */
  async function relate(by: By, said: Related): Promise<EdgeDoc> {
    const { fromNodeId, toNodeId, relation, identityId, projectId } = said;
    const validFrom = said.validFrom ?? null;
    const validUntil = said.validUntil ?? null;
    const all = await edges.of(by.tenantId).find({ fromNodeId, toNodeId }).toArray();
    const ofFact = said.sourceFactId ?? null;
    const same = all.find((one) => {
      if (one.relation !== relation || one.identityId !== identityId || one.sourceFactId !== ofFact) return false;
      // One that has ended is history: what is so again is another one. A version of a fact has one for ever.
      return ofFact !== null || one.validUntil === null || one.validUntil.getTime() === validUntil?.getTime();
    });
    if (!same) {
      const fresh = {
        fromNodeId,
        toNodeId,
        relation,
        identityId,
        projectId,
        validFrom,
        validUntil,
        provenance: said.provenance,
        weight: said.weight ?? plainWeight,
        observedCount: 1,
        marks: [],
        ...ownMark({ marks: [] }),
        sourceMemoryId: said.sourceMemoryId ?? null,
        sourceFactId: said.sourceFactId ?? null,
      };
      const made = await edges.insert(by, fresh);
      await recount(deps, by, [fromNodeId, toNodeId]);
      return made;
    }
    if (ofFact !== null) return edges.change(by, same._id, { validFrom, validUntil });
    if (isMarked(same)) return same;
    return edges.change(by, same._id, (old) => ({
      weight: strengthened(Math.max(old.weight, said.weight ?? 0), strengthening),
      observedCount: old.observedCount + 1,
      validFrom: validFrom ?? old.validFrom,
      validUntil: validUntil ?? old.validUntil,
      ...ownMark(old),
    }));
  }

  return relate;
}
