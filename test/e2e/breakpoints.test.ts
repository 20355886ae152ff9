// Breakpoints on the whole server: set before and during a run, decided in each way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  const note = (content: string) => ({ calls: [['run_note', { content }]] as [string, object][] });
  stage.cast({ stops: [note('one'), note('two'), { text: ['done'] }], waits: [note('one'), { text: ['done'] }] });
});
afterAll(() => stage.close());

const notesOf = async (runId: number) =>
  (await stage.server.client.agentNotes.list({ params: { runId }, query: {} })).items.map(({ content }) => content);
const decide = (id: number, body: { decision: string; [more: string]: string }) =>
  stage.server.client.agentEscalations.resolve({ params: { id }, body });

describe('a breakpoint', () => {
  it('stops the call; edited arguments reach the tool, a told result the model', async () => {
    const run = await stage.start('Stops here', { breakpoints: [{ before: 'Tool', name: 'run_n*' }] });
    const first = await stage.question(run.id);
    expect(first).toMatchObject({
      kind: 'breakpoint',
      optionsJson: '["continue","skip","cancel"]',
      timeoutAtUtc: null,
    });
    expect(await notesOf(run.id)).toEqual([]);
    for (const body of [{ resolutionMode: 'Council' }, { rememberAsRule: true }, { requestRevision: true }] as const)
      await expect(
        stage.server.client.agentEscalations.resolve({
          params: { id: first.id },
          body: { decision: 'continue', ...body },
        }),
      ).rejects.toMatchObject({ hint: expect.stringMatching(/continue, skip or cancel/) });
    await decide(first.id, { decision: 'continue', argumentsJson: '{"content":"edited"}' });
    const second = await stage.question(run.id);
    expect(await notesOf(run.id)).toEqual(['edited']);
    await decide(second.id, { decision: 'skip', decisionNotes: 'It is noted already.' });
    expect((await stage.end(run.id)).status).toBe('Completed');
    expect(await notesOf(run.id)).toEqual(['edited']);
    expect(stage.scenes('stops').at(-1)?.results).toEqual(['Note kept.', 'It is noted already.']);
  });

  it('is set and removed while the run waits, listed for its tree, and cancels the run if wished', async () => {
    const { agentBreakpoints } = stage.server.client;
    const run = await stage.start('Waits here', { autoStart: false });
    const params = { runId: run.id };
    const set = await agentBreakpoints.create({ params, body: { before: 'Tool', name: 'run_note', forTree: true } });
    const other = await agentBreakpoints.create({ params, body: { before: 'Role', name: 'tester' } });
    expect(await agentBreakpoints.list({ params })).toEqual([set, other]);
    await agentBreakpoints.remove({ params: { ...params, key: other.id } });
    await expect(agentBreakpoints.remove({ params: { ...params, key: other.id } })).rejects.toMatchObject({
      status: 404,
    });
    await stage.server.client.agentRuns.start({ params: { id: run.id } });
    const asked = await stage.question(run.id);
    await decide(asked.id, { decision: 'cancel', decisionNotes: 'Not today.' });
    expect(await stage.end(run.id)).toMatchObject({ status: 'Cancelled', failureReason: 'Not today.' });
    expect(await notesOf(run.id)).toEqual([]);
    const told = await stage.server.client.agentRuns.events({ params, query: { types: ['Log'] } });
    expect(told.map(({ title }) => title)).toEqual(['Breakpoint set', 'Breakpoint set', 'Breakpoint removed']);
  });
});
