// A hundred runs in trees while the server is killed twenty times: nothing lost, nothing done twice, nothing overspent.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentEventDto, type AgentRunDto, type Client, createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { killsOf, randomOf } from '../support/seed.ts';
import { type Forest, plant, shape, tightTrees } from './forest.ts';

const kills = killsOf(20);
const seed = 20_261_121;
/** Tokens of an ample pool, and of one that the work does not fit into. */
const pools = { ample: 200_000_000, tight: 30_000 };

let model: FakeServer;
let server: ChildServer;
let client: Client;
let forest: Forest;

beforeAll(async () => {
  model = await startFakeServer();
  forest = plant(model, seed);
  server = await createChildServer(environmentOf(model));
  await server.start();
  client = createClient({ baseUrl: server.baseUrl, token: server.key });
});
afterAll(async () => {
  await server.close();
  await model.close();
});

const listAll = async (query: object): Promise<AgentRunDto[]> => {
  const found: AgentRunDto[] = [];
  for (let page = 1; ; page++) {
    const { items, hasNextPage } = await client.agentRuns.list({ query: { ...query, page, pageSize: 200 } });
    found.push(...items);
    if (!hasNextPage) return found;
  }
};

async function logOf(runId: number): Promise<AgentEventDto[]> {
  const events: AgentEventDto[] = [];
  for (;;) {
    const afterSeq = events.length;
    const more = await client.agentRuns.events({ params: { runId }, query: { afterSeq, limit: 1000 } });
    if (more.length === 0) return events;
    events.push(...more);
  }
}

/** Follows a run through every crash and beyond its end, since notes still come then; what it was shown must be there. */
function watch(runId: number) {
  const shown: AgentEventDto[] = [];
  const stream = client.stream(`run:${runId}`, { cursor: '0', follow: true });
  const done = (async () => {
    for await (const event of stream) if (event.type === 'run.event') shown.push(event.data as AgentEventDto);
  })();
  const stop = () => {
    stream.close();
    return done;
  };
  return { runId, shown, stop };
}

/** Writes notes of a person until stopped; only those that were acknowledged count. */
function write(runIds: number[]) {
  const acknowledged: { runId: number; id: number }[] = [];
  let stopped = false;
  const done = (async () => {
    for (let at = 0; !stopped; at++) {
      const runId = runIds[at % runIds.length] ?? 0;
      const body = { content: `from outside ${at}` };
      const note = await client.agentNotes.create({ params: { runId }, body }).catch(() => null);
      if (note) acknowledged.push({ runId, id: note.id });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  const stop = () => {
    stopped = true;
    return done;
  };
  return { acknowledged, stop };
}

/** Those whose pool is too small stop when it is used up. */
const children = Array.from({ length: shape.trees }, (_, tree) => tree)
  .filter((tree) => !tightTrees.includes(tree))
  .flatMap((tree) => Array.from({ length: shape.children }, (_, at) => `Child ${tree}-${at}`));
const hasMoved = (goal: string, before: ReadonlyMap<string, number>) =>
  (forest.turns.get(goal) ?? -1) > (before.get(goal) ?? -1);

async function killAndStart(times: number) {
  const random = randomOf(seed + 1);
  let done = 0;
  for (; done < times; done++) {
    const before = new Map(forest.turns);
    await model.arrived(model.requests.length + 50 + Math.floor(random() * 100));
    // A run that never finishes a step is quarantined for it, and a slow machine is no fault: every other kill waits.
    if (done % 2 === 1) await expect.poll(() => children.filter((goal) => !hasMoved(goal, before))).toEqual([]);
    await server.kill();
    await server.start();
    console.info(`kill ${done + 1} after ${model.requests.length} requests`);
  }
  return done;
}

async function untilEnded(ids: readonly number[], statuses: readonly string[]) {
  for (const id of ids) {
    let run = await client.agentRuns.wait({ params: { id }, query: { timeoutMs: 1000 } });
    while (!statuses.includes(run.status))
      run = await client.agentRuns.wait({ params: { id }, query: { timeoutMs: 1000 } });
  }
}

it('all runs end rightly', async () => {
  const isTight = (tree: number) => tightTrees.includes(tree);
  const roots: AgentRunDto[] = [];
  for (let tree = 0; tree < shape.trees; tree++) {
    const poolTokenBudget = isTight(tree) ? pools.tight : pools.ample;
    const limits = { maxTokens: 50_000_000, poolIterationBudget: 100_000 };
    const body = { goal: `Root ${tree}`, autoStart: true, poolTokenBudget, ...limits };
    roots.push(await client.agentRuns.create({ body }));
  }
  const ids = roots.map((run) => run.id);
  const watchers = [0, 5, 10].map((tree) => watch(ids[tree] ?? 0));
  const writer = write(ids);
  expect(await killAndStart(kills)).toBe(kills);
  Object.assign(forest, { pace: 5, ending: true });

  await untilEnded(ids, ['Completed', 'Failed', 'Cancelled', 'TimedOut', 'BudgetExhausted']);
  // What the model server sold to a tree never exceeds its pool, however often the server died in between.
  for (const tree of tightTrees) {
    const id = ids[tree] ?? 0;
    expect(forest.sold.get(tree)).toBeLessThanOrEqual(pools.tight);
    expect((await client.agentRuns.get({ params: { id } })).status).toBe('BudgetExhausted');
    await client.agentRuns.pool({ params: { id }, body: { addTokens: pools.ample, resume: true } });
  }
  await untilEnded(ids, ['Completed', 'Failed', 'Cancelled', 'TimedOut']);
  await writer.stop();
  for (const { runId, shown } of watchers)
    await expect.poll(async () => (await logOf(runId)).length - shown.length).toBeLessThan(5);
  await Promise.all(watchers.map((one) => one.stop()));

  const runs = await listAll({});
  expect(runs).toHaveLength(shape.trees * (1 + shape.children));
  expect(runs.filter((run) => run.status !== 'Completed').map((run) => `${run.goal}: ${run.failureReason}`)).toEqual(
    [],
  );
  for (const run of runs) await checkRun(run, writer.acknowledged);
  for (const root of await listAll({ rootsOnly: true })) checkPool(root, runs);
  for (const { runId, shown } of watchers) await checkShown(runId, shown);
  expect(writer.acknowledged.length).toBeGreaterThan(kills);
  expect(Object.keys(forest.faults).sort()).toEqual(['cut at once', 'cut in the middle', 'error', 'rate limit']);
  console.info({ kills, requests: model.requests.length, faults: forest.faults, notes: writer.acknowledged.length });
});

/** Every call of a run took effect once; its log has no gap and says each thing once. */
async function checkRun(run: AgentRunDto, acknowledged: readonly { runId: number; id: number }[]) {
  const params = { runId: run.id };
  const query = { pageSize: 200, sort: 'id' as const };
  const notes = await client.agentNotes.list({ params, query });
  const own = notes.items.filter((note) => note.type !== 'Operator').map((note) => note.content);
  const isChild = run.parentRunId !== null;
  const written = forest.notes.get(run.goal) ?? 0;
  expect(written).toBeGreaterThanOrEqual(isChild ? shape.leastNotes : 0);
  expect(own).toEqual(Array.from({ length: written }, (_, at) => `step ${at}`));
  const tasks = await client.agentTasks.list({ params, query: { pageSize: 200 } });
  expect(tasks.totalCount).toBe(Math.ceil(written / 10));

  const log = await logOf(run.id);
  expect(log.map((event) => event.seq)).toEqual(log.map((_, at) => at + 1));
  expect(log).toHaveLength(run.eventCount);
  const finished = log.filter((event) => event.type === 'ToolCallCompleted').map((event) => event.toolCallId);
  expect(new Set(finished).size).toBe(finished.length);
  expect(log.filter((event) => event.type === 'RunCompleted')).toHaveLength(1);
  expect(log.filter((event) => event.type === 'ChildCompleted')).toHaveLength(run.childRunCount);

  const mine = acknowledged.filter((one) => one.runId === run.id);
  const kept = new Set<number>();
  for (let page = 1; ; page++) {
    const all = await client.agentNotes.list({ params, query: { ...query, page, type: 'Operator' } });
    for (const note of all.items) kept.add(note.id);
    if (!all.hasNextPage) break;
  }
  expect(mine.filter((one) => !kept.has(one.id))).toEqual([]);
}

/** What the pool counts is what its runs used and what calls that died with the server might have cost. */
function checkPool(root: AgentRunDto, runs: readonly AgentRunDto[]) {
  const tree = runs.filter((run) => run.id === root.id || run.parentRunId === root.id);
  expect(tree).toHaveLength(1 + shape.children);
  const used = tree.reduce((sum, run) => sum + run.tokensUsed, 0);
  expect(root.totalTokensWithChildren).toBe(used);
  expect(root.poolTokensUsed).toBeGreaterThanOrEqual(forest.sold.get(Number(root.goal.split(' ')[1])) ?? 0);
  expect(root.poolTokensUsed).toBeLessThanOrEqual(root.poolTokenBudget);
}

/** A watcher was shown every event once, in order, and none that is not in the log. */
async function checkShown(runId: number, shown: readonly AgentEventDto[]) {
  const log = await logOf(runId);
  expect(shown.map((event) => event.seq)).toEqual(log.slice(0, shown.length).map((event) => event.seq));
  expect(shown).toEqual(log.slice(0, shown.length));
  expect(shown.length).toBeGreaterThan(log.length - 5);
}
