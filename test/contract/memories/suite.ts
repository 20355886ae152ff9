// Memories against a model as simple as can be, through writes, links, forgetting, kills and restarts: after the repair
// documents, words, vectors and links agree with it exactly.
import '../../support/properties.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryDoc } from '../../../src/groups/memories/record.ts';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { extract } from '../../../src/memory/graph/extract.ts';
import { memoriesKind } from '../../../src/memory/memories-kind.ts';
import { countsOf } from '../../../src/memory/recall/words.ts';
import {
  drafted,
  identityOf,
  Killed,
  openWorld,
  type Stores,
  testEmbedder,
  text,
  vault,
  vectorOf,
  vocabulary,
  type World,
} from './world.ts';

const who = { tenantId: fc.integer({ min: 1, max: 2 }), identityId: fc.integer({ min: 1, max: 2 }) };

const step = fc.record({
  what: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('remember' as const),
        ...who,
        text,
        shared: fc.boolean(),
        run: fc.option(fc.integer({ min: 1, max: 2 })),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('edit' as const),
        which: fc.nat(),
        text,
        run: fc.option(fc.integer({ min: 1, max: 2 })),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('move' as const),
        which: fc.nat(),
        shared: fc.boolean(),
        archived: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('link' as const), which: fc.nat(), other: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), which: fc.nat(), other: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('forget' as const),
        which: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('unlearn' as const),
        tenantId: who.tenantId,
        run: fc.integer({ min: 1, max: 2 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('encrypt' as const), ...who, tenant: fc.boolean(), on: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  ),
  /** The process dies after so many writes of this step. */
  dies: fc.option(fc.nat(9), { freq: 3 }),
  /** The background work is under way meanwhile. */
  beside: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const remembered = (said: string): Step => ({
  what: { do: 'remember', tenantId: 1, identityId: 2, text: said, shared: false, run: null },
  dies: null,
  beside: false,
});
/** The background work links a memory that is forgotten meanwhile, and dies before it looks. */
const linkedLate: Step[] = [
  remembered('harbour'),
  remembered('seven'),
  { what: { do: 'forget', which: [1] }, dies: 8, beside: true },
];

/** What a memory is to be. */
interface Known {
  tenantId: number;
  content: string;
  isShared: boolean;
  archived: boolean;
}

export function memoriesSuite(name: string, open: () => Promise<Stores>, runs = 30): void {
  describe(`memories on ${name}`, () => {
    it('agree with a model through writes, links, forgetting, kills and restarts', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
          const stores = await open();
          try {
            await live(stores, steps);
          } finally {
            await stores.close();
          }
        }),
        { numRuns: runs, examples: [[linkedLate]] },
      );
    });
  });
}

async function live(stores: Stores, steps: readonly Step[]): Promise<void> {
  const clock = new SimulatedClock();
  const model = new Map<number, Known>();
  let world = await openWorld(stores, clock);
  const restart = async () => {
    await world.close();
    world = await openWorld(stores, clock);
  };
  try {
    for (const { what, dies, beside } of steps) {
      await clock.advance(60_000);
      if (what.do === 'restart') {
        await restart();
        continue;
      }
      if (dies !== null) world.life.left = dies;
      const background = beside ? world.settle().catch(onlyKilled) : null;
      const ended = await act(world, model, what).then(
        () => true,
        (error) => onlyKilled(error) ?? false,
      );
      await background;
      if (world.life.left <= 0 || !ended) {
        await restart();
        // What was not acknowledged has happened, or not, or in part.
        await adopt(world, model);
      }
      world.life.left = Number.POSITIVE_INFINITY;
    }
    await restart();
    // What follows writes first; what is left then is too old to be under way.
    await world.settle();
    await clock.advance(60 * 60_000);
    await world.repair();
    await world.settle();
    await agree(world, model);
  } finally {
    await world.close();
  }
}

const onlyKilled = (error: unknown) => {
  if (!(error instanceof Killed)) throw error;
};

/** Does a step; what it changes is in the model when it was acknowledged. */
async function act(world: World, model: Map<number, Known>, what: Step['what']): Promise<void> {
  const { library, memories, settle } = world;
  const ids = [...model.keys()];
  const pick = (at: number): [number, Known] | null => {
    const id = ids[at % Math.max(1, ids.length)];
    return id === undefined ? null : [id, model.get(id) as Known];
  };
  const change = async (which: number, fields: Partial<MemoryDoc>, known: Partial<Known>, runId: number | null) => {
    const one = pick(which);
    if (!one) return;
    const by = { tenantId: one[1].tenantId };
    const old = await memories.get(by, one[0]);
    await library.change(by, old, fields, { runId });
    model.set(one[0], { ...one[1], ...known });
  };
  switch (what.do) {
    case 'remember': {
      const { tenantId, identityId, text: content, shared: isShared, run } = what;
      const draft = drafted(identityOf(tenantId, identityId), 'Note', content, { isShared, sourceRunId: run });
      const { memory, how } = await library.remember({ tenantId }, draft);
      if (how !== 'known') model.set(memory._id, { tenantId, content, isShared, archived: false });
      return;
    }
    case 'edit':
      return change(what.which, { content: what.text }, { content: what.text }, what.run);
    case 'move': {
      const { which, shared: isShared, archived } = what;
      return change(which, { isShared, archivedAt: archived ? new Date(0) : null }, { isShared, archived }, null);
    }
    case 'link': {
      const [one, other] = [pick(what.which), pick(what.other)];
      if (!one || !other || one[0] === other[0] || one[1].tenantId !== other[1].tenantId) return;
      await library.connect({ tenantId: one[1].tenantId }, one[0], other[0], 'Causal', 0.5);
      return;
    }
    case 'merge': {
      const [one, other] = [pick(what.which), pick(what.other)];
      if (!one || !other || one[0] === other[0] || one[1].tenantId !== other[1].tenantId) return;
      const by = { tenantId: one[1].tenantId };
      const [kept, merged] = [await memories.get(by, one[0]), await memories.get(by, other[0])];
      const { content } = await library.merge(by, kept, merged, {});
      for (const part of [kept, merged]) expect(content).toContain(part.content);
      model.set(one[0], { ...one[1], content });
      model.set(other[0], { ...other[1], archived: true });
      return;
    }
    case 'forget': {
      const some = what.which.flatMap((at) => [pick(at)]).filter((one) => one !== null);
      const own = some.filter(([, { tenantId }]) => tenantId === some[0]?.[1].tenantId);
      if (own.length === 0) return;
      await library.forget({ tenantId: own[0]![1].tenantId }, [...new Set(own.map(([id]) => id))]);
      for (const [id] of own) model.delete(id);
      return;
    }
    case 'unlearn':
      return unlearn(world, model, what.tenantId, what.run);
    case 'encrypt': {
      const { tenantId, identityId, tenant, on } = what;
      await (tenant ? world.require(tenantId, on) : world.encrypt(identityOf(tenantId, identityId), on));
      return;
    }
    case 'settle':
      return settle();
    case 'restart':
  }
}

async function unlearn(world: World, model: Map<number, Known>, tenantId: number, run: number): Promise<void> {
  const written = await world.memories.of(tenantId).find({ sourceRunId: run }).toArray();
  const { memoryIds, revertedMemoryIds } = await world.library.unlearn({ tenantId }, run);
  expect(new Set(memoryIds)).toEqual(new Set(written.map(({ _id }) => _id)));
  for (const id of memoryIds) model.delete(id);
  for (const id of revertedMemoryIds) {
    const { content } = await world.memories.get({ tenantId }, id);
    model.set(id, { ...(model.get(id) as Known), content });
  }
}

/** The model becomes what the documents are: a process died before it could say what it had done. */
async function adopt(world: World, model: Map<number, Known>): Promise<void> {
  model.clear();
  for (const one of await documentsOf(world)) {
    const { _id, tenantId, content, isShared, archivedAt } = one;
    model.set(_id, { tenantId, content, isShared, archived: archivedAt !== null });
  }
  // What was begun will be whole: it says both already.
  for (const { mergingIds = [] } of await documentsOf(world))
    for (const id of mergingIds) {
      const other = model.get(id);
      if (other) model.set(id, { ...other, archived: true });
    }
}

const documentsOf = async (world: World) =>
  (await Promise.all([1, 2].map((tenantId) => world.memories.of(tenantId).find({}).toArray())))
    .flat()
    .sort((a, b) => a._id - b._id);

/** Documents, words, vectors, links and mentions are those of the model, and nothing besides. */
async function agree(world: World, model: ReadonlyMap<number, Known>): Promise<void> {
  const docs = await documentsOf(world);
  const known = docs.map(({ _id, tenantId, content, isShared, archivedAt }) => [
    _id,
    { tenantId, content, isShared, archived: archivedAt !== null },
  ]);
  expect(known).toEqual([...model].sort(([a], [b]) => a - b));
  expect(docs.filter(({ mergingIds = [] }) => mergingIds.length > 0)).toEqual([]);
  await agreeOnSeals(world, docs);
  await agreeOnWords(world, docs);
  await agreeOnVectors(world, docs);
  const there = new Set(docs.map(({ _id }) => _id));
  for (const tenantId of [1, 2]) {
    for (const { fromMemoryId, toMemoryId, type } of await world.links.of(tenantId).find({}).toArray()) {
      expect(there).toContain(fromMemoryId);
      expect(there).toContain(toMemoryId);
      const to = docs.find(({ _id }) => _id === toMemoryId);
      if (type === 'Supersedes') expect(to?.supersededById).not.toBeNull();
    }
    await agreeOnGraph(world, tenantId, docs);
  }
  for (const { supersededById } of docs) if (supersededById !== null) expect(there).toContain(supersededById);
}

/** What is asked for is encrypted, nothing besides, and no word of it is stored anywhere. */
async function agreeOnSeals(world: World, docs: readonly MemoryDoc[]): Promise<void> {
  const stored = new Map((await world.raw.find({}).toArray()).map((one) => [one._id, one]));
  const asked = new Map<number, boolean>();
  for (const { _id, tenantId, identityId, content, title } of docs) {
    if (!asked.has(identityId)) asked.set(identityId, await world.isAsked(tenantId, identityId));
    const isSealed = asked.get(identityId) === true;
    expect(stored.get(_id)?.sealedBy ?? null).toBe(isSealed ? vault.keyId : null);
    expect(stored.get(_id)?.content === content && stored.get(_id)?.title === title).toBe(!isSealed);
    for (const word of isSealed ? vocabulary.slice(0, 5) : [])
      expect(JSON.stringify(stored.get(_id)?.edits ?? [])).not.toContain(word);
  }
}

/** Words of a memory as they are stored. */
const storedWords = (doc: MemoryDoc) => {
  const counts = countsOf(memoriesKind.textOf(doc));
  if (!doc.sealedBy) return counts;
  return new Map([...counts].map(([word, count]) => [vault.digest(doc.tenantId, word), count]));
};

/** Entities are those that texts name, which name no others. */
async function agreeOnGraph({ mentions, nodes, edges }: World, tenantId: number, docs: readonly MemoryDoc[]) {
  const named = await mentions.of(tenantId).find({}).toArray();
  const entities = await nodes.of(tenantId).find({}).toArray();
  const said = [
    ...new Set(named.map(({ memoryId, nodeId }) => `${memoryId} ${entities.find(({ _id }) => _id === nodeId)?.name}`)),
  ];
  const wanted = docs
    .filter((doc) => doc.tenantId === tenantId && doc.archivedAt === null && !doc.sealedBy)
    .flatMap((doc) => extract(`${doc.title}.\n${doc.content}`).entities.map(({ name }) => `${doc._id} ${name}`));
  expect(said.sort()).toEqual(wanted.sort());
  for (const { _id, mentionCount } of entities)
    expect(mentionCount).toBe(named.filter(({ nodeId }) => nodeId === _id).length);
  expect(entities.filter(({ mentionCount, degree }) => mentionCount + degree === 0)).toEqual([]);
  expect(await edges.of(tenantId).find({}).toArray()).toEqual([]);
}

async function agreeOnWords({ indexes }: World, docs: readonly MemoryDoc[]): Promise<void> {
  const wanted = docs.map((doc) => ({
    id: doc._id,
    tenantId: doc.tenantId,
    scopes: memoriesKind.scopesOf(doc),
    counts: sorted(storedWords(doc)),
  }));
  const entries = await indexes.words.scroll(memoriesKind.name, 0, 10_000);
  expect(entries.map((one) => ({ ...one, counts: sorted(one.counts) }))).toEqual(wanted);
  for (const [tenantId, scope, of] of scopesOf(docs)) {
    const lengths = of.map((doc) => [...countsOf(memoriesKind.textOf(doc)).values()].reduce((a, b) => a + b, 0));
    const words = lengths.reduce((a, b) => a + b, 0);
    expect(await indexes.words.sizes(memoriesKind.name, tenantId, [scope])).toEqual({ documents: of.length, words });
    for (const word of new Set(of.flatMap((doc) => [...countsOf(memoriesKind.textOf(doc)).keys()]))) {
      const ask = { tenantId, scopes: [scope], words: [word], limit: 10_000 };
      const hits = await indexes.words.search(memoriesKind.name, ask);
      const holding = of.filter((doc) => countsOf(memoriesKind.textOf(doc)).has(word));
      expect(hits.map(({ id }) => id).sort((a, b) => a - b)).toEqual(holding.map(({ _id }) => _id));
    }
  }
}

async function agreeOnVectors({ indexes }: World, docs: readonly MemoryDoc[]): Promise<void> {
  const { vectors } = indexes;
  const read = docs.filter((doc) => testEmbedder.reads(memoriesKind.textOf(doc)));
  expect(docs.map(({ embeddingModel }) => embeddingModel)).toEqual(
    docs.map((doc) => (read.includes(doc) ? testEmbedder.model : null)),
  );
  const space = { kind: memoriesKind.name, model: testEmbedder.model, dimensions: 16 };
  expect(await vectors.scroll(space, 0, 10_000)).toEqual(
    read.map((doc) => ({ id: doc._id, tenantId: doc.tenantId, scopes: memoriesKind.scopesOf(doc) })),
  );
  for (const [tenantId, scope, of] of scopesOf(read))
    for (const doc of of) {
      const vector = vectorOf(memoriesKind.textOf(doc));
      const hits = await vectors.search(space, { tenantId, scopes: [scope], vector, limit: 10_000 });
      expect(hits.map(({ id }) => id).sort((a, b) => a - b)).toEqual(of.map(({ _id }) => _id));
      // Its own vector is that of its text, so that nothing is nearer.
      expect(hits.find(({ id }) => id === doc._id)?.score).toBeCloseTo(1, 4);
    }
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

/** Each scope with those that are in it. */
function scopesOf(docs: readonly MemoryDoc[]): [tenantId: number, scope: string, docs: MemoryDoc[]][] {
  const all = new Map<string, [number, string, MemoryDoc[]]>();
  for (const doc of docs)
    for (const scope of memoriesKind.scopesOf(doc)) {
      const key = `${doc.tenantId} ${scope}`;
      const one = all.get(key) ?? [doc.tenantId, scope, []];
      one[2].push(doc);
      all.set(key, one);
    }
  return [...all.values()];
}
