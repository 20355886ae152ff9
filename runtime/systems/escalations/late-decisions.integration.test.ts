// A decision may come at any moment between the question and the rest of the run that asked: it is never lost.
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../model.ts';
import type { Briefings } from '../../ports.ts';
import { hasEnded } from '../../state/run.ts';
import { testTool, turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';
import type { Resolution } from './decisions.ts';

const call = (name: string, more: object = {}) => ({ calls: [{ name, arguments: more }] });
const ask = call('run_escalate', { situation: 'Left or right?' });
const scripts = {
  question: turns(ask, { text: 'end' }),
  'question that a supervisor looks at': (request: ModelRequest) =>
    request.purpose === 'Supervisor'
      ? { text: '{"decision":"left","confidence":0.1}', delayMs: 10 }
      : turns(ask, { text: 'end' })(request),
  approval: turns(call('deploy'), { text: 'end' }),
  'approval after a pause': turns(call('deploy'), { text: 'end' }),
  'question beside another call': turns({ calls: [...ask.calls, ...call('step').calls] }, { text: 'end' }),
  'question from outside': turns({ ...call('step'), delayMs: 10 }, { ...call('step'), delayMs: 10 }, { text: 'end' }),
  circles: (request: ModelRequest) =>
    JSON.stringify(request.messages).includes('Ann') ? { text: 'end' } : call('step'),
};
const supervised: Briefings = {
  prepare: async () => ({ system: 's', supervisor: { modelId: 'scripted:boss', autoResolveConfidence: 0.8 } }),
};
type Kind = keyof typeof scripts;

interface Play {
  kind: Kind;
  /** Milliseconds from the question to its answer. */
  delayMs: number;
  /** The answer comes through another node. */
  elsewhere: boolean;
  resolution: Resolution;
}

/** Plays a run whose every access to the store takes 1 ms; nobody looks for forgotten work for a minute. */
async function play({ kind, delayMs, elsewhere, resolution }: Play): Promise<string> {
  const deployed: unknown[] = [];
  const world = createWorld({
    script: scripts[kind],
    tools: [
      testTool('step', async () => 'on'),
      testTool('deploy', async (input) => `deployed ${deployed.push(input)}`, { requiresApproval: true }),
    ],
    ...(kind.endsWith('looks at') ? { ports: { briefings: supervised } } : {}),
    shared: true,
    options: { reconcileMs: 60_000, leaseMs: 300_000 },
  });
  const slowly = () => world.clock.sleep(1);
  const asks = await world.boot(undefined, slowly);
  const answers = elsewhere ? await world.boot(undefined, slowly) : asks;
  await world.clock.advance(50);
  let id = 0;
  void asks.engine.create(world.draft({ goal: kind })).then((run) => {
    id = run.id;
  });
  await world.until(() => id > 0, 1000, 1);
  if (kind === 'question from outside') {
    await world.until(() => world.run(id).status === 'Running', 1000, 1);
    void answers.engine.escalate(id, { situation: 'Look at this.' });
  }
  const { escalations } = world.memory.disk;
  await world.until(() => escalations.size > 0, 1000, 1);
  if (kind.endsWith('pause')) {
    await world.until(() => world.run(id).status === 'WaitingForDecision', 1000, 1);
    void answers.engine.pause(id);
    await world.clock.advance(50);
    void answers.engine.resume(id);
    await world.until(() => world.run(id).status === 'Queued', 1000, 1);
  }
  for (let passed = 0; passed < delayMs; passed++) await world.clock.advance(1);
  const asked = [...escalations.keys()][0] as number;
  const answered = answers.engine.resolveEscalation(asked, resolution);
  for (let passed = 0; passed < 1000 && world.run(id).status !== 'Completed'; passed++) await world.clock.advance(1);
  await answered;
  await world.clock.advance(20);
  if (kind.startsWith('approval')) expect(deployed).toHaveLength(resolution.requestRevision ? 0 : 1);
  expect(escalations.get(asked)?.delivered).toBe(true);
  return world.run(id).status;
}

const decided: Resolution = { decision: 'approve', notes: 'says Ann', by: 'Ann' };
const sentBack: Resolution = { ...decided, requestRevision: true };

test.each(Object.keys(scripts) as Kind[])(
  'whenever the answer comes, the run goes on with it: %s',
  async (kind) => {
    const lost: string[] = [];
    // What a supervisor still looks at cannot be sent back.
    for (const resolution of kind.endsWith('looks at') ? [decided] : [decided, sentBack])
      for (const elsewhere of [false, true])
        for (let delayMs = 0; delayMs < 30; delayMs++) {
          const status = await play({ kind, delayMs, elsewhere, resolution });
          const answer = resolution === sentBack ? 'sent back' : 'decided';
          if (status !== 'Completed') lost.push(`${answer} after ${delayMs} ms, elsewhere: ${elsewhere}: ${status}`);
        }
    expect(lost).toEqual([]);
  },
  60_000,
);

test.each([decided, sentBack])(
  'an answer outlives the node that took it, whatever write it died at',
  async (answer) => {
    for (const applied of [false, true])
      for (let write = 2; write <= 8; write++) {
        const world = createWorld({ script: scripts.question, shared: true });
        const asks = await world.boot();
        const { id } = await asks.engine.create(world.draft());
        await world.until(() => world.run(id).status === 'WaitingForDecision');
        const { engine } = await world.boot({ write, applied });
        const [asked] = [...world.memory.disk.escalations.values()];
        void engine.resolveEscalation(asked!.id, answer).catch(() => {});
        await world.clock.advance(30_000);
        // Nobody was told that it is decided: the same is asked again.
        if (world.memory.disk.escalations.get(asked!.id)?.status === 'AwaitingHuman')
          await asks.engine.resolveEscalation(asked!.id, answer);
        await world.clock.advance(30_000);
        expect(hasEnded(world.run(id).status), `${write} ${applied}`).toBe(true);
        const results = (world.memory.disk.messages.get(id) ?? []).filter(({ message }) => message.role === 'tool');
        expect(results.map(({ message }) => String(message.content).match(/says Ann/g))).toEqual([['says Ann']]);
      }
  },
);
