// A hundred runs in trees, as the fake model plays them, with every misbehaviour of a provider; it counts what it sold.
import type { FakeReply, FakeServer } from '../support/openai-server.ts';
import { randomOf } from '../support/seed.ts';
import { type Line, sceneOf, toReply } from '../support/stage.ts';

/** Trees, children a tree, and notes that each child writes at least. */
export const shape = { trees: 20, children: 4, leastNotes: 10 };
/** These trees get a pool that is too small. */
export const tightTrees = [3, 8, 13, 18];
/** What each answer costs, also one that is cut. */
const usage = { prompt: 400, completion: 40 };

export interface Forest {
  /** Tokens sold to a tree. */
  sold: Map<number, number>;
  /** Milliseconds between two pieces of an answer, on average. */
  pace: number;
  /** Misbehaviours so far, by kind. */
  faults: Record<string, number>;
  /** Until it is set, every child writes one note after the other. */
  ending: boolean;
  /** Notes that a child has written when it ends, by its goal. */
  notes: Map<string, number>;
  /** The turn that a child asked for last, by its goal. */
  turns: Map<string, number>;
}

/** Has the model play roots (`Root 7`) and children (`Child 7-2`). */
export function plant(model: FakeServer, seed: number): Forest {
  const random = randomOf(seed);
  const forest: Forest = { sold: new Map(), pace: 125, faults: {}, ending: false, notes: new Map(), turns: new Map() };
  const inARow = new Map<string, number>();
  let good = 0;
  model.otherwise = (request) => {
    const { goal, turn } = sceneOf(request);
    const tree = Number(/\d+/.exec(goal)?.[0]);
    const fault = misbehaviour(random(), inARow.get(goal) ?? 0, good);
    good = fault && fault.kind !== 'rate limit' ? 0 : good + 1;
    inARow.set(goal, fault ? (inARow.get(goal) ?? 0) + 1 : 0);
    if (fault) forest.faults[fault.kind] = (forest.faults[fault.kind] ?? 0) + 1;
    if (!fault?.reply.status) forest.sold.set(tree, (forest.sold.get(tree) ?? 0) + usage.prompt + usage.completion);
    const line = goal.startsWith('Root') ? rootLine(tree, turn) : childLine(forest, goal, turn);
    return {
      ...toReply(line, turn),
      usage,
      frameDelayMs: Math.floor((0.4 + random() * 1.2) * forest.pace),
      ...fault?.reply,
    };
  };
  return forest;
}

/**
 * At most two in a row for a run, which gives up after five; and what speaks against the provider only after enough good
 * answers, so that its circuit stays closed.
 */
function misbehaviour(chance: number, before: number, good: number): { kind: string; reply: FakeReply } | null {
  if (before >= 2) return null;
  if (chance < 0.02) return { kind: 'rate limit', reply: { status: 429, headers: { 'retry-after': '0' } } };
  if (good < 25) return null;
  if (chance < 0.1) return { kind: 'error', reply: { status: 503 } };
  if (chance < 0.2) return { kind: 'cut at once', reply: { cutAfter: 0 } };
  if (chance < 0.4) return { kind: 'cut in the middle', reply: { cutAfter: 2 } };
  return null;
}

function rootLine(tree: number, turn: number): Line {
  if (turn === 0) {
    const limits = { maxIterations: 10_000, maxTokens: 50_000_000 };
    const goals = Array.from({ length: shape.children }, (_, at) => `Child ${tree}-${at}`);
    return { text: ['I ', 'split ', 'it.'], calls: goals.map((goal) => ['run_spawn', { goal, ...limits }]) };
  }
  if (turn === 1) return { calls: [['run_join', { mode: 'all' }]] };
  return { text: [`root ${tree} `, 'is ', 'done'] };
}

function childLine(forest: Forest, goal: string, turn: number): Line {
  forest.turns.set(goal, turn);
  // One whose last answer was cut asks again at the same turn.
  const ends = forest.notes.has(goal) || (forest.ending && turn >= shape.leastNotes);
  if (ends) forest.notes.set(goal, turn);
  if (ends) return { text: [`${goal.toLowerCase()} `, 'is ', 'done'] };
  const note: [string, object] = ['run_note', { content: `step ${turn}` }];
  // Now and then two calls in one turn, of which a crash may find one made and the other not.
  const task: [string, object] = ['task_create', { title: `task ${turn}` }];
  return { text: ['I ', 'write ', 'it ', 'down.'], calls: turn % 10 === 0 ? [note, task] : [note] };
}
