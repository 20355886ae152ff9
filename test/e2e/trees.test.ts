// Trees of runs on the whole server: spawned by tool and by API, joined, stopped, steered, forked and started again.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStage, patience, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.cast({
    quick: [{ text: ['quick result'] }],
    slow: [{ text: ['slow ', 'result'], frameDelayMs: 300 }],
    broken: [{ calls: [['run_fail', { reason: 'It cannot be done.' }]] }],
    stuck: [{ text: ['never ', 'said'], stallAfter: 1 }],
  });
});
afterAll(() => stage.close());

const api = () => stage.server.client.agentRuns;
const spawn = (goal: string, more: object = {}): [string, object] => ['run_spawn', { goal, ...more }];
const childrenOf = async (id: number, recursive = false) =>
  (await api().children({ params: { id }, query: { recursive, sort: 'id', pageSize: 200 } })).items;

describe('children', () => {
  it('are spawned by tool with the limits of their role, and joined', async () => {
    stage.cast({
      all: [
        { calls: [spawn('Quick one', { role: 'researcher' }), spawn('Slow one', { maxIterations: 3 })] },
        { calls: [['run_join', { mode: 'all' }]] },
        { text: ['all here'] },
      ],
    });
    const root = await stage.start('All of them', { role: 'planner' });
    const ended = await stage.end(root.id);
    expect(ended).toMatchObject({
      status: 'Completed',
      progressSummary: 'all here',
      childRunCount: 2,
      role: 'planner',
    });
    const [quick, slow] = await childrenOf(root.id);
    const roles = await stage.server.client.agentRoles.list({ query: {} });
    const limits = roles.items.find((role) => role.name === 'researcher');
    expect(quick).toMatchObject({
      role: 'researcher',
      roleDefinitionId: limits?.id,
      maxIterations: limits?.defaultMaxIterations,
      parentRunId: root.id,
      spawnDepth: 1,
      status: 'Completed',
    });
    expect(slow).toMatchObject({ role: 'planner', maxIterations: 3 });
    const joined = JSON.parse(stage.scenes('all')[2]?.results.at(-1) ?? '');
    expect(joined.children).toEqual([
      { runId: quick?.id, status: 'Completed', summary: 'quick result' },
      { runId: slow?.id, status: 'Completed', summary: 'slow result' },
    ]);
    const total = [ended, quick, slow].reduce((sum, run) => sum + (run?.tokensUsed ?? 0), 0);
    expect(ended).toMatchObject({ totalTokensWithChildren: total, poolTokensUsed: total, poolIterationsUsed: 5 });
  });

  it.each([
    ['any', { mode: 'any' }, 1],
    ['the first two', { mode: 'first', count: 2 }, 2],
  ])('are joined when %s is there; the others come by themselves', async (name, join, count) => {
    const word = `some-${count}`;
    const goals = ['Quick a', ...(count === 2 ? ['Quick b'] : []), 'Slow c'];
    stage.cast({
      [word]: [
        { calls: goals.map((goal) => spawn(goal)) },
        { calls: [['run_join', join]] },
        { calls: [['run_join', {}]] },
        { text: ['done'] },
      ],
    });
    const root = await stage.start(`${word} ${name}`);
    expect((await stage.end(root.id)).status).toBe('Completed');
    const scenes = stage.scenes(word);
    const first = JSON.parse(scenes[2]?.results.at(-1) ?? '').children;
    expect(first.filter((one: { status: string }) => one.status === 'Completed')).toHaveLength(count);
    expect(first.at(-1).status).toBe('still running');
    const everything = JSON.stringify(scenes.at(-1));
    expect(everything.match(/slow result/g)).toHaveLength(1);
  });

  it('that fail are told to their parent, which goes on or fails with them', async () => {
    stage.cast({
      careful: [{ calls: [spawn('Broken one', { wait: true })] }, { text: ['I do it myself'] }],
      strict: [
        { calls: [spawn('Broken one', { wait: true, onFailure: 'fail-parent' })] },
        { text: ['this is never said'] },
      ],
    });
    const [careful, strict] = await Promise.all([stage.start('Careful parent'), stage.start('Strict parent')]);
    expect(await stage.end(careful.id)).toMatchObject({ status: 'Completed' });
    expect(stage.scenes('careful')[1]?.results[0]).toContain('It cannot be done.');
    const ended = await stage.end(strict.id);
    expect(ended.status).not.toBe('Completed');
    expect(ended.failureReason).toContain('child run');
  });

  it('are given by API, once a key, within the tree; an ended run has none', async () => {
    stage.cast({ host: [{ calls: [['run_join', {}]] }, { text: ['host done'] }] });
    const root = await api().create({ body: { goal: 'Host of guests' } });
    const guest = { goal: 'Quick guest', modelId: 'openai:gpt-4o', tags: ['visitor'] };
    const path = `/api/agent/runs/${root.id}/children`;
    const once = { 'idempotency-key': 'guest-1' };
    const first = await stage.server.call('POST', path, guest, once);
    const again = await stage.server.call('POST', path, guest, once);
    expect(first.body.data).toMatchObject({ status: 'Queued', parentRunId: root.id, modelId: 'openai:gpt-4o' });
    expect(again.body.data.id).toBe(first.body.data.id);
    const stranger = api().spawn({ params: { id: root.id }, body: { goal: 'Quick', identityId: 987_654 } });
    await expect(stranger).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await api().start({ params: { id: root.id } });
    expect(await stage.end(root.id)).toMatchObject({ status: 'Completed', childRunCount: 1 });
    const params = { id: root.id };
    await expect(api().spawn({ params, body: { goal: 'Late' } })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    expect(await stage.log(root.id)).toContain('ChildSpawned');
  });

  it('are refused beyond the depth of a tree, with an error that the model reads', async () => {
    stage.cast({ deep: [{ calls: [spawn('Deep down', { wait: true })] }, { text: ['bottom'] }] });
    const root = await stage.start('Deep down');
    expect((await stage.end(root.id)).status).toBe('Completed');
    const below = await childrenOf(root.id, true);
    expect(below.map((run) => run.spawnDepth)).toEqual([1, 2, 3, 4, 5]);
    expect(JSON.stringify(stage.scenes('deep'))).toContain('SPAWN_DEPTH_EXCEEDED');
    expect(await stage.log(below.at(-1)?.id ?? 0)).toContain('SpawnRefused');
  });
});

describe('a whole tree', () => {
  it('of fifty running runs is cancelled: all named, no model call begins later, and it comes to rest', {
    timeout: 120_000,
  }, async () => {
    const goals = Array.from({ length: 49 }, (_, at) => `Leaf ${at}`);
    let step = 0;
    stage.cast({
      fifty: [{ calls: goals.map((goal) => spawn(goal)) }, { calls: [['run_join', {}]] }],
      leaf: () => ({ calls: [['run_note', { content: `step ${step++}` }]], text: ['a ', 'b '], frameDelayMs: 300 }),
    });
    const root = await stage.start('Fifty runs', { poolIterationBudget: 100_000, poolTokenBudget: 1_000_000_000 });
    await stage.until(root.id, 'WaitingForChildren');
    await vi.waitFor(async () => {
      const running = (await childrenOf(root.id)).filter((run) => run.status === 'Running');
      expect(running).toHaveLength(49);
    }, patience);
    const answer = await api().cancel({ params: { id: root.id }, body: { reason: 'Enough.' } });
    const late: string[] = [];
    const before = stage.model.otherwise;
    stage.model.otherwise = (request) => {
      late.push(/Leaf \d+/.exec(JSON.stringify(request))?.[0] ?? 'root');
      return before(request);
    };
    const below = await childrenOf(root.id, true);
    expect(below).toHaveLength(49);
    expect([...answer.affectedRunIds].sort((a, b) => a - b)).toEqual([root.id, ...below.map((run) => run.id)]);
    const quiesced = await stage.heard(`run-tree:${root.id}`, 'tree.quiesced');
    stage.model.otherwise = before;
    expect(quiesced.data).toMatchObject({ rootRunId: root.id, runCount: 50 });
    // What was on its way may arrive, one call a run; a run that begins another one would be heard twice.
    expect(late).toHaveLength(new Set(late).size);
    const ended = await childrenOf(root.id, true);
    expect(ended.map((run) => run.status)).toEqual(ended.map(() => 'Cancelled'));
    const seen = stage.model.requests.length;
    expect((await api().get({ params: { id: root.id } })).status).toBe('Cancelled');
    expect(stage.model.requests).toHaveLength(seen);
  });

  it('is paused and resumed with guidance', async () => {
    let open = true;
    stage.cast({
      pausing: [{ calls: [spawn('Walking far')] }, { calls: [['run_join', {}]] }, { text: ['arrived'] }],
      walking: ({ turn }) =>
        open || turn < 2
          ? { calls: [['run_note', { content: `step ${turn}` }]], text: ['one ', 'two '], frameDelayMs: 20 }
          : { text: ['walked'] },
    });
    const root = await stage.start('Pausing now');
    await stage.until(root.id, 'WaitingForChildren');
    const [child] = await childrenOf(root.id);
    const paused = await api().pause({ params: { id: root.id }, body: { reason: 'Lunch' } });
    expect([...paused.affectedRunIds].sort((a, b) => a - b)).toEqual([root.id, child?.id]);
    await stage.until(root.id, 'Paused');
    await stage.until(child?.id ?? 0, 'Paused');
    const calls = stage.scenes('walking').length;
    open = false;
    const resumed = await api().resume({ params: { id: root.id }, body: { guidance: 'Take the short way.' } });
    expect(resumed.affectedRunIds.length).toBe(2);
    expect((await stage.end(root.id)).progressSummary).toBe('arrived');
    expect(stage.scenes('walking').length).toBeGreaterThan(calls);
    expect(JSON.stringify(stage.scenes('pausing').at(-1)?.told)).toContain('Take the short way.');
  });
});

describe('a run', () => {
  it('reads messages at its next turn, once', async () => {
    stage.cast({
      listening: ({ told, turn }) =>
        told.some((one) => one.includes('Mind the step')) && turn > 2
          ? { text: ['I heard'] }
          : { calls: [['run_note', { content: `waits ${turn}` }]], text: ['a ', 'b '], frameDelayMs: 15 },
    });
    const run = await stage.start('Listening closely');
    await stage.model.arrived(stage.model.requests.length + 1);
    await stage.server.client.agentMessages.create({ params: { runId: run.id }, body: { content: 'Mind the step' } });
    expect((await stage.end(run.id)).progressSummary).toBe('I heard');
    expect(JSON.stringify(stage.scenes('listening').at(-1)?.told).match(/Mind the step/g)).toHaveLength(1);
    expect(await stage.log(run.id)).toContain('MessageReceived');
  });

  it('keeps notes, tasks and feedback of people in its log', async () => {
    const run = await stage.start('Quick and rated');
    await stage.end(run.id);
    const { agentNotes, agentTasks, agentFeedback } = stage.server.client;
    await agentNotes.create({ params: { runId: run.id }, body: { content: 'Well done' } });
    const task = await agentTasks.create({ params: { runId: run.id }, body: { title: 'Tell Ada' } });
    await agentTasks.patch({ params: { id: task.id }, body: { status: 'InProgress' } });
    await agentFeedback.create({ params: { runId: run.id }, body: { rating: 'Good' } });
    expect((await stage.log(run.id)).slice(-4)).toEqual(['NoteAdded', 'TaskCreated', 'TaskUpdated', 'FeedbackAdded']);
  });

  it('is forked from a checkpoint with what it knew then', async () => {
    stage.cast({
      origin: [
        { calls: [['run_note', { content: 'the door is blue' }]] },
        { calls: [['run_escalate', { situation: 'Paint it?' }]] },
        { text: ['red'] },
      ],
    });
    const run = await stage.start('Origin of doors');
    const question = await stage.question(run.id);
    const params = { id: run.id };
    const saved = await api().checkpoint({ params, body: { label: 'before the paint' } });
    await stage.server.client.agentEscalations.resolve({ params: { id: question.id }, body: { decision: 'yes' } });
    expect((await stage.end(run.id)).progressSummary).toBe('red');
    const checkpoints = await api().checkpoints({ params, query: {} });
    expect(checkpoints.find((one) => one.id === saved.checkpointId)).toMatchObject({
      summary: 'before the paint',
      iteration: 2,
    });
    const body = { checkpointId: saved.checkpointId, message: 'And now?', autoStart: true, goal: 'Fork of doors' };
    stage.cast({ fork: [{ text: ['not used'] }, { text: ['still blue'] }] });
    const fork = await api().fork({ params, body });
    expect(fork).toMatchObject({ parentRunId: null, goal: 'Fork of doors' });
    expect((await stage.end(fork.id)).progressSummary).toBe('still blue');
    const [scene] = stage.scenes('fork');
    expect(scene).toMatchObject({ turn: 1, results: ['Note kept.'] });
    expect(scene?.told.at(-1)).toContain('And now?');
  });

  it('is restarted from the start, its events counting on', async () => {
    const run = await stage.start('Quick twice');
    await stage.end(run.id);
    const before = await stage.log(run.id);
    const again = await api().restart({ params: { id: run.id }, body: { goal: 'Quick thrice' } });
    expect(again).toMatchObject({ id: run.id, status: 'Queued', iterationsUsed: 0 });
    expect((await stage.end(run.id)).goal).toBe('Quick thrice');
    const log = await stage.log(run.id);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(log).toContain('RunRestarted');
  });
});
