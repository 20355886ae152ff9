// Random trees of runs under random crashes, stops and budget changes, on a simulated clock: what must hold always
// holds.
import fc from 'fast-check';
import { expect } from 'vitest';
import { Fault } from '../../src/kernel/fault.ts';
import type { ModelRequest } from '../model.ts';
import { hasEnded } from '../state/run.ts';
import type { TreeRecord } from '../state/tree.ts';
import { judge } from './judge.ts';
import type { ScriptedTurn } from './scripted-model.ts';
import { effectTool, turnOf } from './tools.ts';
import { createWorld, type Node, type World } from './world.ts';

/** A hash in [0, 1), so that a run's acts depend only on the seed and its place. */
function chance(...parts: (string | number)[]): number {
  let hash = 2_166_136_261;
  for (const char of parts.join('/')) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 2_246_822_507);
  hash ^= hash >>> 13;
  return (hash >>> 0) / 2 ** 32;
}

/** Script of a run: it works, spawns, joins, fails now and then, and ends some time. */
function script(seed: number) {
  return (request: ModelRequest, call: number): ScriptedTurn => {
    const turn = turnOf(request);
    const dice = (what: string) => chance(seed, request.runId ?? 0, turn, what);
    const base = { delayMs: Math.floor(dice('delay') * 400), promptTokens: 50 + turn * 20, completionTokens: 30 };
    const trouble = chance(seed, call, 'trouble');
    if (trouble < 0.05) return { ...base, error: new Fault('RATE_LIMITED', 'Slow down.', { retryAfterSeconds: 1 }) };
    if (trouble < 0.1) return { ...base, error: new Fault('PROVIDER_ERROR', 'The stream was cut.') };
    if (turn >= 2 + dice('length') * 4) return { ...base, text: `Result of ${request.runId}.` };
    const calls: NonNullable<ScriptedTurn['calls']> = [];
    const many = 1 + Math.floor(dice('many') * 3);
    for (let at = 0; at < many; at++) {
      const kind = dice(`kind${at}`);
      if (kind < 0.35) calls.push({ name: 'effect', arguments: { value: turn * 10 + at }, id: `t${turn}c${at}` });
      else if (kind < 0.6) {
        calls.push({
          name: 'run_spawn',
          arguments: { goal: `part ${turn}.${at}`, wait: dice(`wait${at}`) < 0.4 },
          id: `t${turn}c${at}`,
        });
      } else if (kind < 0.8) {
        const mode = ['all', 'any', 'first'][Math.floor(dice(`mode${at}`) * 3)];
        calls.push({ name: 'run_join', arguments: { mode }, id: `t${turn}c${at}` });
      } else calls.push({ name: 'run_progress', arguments: { summary: `turn ${turn}` }, id: `t${turn}c${at}` });
    }
    return { ...base, calls };
  };
}

const action = fc.record({
  what: fc.constantFrom('cancel', 'pause', 'resume', 'pool', 'message', 'kill', 'kill', 'wait'),
  afterMs: fc.integer({ min: 1, max: 900 }),
  run: fc.nat(20),
  write: fc.integer({ min: 1, max: 120 }),
  applied: fc.boolean(),
});
const scenario = fc.record({
  seed: fc.nat(),
  tokenBudget: fc.integer({ min: 3000, max: 60_000 }),
  trees: fc.integer({ min: 1, max: 3 }),
  /** Concurrent engines on one store. */
  nodes: fc.constantFrom(1, 1, 2),
  actions: fc.array(action, { maxLength: 14 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

/** Tokens of a tree's runs, as the provider counted them. */
const spentBy = (world: World, tree: TreeRecord) =>
  [...tree.members].reduce((sum, [id]) => sum + (world.model.spentByRun.get(id) ?? 0), 0);

const onlyFaults = (error: unknown) => {
  if (!(error instanceof Fault)) throw error;
};

async function play({ seed, tokenBudget, trees, nodes: width, actions }: Scenario) {
  const wrongs: string[] = [];
  const effect = effectTool(
    () => world,
    (key) => wrongs.push(`finished call ${key} was repeated`),
    (key, signal) => world.clock.sleep(chance(seed, key) * 100, signal),
  );
  let draws = 0;
  const world: World = createWorld({
    script: script(seed),
    ports: { random: () => chance(seed, draws++, 'jitter') },
    tools: [effect],
    limits: { contextTokens: 100_000, maxOutputTokens: 400 },
    shared: width > 1,
    options: { maxCrashes: 1000, maxTreeRuns: 12, maxSpawnDepth: 3, maxModelFailures: 1000 },
  });
  let yields = seed;
  const latency = () => {
    yields = (Math.imul(yields, 1_103_515_245) + 12_345) >>> 0;
    let wait = Promise.resolve();
    for (let left = yields % 4; left > 0; left--) wait = wait.then(() => {});
    return yields % 3 === 0 ? undefined : wait;
  };
  const check = () => {
    for (const tree of world.memory.disk.trees.values()) {
      const held = Object.values(tree.holds).reduce((sum, hold) => sum + hold.tokens, 0);
      if (tree.tokensUsed + held > tree.tokenBudget)
        wrongs.push(`tree ${tree.id} overspent: ${tree.tokensUsed}+${held}/${tree.tokenBudget}`);
      const counted = spentBy(world, tree);
      if (counted > tree.tokenBudget) wrongs.push(`the provider counted ${counted} of ${tree.tokenBudget}`);
    }
    for (const run of world.memory.disk.runs.values()) {
      const parent = world.memory.disk.runs.get(run.parentRunId ?? 0);
      if (!parent || !hasEnded(parent.status) || hasEnded(run.status) || parent.duties.includes('stop-children'))
        continue;
      const stop = world.memory.disk.trees.get(run.rootRunId)?.members.get(run.id)?.stop;
      if (stop !== 'cancel')
        wrongs.push(`run ${run.id} goes on for its parent ${parent.id}, which is ${parent.status}`);
    }
  };
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 20) {
      await world.clock.advance(Math.min(20, left));
      check();
    }
  };

  const nodes: Node[] = [];
  for (let at = 0; at < width; at++) nodes.push(await world.boot(undefined, latency));
  let node = nodes[0]!;
  const roots: number[] = [];
  for (let at = 0; at < trees; at++) {
    const run = await node.engine.create(
      world.draft({ poolTokenBudget: tokenBudget, maxTokens: 20_000, goal: `root ${at}` }),
    );
    roots.push(run.id);
  }
  for (const one of actions) {
    await pass(one.afterMs);
    const at = one.run % width;
    node = nodes[at]!;
    const ids = [...world.memory.disk.runs.keys()];
    const target = ids[one.run % ids.length]!;
    const attempt = (work: Promise<unknown>) =>
      void work.catch((error) => {
        if (!(error instanceof Fault)) wrongs.push(String(error));
      });
    if (one.what === 'kill' || node.store.dead) {
      node.store.die();
      node = await world.boot({ write: one.write, applied: one.applied }, latency);
      nodes[at] = node;
    } else if (one.what === 'cancel') attempt(node.engine.cancel(target, { cascade: one.applied }));
    else if (one.what === 'pause') attempt(node.engine.pause(target));
    else if (one.what === 'resume') attempt(node.engine.resume(target));
    else if (one.what === 'pool') attempt(node.engine.changePool(target, { addTokens: 3000, resume: true }));
    else if (one.what === 'message')
      attempt(node.engine.deliverMessage(target, { text: 'hello', key: `m${one.write}` }));
  }
  // In the end one healthy node is left, and every question to people gets its answer.
  for (const one of nodes) one.store.die();
  node = await world.boot(undefined, latency);
  for (let round = 0; round < 60; round++) {
    await pass(2000);
    const open = [...world.memory.disk.runs.values()].filter((run) => !hasEnded(run.status));
    if (open.length === 0) break;
    for (const run of open) {
      if (run.status === 'Paused') await node.engine.resume(run.id).catch(onlyFaults);
      if (run.status === 'BudgetExhausted') {
        if (run.exhausted === 'run') await node.engine.cancel(run.id).catch(onlyFaults);
        else await node.engine.changePool(run.id, { addTokens: 50_000, resume: true });
      }
      for (const one of await node.store.escalations.ofRun(run.id)) {
        if (one.status === 'AwaitingHuman')
          await node.engine.resolveEscalation(one.id, { decision: 'continue', by: 'Ann' });
      }
    }
  }
  await pass(5000);
  for (const tree of world.memory.disk.trees.values()) {
    const counted = spentBy(world, tree);
    if (counted > tree.tokensUsed) wrongs.push(`tree ${tree.id} paid ${tree.tokensUsed} of ${counted} tokens`);
  }
  return { world, wrongs, roots };
}

/** Plays random scenarios, `numRuns` of them or until the time limit; returns how many were played. */
export async function checkInterleavings(numRuns: number, limitMs?: number): Promise<number> {
  let played = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (one) => {
      const { world, wrongs, roots } = await play(one);
      expect(wrongs).toEqual([]);
      judge(world, roots);
      played += 1;
    }),
    { numRuns, endOnFailure: true, ...(limitMs !== undefined && { interruptAfterTimeLimit: limitMs }) },
  );
  return played;
}
