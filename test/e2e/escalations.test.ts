// Questions of runs on the whole server: raised by tool, by policy and by API, decided over REST, once.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStage, patience, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  const lists = { safeTools: [], blockedTools: [], sandboxedTools: [], discoveryEnabled: true };
  const body = { name: 'guarded', role: 'guarded', optInTools: ['task_create'], ...lists };
  await stage.server.client.agentToolProfiles.create({ body });
});
afterAll(() => stage.close());

const decide = (id: number, decision: string, more: object = {}) =>
  stage.server.client.agentEscalations.resolve({ params: { id }, body: { decision, ...more } });
const find = async (runId: number) => (await stage.server.client.agentEscalations.list({ query: { runId } })).items;
const conflict = { status: 409, code: 'INVALID_TRANSITION' };

describe('a question', () => {
  it('with options is answered over REST after a restart, and exactly the waiting step goes on', async () => {
    stage.cast({
      ask: [
        {
          calls: [
            ['run_note', { content: 'before the question' }],
            ['run_escalate', { situation: 'North or south?', options: ['North', 'South'], urgency: 'High' }],
          ],
        },
        { text: ['on my way'] },
      ],
    });
    const run = await stage.start('Ask the way');
    const question = await stage.question(run.id);
    expect(question).toMatchObject({ situation: 'North or south?', urgencyId: 'High', status: 'AwaitingHuman' });
    expect(JSON.parse(question.optionsJson ?? '')).toEqual(['North', 'South']);
    await stage.server.restart();
    await vi.waitFor(async () => expect((await stage.question(run.id)).notificationState).toBe('Sent'), patience);
    const decided = await decide(question.id, 'South', { decisionNotes: 'It is warmer.' });
    expect(decided).toMatchObject({ status: 'Resolved', resolutionMode: 'Human', decision: 'South' });
    expect((await stage.end(run.id)).progressSummary).toBe('on my way');
    const scenes = stage.scenes('ask');
    expect(scenes).toHaveLength(2);
    expect(JSON.parse(scenes[1]?.results[1] ?? '')).toMatchObject({ decision: 'South', notes: 'It is warmer.' });
    const { notes } = await stage.server.client.agentRuns.get({ params: { id: run.id } });
    expect(notes).toHaveLength(1);
    const log = await stage.log(run.id);
    expect(log.filter((type) => type.startsWith('Escalation'))).toEqual(['EscalationRaised', 'EscalationResolved']);
    await expect(decide(question.id, 'North')).rejects.toMatchObject(conflict);
  });

  it('takes one of several decisions that come at once', async () => {
    stage.cast({ twice: [{ calls: [['run_escalate', { situation: 'Now?' }]] }, { text: ['done'] }] });
    const run = await stage.start('Twice asked');
    const { id } = await stage.question(run.id);
    const answers = await Promise.allSettled(['a', 'b', 'c', 'd'].map((decision) => decide(id, decision)));
    const won = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.decision] : []));
    expect(won).toHaveLength(1);
    for (const one of answers) if (one.status === 'rejected') expect(one.reason).toMatchObject(conflict);
    await stage.end(run.id);
    expect(JSON.parse(stage.scenes('twice')[1]?.results[0] ?? '').decision).toBe(won[0]);
  });

  it('is put better as often as its rounds allow', async () => {
    stage.cast({
      vague: ({ turn }) =>
        turn < 4 ? { calls: [['run_escalate', { situation: `Version ${turn}` }]] } : { text: ['understood'] },
    });
    const run = await stage.start('Vague question');
    const { id, maxRevisionRounds } = await stage.question(run.id);
    expect(maxRevisionRounds).toBe(3);
    for (let round = 1; round <= 3; round++) {
      const asked = await decide(id, `What do you mean, ${round}?`, { requestRevision: true });
      expect(asked).toMatchObject({ status: 'RevisionRequested', revisionRoundsUsed: round, decision: null });
      await vi.waitFor(async () => expect((await stage.question(run.id)).situation).toBe(`Version ${round}`), patience);
    }
    await expect(decide(id, 'Again', { requestRevision: true })).rejects.toMatchObject(conflict);
    await decide(id, 'Good');
    expect((await stage.end(run.id)).progressSummary).toBe('understood');
    expect(await find(run.id)).toMatchObject([{ id, status: 'Resolved', revisionRoundsUsed: 3, decision: 'Good' }]);
    expect(stage.scenes('vague')[1]?.results[0]).toContain('What do you mean, 1?');
  });

  it.each([
    ['takes what was recommended', { recommendation: 'Go left', confidence: 0.6 }, 'Go left'],
    ['lets the run proceed', {}, 'proceed'],
  ])('that nobody answers in time %s', async (name, more, expected) => {
    const word = name.split(' ')[0]?.toLowerCase() ?? '';
    stage.cast({
      [word]: [
        { calls: [['run_escalate', { situation: 'Which way?', timeoutSeconds: 1, ...more }]] },
        { text: ['on'] },
      ],
    });
    const run = await stage.start(name);
    expect((await stage.end(run.id)).status).toBe('Completed');
    const [escalation] = await find(run.id);
    expect(escalation).toMatchObject({ status: 'TimedOut', resolutionMode: 'Timeout', decision: expected });
    expect(stage.scenes(word)[1]?.results[0]).toContain(expected);
    expect(await stage.log(run.id)).toContain('EscalationTimedOut');
    await expect(decide(escalation?.id ?? 0, 'too late')).rejects.toMatchObject(conflict);
  });

  it('from outside makes a run wait, reaches it as a message, and is withdrawn when the run is cancelled', async () => {
    stage.cast({
      busy: ({ turn, told }) =>
        told.length > 0
          ? { text: ['as you say'] }
          : { calls: [['run_note', { content: `${turn}` }]], text: ['a ', 'b '], frameDelayMs: 20 },
    });
    const { agentEscalations, agentRuns } = stage.server.client;
    const [one, other] = await Promise.all([stage.start('Busy one'), stage.start('Busy other')]);
    const body = { situation: 'Is this still wanted?', optionsJson: '["yes","no"]', urgencyId: 'Low' as const };
    for (const run of [one, other]) {
      await stage.until(run.id, 'Running');
      await agentEscalations.create({ params: { runId: run.id }, body });
    }
    const question = await stage.question(one.id);
    await decide(question.id, 'yes', { decisionNotes: 'Go on.' });
    expect((await stage.end(one.id)).progressSummary).toBe('as you say');
    expect(stage.scenes('busy').at(-1)?.told[0]).toContain('yes: Go on.');
    const left = await stage.question(other.id);
    await agentRuns.cancel({ params: { id: other.id } });
    await vi.waitFor(async () => expect((await find(other.id))[0]?.status).toBe('Withdrawn'), patience);
    await expect(decide(left.id, 'yes')).rejects.toMatchObject(conflict);
    const late = agentEscalations.create({ params: { runId: other.id }, body });
    await expect(late).rejects.toMatchObject(conflict);
  });
});

describe('a tool call', () => {
  const draft = { toolProfileName: 'guarded' };
  const tasksOf = async (runId: number) =>
    (await stage.server.client.agentTasks.list({ params: { runId }, query: {} })).items.map((task) => task.title);

  it('is approved with other arguments, or rejected with a reason', async () => {
    stage.cast({
      build: [
        { calls: [['task_create', { title: 'Demolish' }]] },
        { calls: [['task_create', { title: 'Explode' }]] },
        { text: ['built'] },
      ],
    });
    const run = await stage.start('Build a wall', draft);
    const first = await stage.question(run.id);
    expect(first).toMatchObject({ kind: 'toolApproval' });
    expect(first.situation).toContain('Demolish');
    await decide(first.id, 'approve', { argumentsJson: '{"title":"Repair"}' });
    const second = await vi.waitFor(async () => {
      const open = await stage.question(run.id);
      expect(open.id).not.toBe(first.id);
      return open;
    }, patience);
    expect(await tasksOf(run.id)).toEqual(['Repair']);
    await decide(second.id, 'reject', { decisionNotes: 'Too loud.' });
    await stage.end(run.id);
    expect(await tasksOf(run.id)).toEqual(['Repair']);
    expect(stage.scenes('build')[2]?.results[1]).toContain('Too loud.');
    expect(await stage.log(run.id)).toContain('ToolApprovalRequested');
  });

  it('that was sent back comes again as the same approval', async () => {
    stage.cast({
      draw: ({ turn }) => (turn < 2 ? { calls: [['task_create', { title: `Draft ${turn}` }]] } : { text: ['drawn'] }),
    });
    const run = await stage.start('Draw a plan', draft);
    const { id } = await stage.question(run.id);
    await decide(id, 'Not yet', { requestRevision: true, decisionNotes: 'Add a door.' });
    await vi.waitFor(async () => expect((await stage.question(run.id)).situation).toContain('Draft 1'), patience);
    await decide(id, 'approve');
    await stage.end(run.id);
    expect(await tasksOf(run.id)).toEqual(['Draft 1']);
    expect(await find(run.id)).toMatchObject([{ id, revisionRoundsUsed: 1, status: 'Resolved' }]);
  });
});
