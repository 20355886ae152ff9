// Councils on the whole server: statements and votes as they are said, consensus, dissent, and an early end.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openStage, type Part, patience, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const participants = ['Ada', 'Bob', { name: 'Cy', role: 'a sceptic', modelId: 'openai:gpt-4o' }];

/** Each participant by name with what it stands for. */
const council = (positions: Record<string, string>): Record<string, Part> => ({
  'question:': ({ system }) => {
    const name = /You are (\w+)/.exec(system)?.[1] ?? '';
    return { text: [`${name} speaks.\n`, `Position: ${positions[name]}`] };
  },
});

async function hold(goal: string, rounds: number, more: object = {}) {
  const word = goal.split(' ')[0]?.toLowerCase() ?? '';
  stage.cast({
    [word]: [
      { calls: [['council_convene', { question: 'North or south?', participants, rounds }]] },
      { text: ['so be it'] },
    ],
  });
  const run = await stage.start(goal, more);
  return { run, word };
}
const councilsOf = async (runId: number) =>
  (await stage.server.client.agentCouncils.list({ params: { runId }, query: {} })).items;

it('a majority decides, and the dissent is kept', async () => {
  stage.cast(council({ Ada: 'North', Bob: 'north.', Cy: 'South' }));
  const { run, word } = await hold('Majority of three', 2);
  await stage.end(run.id);
  const [held] = await councilsOf(run.id);
  expect(held).toMatchObject({ runId: run.id, question: 'North or south?', rounds: 2, status: 'Consensus' });
  expect(await stage.server.client.agentCouncils.get({ params: { id: held?.id ?? 0 } })).toEqual(held);
  const outcome = JSON.parse(held?.consensusJson ?? '');
  expect(outcome).toMatchObject({ decision: expect.stringMatching(/north/i), dissent: [{ participant: 'Cy' }] });
  expect(outcome.dissent[0]).toMatchObject({ vote: 'South', reason: expect.stringContaining('Cy speaks.') });
  expect(outcome.votes).toHaveLength(3);
  expect(JSON.parse(stage.scenes(word)[1]?.results[0] ?? '')).toMatchObject({ status: 'Consensus', outcome });
  const log = await stage.log(run.id);
  const count = (type: string) => log.filter((one) => one === type).length;
  const counted = ['CouncilConvened', 'CouncilStatement', 'CouncilVote', 'CouncilConcluded'].map(count);
  expect(counted).toEqual([1, 6, 3, 1]);
  const asked = stage.model.requests.filter(({ body }) => JSON.stringify(body.messages).includes('You are Cy'));
  expect(asked.map(({ body }) => body.model)).toEqual(['gpt-4o', 'gpt-4o', 'gpt-4o']);
  const ended = await stage.server.client.agentRuns.get({ params: { id: run.id } });
  expect(ended.tokensUsed).toBe(15 * (2 + 9));
});

it('a debate tells who held what in each round, whose mind changed, and what the minority says; so does the report', async () => {
  let heard = 0;
  stage.cast({
    'question:': ({ system }) => {
      const name = /You are (\w+)/.exec(system)?.[1] ?? '';
      const isFirst = heard++ < 3;
      const position = name === 'Cy' ? '`South`' : name === 'Bob' && isFirst ? 'South' : 'North';
      return { text: [`${name} speaks.\n`, `Position: ${position}`] };
    },
  });
  const { run } = await hold('Debate of three', 1);
  await stage.end(run.id);
  const [held] = await councilsOf(run.id);
  const debate = await stage.server.client.agentCouncils.debate({ params: { id: held?.id ?? 0 } });
  expect(debate).toMatchObject({ council: held, votesNeeded: 2, silences: [], rootRunId: run.id });
  const at = (round: number) =>
    Object.fromEntries(
      debate.statements
        .filter((one) => one.round === round)
        .map((one) => [one.participantName, [one.positionKey, one.changedFrom]]),
    );
  expect(at(1)).toEqual({ Ada: ['north', null], Bob: ['south', null], Cy: ['south', null] });
  expect(at(2)).toEqual({ Ada: ['north', null], Bob: ['north', 'South'], Cy: ['south', null] });
  expect(debate.phases.map((one) => one.status)).toEqual(['Convening', 'Deliberating', 'Voting', 'Consensus']);
  const { decision, tally, dissent } = debate.outcome ?? {};
  expect([decision, tally?.map((one) => [one.key, one.participants.length])]).toEqual([
    'North',
    [
      ['north', 2],
      ['south', 1],
    ],
  ]);
  expect(dissent).toEqual([{ participant: 'Cy', vote: 'South', reason: expect.stringContaining('Cy speaks.') }]);

  const file = async (format: 'Json' | 'Markdown') =>
    (await stage.server.client.agentRuns.export({ params: { id: run.id }, query: { format } })).text();
  expect(JSON.parse(await file('Json')).councils).toEqual([debate]);
  const report = await file('Markdown');
  expect(report).toContain('- ` Bob `: ` North `, changed from ` South `');
  expect(report).toMatch(/#### Dissent of ` Cy `\n\n- Votes for: ` South `\n\n```text\nCy speaks\./);
});

it('statements reach those who watch, in order, each once', async () => {
  stage.cast(council({ Ada: 'East', Bob: 'West', Cy: 'South' }));
  const { run } = await hold('Split of three', 1);
  await stage.end(run.id);
  const seen: string[] = [];
  const signal = AbortSignal.timeout(60_000);
  for await (const event of stage.server.client.stream(`run:${run.id}`, { cursor: '0', signal })) {
    if (event.type === 'council.statement') seen.push(`${event.data.kind} ${event.data.participantName}`);
    if (event.type === 'run.ended') break;
  }
  const of = (kind: string) => ['Ada', 'Bob', 'Cy'].map((name) => `${kind} ${name}`);
  expect(seen.slice(0, 3).sort()).toEqual(of('Opening'));
  expect(seen.slice(3).sort()).toEqual(of('Vote'));
  const [held] = await councilsOf(run.id);
  expect(held?.status).toBe('NoConsensus');
  expect(JSON.parse(held?.consensusJson ?? '')).toMatchObject({ decision: null, dissent: [{}, {}, {}] });
});

it('agreement ends it early', async () => {
  stage.cast(council({ Ada: 'North', Bob: 'North', Cy: 'North' }));
  const { run } = await hold('Unanimous at once', 5);
  await stage.end(run.id);
  expect(await councilsOf(run.id)).toMatchObject([{ status: 'Consensus' }]);
  expect((await stage.log(run.id)).filter((type) => type === 'CouncilStatement')).toHaveLength(6);
});

it('an empty pool fails the council, not the server', async () => {
  stage.cast({
    ...council({ Ada: 'North', Bob: 'North', Cy: 'North' }),
    poor: [
      {
        calls: [['council_convene', { question: 'North or south?', participants, rounds: 2 }]],
        usage: { prompt: 8500, completion: 400 },
      },
    ],
  });
  const run = await stage.start('Poor and thrifty', { maxTokens: 9000, poolTokenBudget: 9000 });
  const { poolTokensUsed } = await stage.until(run.id, 'BudgetExhausted');
  expect(poolTokensUsed).toBe(8900);
  expect(await councilsOf(run.id)).toMatchObject([{ status: 'Failed' }]);
});

it('cancel of its run cancels the council', async () => {
  stage.cast({ 'question:': [{ text: ['I ', 'think'], stallAfter: 1 }] });
  const { run } = await hold('Cancelled in between', 2);
  await vi.waitFor(async () => expect((await councilsOf(run.id))[0]?.status).toBe('Deliberating'), patience);
  await stage.server.client.agentRuns.cancel({ params: { id: run.id } });
  expect((await stage.end(run.id)).status).toBe('Cancelled');
  await vi.waitFor(async () => expect((await councilsOf(run.id))[0]?.status).toBe('Cancelled'), patience);
});
