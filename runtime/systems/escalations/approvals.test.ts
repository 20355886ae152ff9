// Who refuses in whatever words is obeyed: only the word itself lets a tool call be made.
import { expect, test } from 'vitest';
import type { Decision } from '../../records.ts';
import { testTool, turns } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const script = turns({ calls: [{ name: 'deploy', arguments: { value: 1 } }] }, { text: 'end' });
const asked = (world: World) => [...world.memory.disk.escalations.values()].find((one) => one.resolvedAt === null)!;
const answer = (world: World, id: number) =>
  (world.memory.disk.messages.get(id) ?? []).flatMap(({ message }) => (message.role === 'tool' ? [message] : []))[0];

function approvalWorld(more: Parameters<typeof createWorld>[0] = {}) {
  const made: unknown[] = [];
  const deploy = testTool('deploy', async (input) => `deployed ${made.push(input)}`, { requiresApproval: true });
  return { made, world: createWorld({ script, tools: [deploy], ...more }) };
}

const refusals = [
  'Do not run this!',
  'stop',
  'never',
  "Don't",
  'wait for Bob',
  'approve nothing of this',
  'approved by nobody',
  'not approved',
  'disapprove',
  'hold on',
  'yes, but not today',
  '👎',
];

test.each(refusals)('"%s" refuses the call, and the agent is told in these words', async (decision) => {
  const { made, world } = approvalWorld();
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  await engine.resolveEscalation(asked(world).id, { decision, by: 'Ann', notes: 'Ask me on Monday.' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(made).toEqual([]);
  expect(answer(world, id)).toMatchObject({ isError: true });
  expect(JSON.parse(answer(world, id)!.content)).toMatchObject({
    outcome: 'rejected',
    decision,
    notes: 'Ask me on Monday.',
  });
});

test.each(['approve', 'Approved.', ' APPROVE '])('"%s" lets the call be made', async (decision) => {
  const { made, world } = approvalWorld();
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  await engine.resolveEscalation(asked(world).id, { decision, by: 'Ann' });
  await world.until(() => world.run(id).status === 'Completed');
  expect(made).toHaveLength(1);
});

test('an approval that runs out of time is a refusal, whatever its policy recommends', async () => {
  for (const timeoutAction of ['Proceed', 'UseRecommendation'] as const) {
    const { made, world } = approvalWorld();
    const { engine, store } = await world.boot();
    const { id } = await engine.create(world.draft());
    await world.until(() => world.run(id).status === 'WaitingForDecision');
    const timeoutAt = world.clock.now() + 1000;
    await store.escalations.update(asked(world).id, () => ({
      timeoutAt,
      timeoutAction,
      supervisorRecommendation: 'approve',
    }));
    await world.until(() => world.run(id).status === 'Completed');
    expect(made).toEqual([]);
    expect(answer(world, id)!.content).toContain('Nobody approved it in time.');
  }
});

test('a supervisor that is sure of something else than yes or no leaves the call to people', async () => {
  const supervisor = { modelId: 'scripted:boss', autoResolveConfidence: 0.5 };
  const { made, world } = approvalWorld({
    script: (request) =>
      request.purpose === 'Supervisor'
        ? { text: '{"decision": "Only on the test server", "confidence": 1}' }
        : script(request),
    ports: { briefings: { prepare: async () => ({ system: 'You are an agent.', supervisor }) } },
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  expect(asked(world)).toMatchObject({
    status: 'AwaitingHuman',
    supervisorRecommendation: 'Only on the test server',
  });
  expect(made).toEqual([]);
});

test('a chat is told of a refusal in the same words', async () => {
  const told: Decision[] = [];
  const chatDecisions = async ({ decision }: { decision: Decision }) => told.push(decision) > 0;
  const { world } = approvalWorld({ ports: { chatDecisions } });
  const { engine } = await world.boot();
  for (const decision of ['never', 'approve']) {
    const escalationId = await engine.nextEscalationId();
    await engine.askForChat({
      escalationId,
      tenantId: 1,
      chatSessionId: 7,
      projectId: null,
      identityId: 1,
      callKey: `chat:1:0:${decision}`,
      tool: testTool('deploy', async () => ''),
      argumentsJson: '{}',
    });
    await engine.resolveEscalation(escalationId, { decision, by: 'Ann' });
  }
  expect(told.map(({ outcome, decision }) => [outcome, decision])).toEqual([
    ['rejected', 'never'],
    ['approved', 'approve'],
  ]);
});
