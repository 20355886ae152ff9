// Routines over the whole server: due by the clock, woken by events, run by hand; each moment is one row of the ledger.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';
import type { TestServer } from '../support/test-server.ts';

const patience = { timeout: 30_000, interval: 50 };

let stage: Stage;
let server: TestServer;
beforeAll(async () => {
  stage = await openStage();
  server = stage.server;
  stage.cast({
    look: [{ text: ['All is as it was.'] }],
    meets: [{ text: ['The price fell.\n\nTHRESHOLD_MET'] }],
    asks: [{ calls: [['run_escalate', { situation: 'Well?' }]] }, { text: ['Done.'] }],
    writes: [{ calls: [['fact_upsert', { key: 'weather', value: 'rain' }]] }, { text: ['Written.'] }],
    breaks: [{ status: 401 }],
  });
});
afterAll(() => stage.close());

let number = 0;
const api = () => server.client.agentRoutines;
const make = async (more: object = {}) =>
  api().create({ body: { name: `routine ${++number}`, briefMarkdown: 'Look at the weather.', ...more } as never });
const rows = async (id: number, query: object = {}) => (await api().runs({ params: { id }, query })).items;
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('a routine', () => {
  it('runs when it is due, once, and says what came of it', async () => {
    const { id, nextDueAtUtc } = await make({ scheduleKindId: 'Once', runOnceAtUtc: soon(1500) });
    await expect.poll(async () => (await rows(id)).map((row) => row.outcomeId), patience).toEqual(['Succeeded']);
    const [row] = await rows(id);
    expect(row).toMatchObject({ dueAtUtc: nextDueAtUtc, triggerSourceId: 'Schedule', runStatusId: 'Completed' });
    expect(row?.runSummary).toContain('All is as it was');
    const run = await server.client.agentRuns.get({ params: { id: row?.agentRunId as number } });
    expect(run.goal).toContain('Look at the weather.');
    await expect
      .poll(() => api().get({ params: { id } }), patience)
      .toMatchObject({ nextDueAtUtc: null, lastOutcomeId: 'Succeeded', lastRunStatusId: 'Completed' });
  });

  it('says that nothing is new, that its threshold is met, and tells its maker as its policy says', async () => {
    const same = await make();
    const met = await make({
      briefMarkdown: 'Meets the threshold',
      thresholdMarkdown: 'Below 5.',
      reportPolicyId: 'OnThreshold',
    });
    for (const id of [same.id, same.id, met.id]) {
      await api().run({ params: { id } });
      await expect.poll(async () => (await rows(id)).every((row) => row.runCompletedAtUtc), patience).toBe(true);
    }
    expect((await rows(same.id)).map((row) => row.outcomeId)).toEqual(['NoChange', 'Succeeded']);
    expect((await rows(met.id)).map((row) => row.outcomeId)).toEqual(['ThresholdMet']);
    await expect
      .poll(async () => {
        const inbox = await server.call('GET', '/api/messages/inbox');
        return inbox.body.data.items.filter((one: { content: string }) => one.content.includes(met.name)).length;
      }, patience)
      .toBe(1);
  });

  it('keeps to its limits, and a request by hand is told which one', async () => {
    const { id } = await make({ briefMarkdown: 'Asks somebody.', maxRunsPerDay: 2 });
    const { agentRunId } = await api().run({ params: { id } });
    const again = await server.call('POST', `/api/agent/routines/${id}/run`, {});
    expect([again.status, again.body.errorCode]).toEqual([429, 'ROUTINE_THROTTLED']);
    await api().disable({ params: { id }, body: { reason: 'Enough.', cancelActiveRuns: true } });
    await expect.poll(async () => (await rows(id))[0]?.outcomeId, patience).toBe('Cancelled');
    expect(await api().get({ params: { id } })).toMatchObject({ isEnabled: false, pausedReason: 'Enough.' });
    await api().run({ params: { id } });
    await api().run({ params: { id }, body: { ignoreThrottles: true } });
    expect(await rows(id)).toHaveLength(3);
    const { blockedReason, runsToday } = await api().nextDue({ params: { id }, query: {} });
    expect([blockedReason, runsToday]).toEqual(['Enough.', 3]);
    await api().disable({ params: { id }, body: { cancelActiveRuns: true } });
    expect(agentRunId).toBeGreaterThan(0);
  });

  it('is paused after three failures in a row, with the reason', async () => {
    const { id } = await make({ briefMarkdown: 'Breaks now.' });
    for (let at = 1; at <= 3; at++) {
      await api().run({ params: { id } });
      await expect.poll(async () => (await rows(id, { outcomeId: 'Failed' })).length, patience).toBe(at);
    }
    await expect.poll(async () => (await api().get({ params: { id } })).isEnabled, patience).toBe(false);
    expect((await api().get({ params: { id } })).pausedReason).toContain('3 runs failed in a row');
    expect((await api().enable({ params: { id } })).routine).toMatchObject({ isEnabled: true, pausedReason: null });
  });

  it('gives each run the brief that stood when it was due, and keeps the versions', async () => {
    const { id } = await make();
    await api().patch({ params: { id }, body: { briefMarkdown: 'Look at the sea.' } });
    const { briefVersion, agentRunId } = await api().run({ params: { id } });
    expect(briefVersion).toBe(2);
    const run = await server.client.agentRuns.get({ params: { id: agentRunId as number } });
    expect(run.goal).toContain('Look at the sea.');
    expect((await api().briefs({ params: { id } })).map((one) => one.briefMarkdown)).toEqual([
      'Look at the sea.',
      'Look at the weather.',
    ]);
  });

  it('is found by its name by those who may read it', async () => {
    const { id, name } = await make({ name: 'Tide table of the harbour', scheduleKindId: 'Manual' });
    const found = await server.client.globalSearch.search({ query: { q: 'tide table', kinds: ['Routine'] } });
    expect(found.hits).toMatchObject([{ kind: 'Routine', id, title: name, url: `/routines/${id}` }]);
  });

  it('begins nothing in an archived project, and the ledger says so', async () => {
    const project = (await server.call('POST', '/api/projects', { name: 'Attic' })).body.data;
    const { id } = await make({ projectId: project.id, scheduleKindId: 'Cron', cronExpression: '* * * * * *' });
    await server.call('POST', `/api/projects/${project.id}/archive`, {});
    await expect
      .poll(async () => (await rows(id, { outcomeId: 'SkippedThrottled' }))[0]?.reason, patience)
      .toContain('Attic is archived');
    await api().disable({ params: { id } });
    const all = await rows(id, { pageSize: 200 });
    expect(new Set(all.map((row) => row.dueAtUtc)).size).toBe(all.length);
  });
});

describe('an event', () => {
  const fact = (projectId: number, key: string) =>
    server.call('POST', `/api/projects/${projectId}/facts`, { key, value: 'x' });
  const project = async () => (await server.call('POST', '/api/projects', { name: `Events ${++number}` })).body.data.id;

  it('wakes the routines whose pattern and filter it meets, as often as they may be', async () => {
    const projectId = await project();
    const { id } = await make({ scheduleKindId: 'Event' });
    const body = { eventPattern: `project:${projectId}/fact.*`, filterJson: '{"key":{"contains":"weather"}}' };
    await api().createTrigger({ params: { id }, body });
    await fact(projectId, 'the sea');
    await fact(projectId, 'the weather');
    await fact(projectId, 'the weather tomorrow');
    await fact(projectId, 'weather of last week');
    await expect.poll(async () => (await rows(id)).length, patience).toBe(2);
    const [skipped, woken] = await rows(id, { sort: '-id' });
    expect(woken).toMatchObject({ triggerSourceId: 'Event', dueAtUtc: expect.any(String) });
    expect(JSON.parse(woken?.triggerDetailJson as string)).toMatchObject({
      type: 'fact.written',
      data: { key: 'the weather' },
    });
    expect(skipped).toMatchObject({ outcomeId: 'SkippedThrottled', reason: expect.stringContaining('within 60 s') });
  });

  it('never wakes the routine whose run has caused it, nor goes round between two', async () => {
    const projectId = await project();
    const ids: number[] = [];
    for (let at = 0; at < 2; at++) {
      const { id } = await make({
        scheduleKindId: 'Event',
        projectId,
        briefMarkdown: 'Writes a fact.',
        maxConcurrentRuns: 0,
      });
      ids.push(id);
    }
    const [a, b] = ids as [number, number];
    // Of this project alone: runs of other tests end meanwhile, too.
    const triggers = [
      { eventPattern: `project:${projectId}/fact.*` },
      { eventPattern: `project:${projectId}/run.ended` },
      { eventPattern: 'routine.run', filterJson: JSON.stringify({ projectId }) },
    ];
    for (const id of ids)
      for (const trigger of triggers)
        await api().createTrigger({ params: { id }, body: { ...trigger, minSecondsBetweenWakes: 0 } });
    await api().disable({ params: { id: b } });
    await api().run({ params: { id: a } });
    await expect.poll(async () => (await rows(a))[0]?.runCompletedAtUtc ?? null, patience).not.toBeNull();
    const [own] = await rows(a);
    expect(own?.triggerSourceId).toBe('Manual');
    expect(await rows(a, { triggerSourceId: 'Event' })).toEqual([]);
    await api().enable({ params: { id: b } });
    await api().run({ params: { id: a } });
    // What the first one causes wakes the second one, which wakes nobody.
    const open = async () => [...(await rows(a, { pageSize: 200 })), ...(await rows(b, { pageSize: 200 }))];
    await expect.poll(async () => (await rows(b)).length, patience).toBeGreaterThan(0);
    await expect
      .poll(
        async () => (await open()).every((row) => row.outcomeId !== 'Pending' && row.outcomeId !== 'Running'),
        patience,
      )
      .toBe(true);
    expect(await rows(a, { triggerSourceId: 'Event' })).toEqual([]);
    const caused = await rows(b, { pageSize: 200 });
    expect(caused.every((row) => row.triggerSourceId === 'Event')).toBe(true);
    for (const id of ids) await api().disable({ params: { id } });
  });

  it('wakes nobody who may not follow it', async () => {
    const projectId = await project();
    const member = (await server.call('POST', '/api/users', { username: 'outsider', role: 'Member' })).body.data;
    const { rawKey } = (await server.call('POST', `/api/users/${member.id}/apikey`, {})).body.data;
    const auth = { authorization: `Bearer ${rawKey}` };
    const made = await server.call(
      'POST',
      '/api/agent/routines',
      { name: 'spy', briefMarkdown: 'Spy.', scheduleKindId: 'Event' },
      auth,
    );
    expect(made.body.error ?? null).toBeNull();
    const { id } = made.body.data;
    await server.call(
      'POST',
      `/api/agent/routines/${id}/triggers`,
      { eventPattern: 'fact.*', minSecondsBetweenWakes: 0 },
      auth,
    );
    const seer = await make({ scheduleKindId: 'Event' });
    await api().createTrigger({ params: { id: seer.id }, body: { eventPattern: 'fact.*', minSecondsBetweenWakes: 0 } });
    await fact(projectId, 'secret');
    await expect.poll(async () => (await rows(seer.id)).length, patience).toBeGreaterThan(0);
    expect(await rows(id)).toEqual([]);
  });
});

describe('the calendar', () => {
  it('shows the same moments in the preview, as next due and in the simulation', async () => {
    const schedule = { cronExpression: '30 2 * * *', timezoneId: 'Europe/Berlin' };
    const { id } = await make(schedule);
    const preview = await api().preview({ query: { ...schedule, count: 5 } });
    const { upcomingUtc } = await api().nextDue({ params: { id }, query: { count: 5 } });
    const year = await api().simulate({ params: { id }, query: {} });
    expect(preview).toMatchObject({ valid: true, error: null, warning: expect.stringContaining('Europe/Berlin') });
    expect(upcomingUtc).toEqual(preview.nextUtc);
    expect(year.slots.slice(0, 5).map((slot) => slot.dueAtUtc)).toEqual(preview.nextUtc);
    expect(year.shifts.map(({ minutes }) => minutes).sort()).toEqual([-60, 60]);
    expect(year).toMatchObject({ dueCount: 365, isCut: false, playedToUtc: year.toUtc });
    const cut = await api().simulate({ params: { id }, query: { moments: 3 } });
    expect(cut).toMatchObject({ dueCount: 3, isCut: true, playedToUtc: preview.nextUtc[3] });
  });

  it('says what is wrong with an expression, and takes none of those', async () => {
    const preview = await api().preview({ query: { cronExpression: '99 * * * *' } });
    expect(preview).toMatchObject({ valid: false, error: expect.stringContaining('minute'), nextUtc: [] });
    for (const wrong of [
      { cronExpression: '* * *' },
      { cronExpression: '* * * * *', timezoneId: 'Mars/Olympus' },
      { scheduleKindId: 'Interval' },
      { scheduleKindId: 'Once', runOnceAtUtc: '2020-01-01T00:00:00Z' },
      { quietHoursJson: '{"from":"now"}' },
    ]) {
      const { status } = await server.call('POST', '/api/agent/routines', { name: 'x', briefMarkdown: 'x', ...wrong });
      expect([wrong, status]).toEqual([wrong, 400]);
    }
  });
});
