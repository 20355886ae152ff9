// CPU of a child in trees of several widths, engine and embedded store in one process, interleaved rounds:
// `tsx bench/engine/trees.ts --widths 10,1000`.
import { parseArgs } from 'node:util';
import { createEngine, type Engine } from '../../runtime/engine.ts';
import type { ModelRequest } from '../../runtime/model.ts';
import { createScriptedModel, type ScriptedTurn } from '../../runtime/testing/scripted-model.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { fixed, median } from '../report.ts';
import { openStore } from './stores.ts';

const { values } = parseArgs({
  options: {
    widths: { type: 'string', default: '10,1000' },
    /** Children of a round, in as many trees as that takes. */
    children: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
  },
});
const widths = values.widths.split(',').map(Number);
const [children, rounds] = [Number(values.children), Number(values.rounds)];
let width = 0;
const turnOf = (request: ModelRequest) => request.messages.filter((one) => one.role === 'assistant').length;
const isChild = ({ messages }: ModelRequest) => JSON.stringify(messages.slice(0, 2)).includes('be the child');

/** The root spawns all of its children in one turn and joins them in the next; a child has two turns. */
function script(request: ModelRequest): ScriptedTurn {
  const turn = turnOf(request);
  if (isChild(request))
    return turn === 0
      ? { calls: [{ name: 'run_progress', arguments: { summary: 'half' } }] }
      : { text: 'Done, and this is what came out of it.' };
  if (turn === 0)
    return {
      calls: Array.from({ length: width }, (_, at) => ({
        name: 'run_spawn',
        arguments: { goal: `be the child ${at}` },
      })),
    };
  return turn === 1 ? { calls: [{ name: 'run_join', arguments: {} }] } : { text: 'All done.' };
}

async function growTree(engine: Engine): Promise<void> {
  const budget = { maxTokens: 1e8, contextBudgetTokens: 1e7, poolIterationBudget: 1e6, poolTokenBudget: 1e9 };
  const root = await engine.create({ tenantId: 1, identityId: 1, goal: 'the root', autoStart: true, ...budget });
  const { status, failureReason } = await engine.wait(root.id, 600_000);
  if (status !== 'Completed') throw new Error(`the root is ${status}: ${failureReason}`);
}

const { store, close } = await openStore('embedded');
const model = createScriptedModel(systemClock, script);
/** As in a store that has lived for a while: V8 keeps an object whose keys are small numbers as an array. */
let nextId = 1_000_000;
const engine = createEngine(
  {
    store,
    sink: { publish: () => undefined },
    model,
    clock: systemClock,
    log: silentLogger,
    ids: { next: async () => nextId++ },
  },
  { soleOwner: true, maxTreeRuns: 10_000 },
);
await engine.run();
const found = new Map(widths.map((one) => [one, [] as number[]]));
// The first round is not measured: V8 compiles what is hot.
for (let round = 0; round <= rounds; round++) {
  for (const [one, ms] of found) {
    width = one;
    const trees = Math.max(1, Math.round(children / width));
    const before = process.cpuUsage();
    for (let tree = 0; tree < trees; tree++) {
      await growTree(engine);
      // The scripted model keeps every request for tests.
      model.requests.length = 0;
    }
    const { user, system } = process.cpuUsage(before);
    if (round > 0) ms.push((user + system) / 1000 / (trees * width));
  }
}
for (const [one, ms] of found)
  console.log(
    `width ${one}: ${fixed(median(ms), 2)} ms of CPU a child (${ms.map((each) => fixed(each, 2)).join(', ')})`,
  );
await engine.shutdown();
await close();
