// Work that contradicts what it comes back to, on the whole server: both sides are kept, and everybody is told; git is needed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import type { AgentRunDto } from '../../src/client/index.ts';
import { openStage, type Stage } from '../support/stage.ts';

const hasGit = (await gitVersion().catch(() => null)) !== null;
if (!hasGit) console.info('skipped: conflicts of runs, because git is not installed');

const write = (path: string, content: string): [string, object] => ['file_write', { path, content }];

/** Something that others wait for. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe.skipIf(!hasGit)('what contradicts', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  const at = ({ id }: Pick<AgentRunDto, 'id'>) => `/api/agent/runs/${id}`;
  const get = async (path: string) => {
    const { status, body } = await stage.server.call('GET', path);
    return status === 200 ? body.data : status;
  };
  const textOf = async (place: string, path: string) => (await get(`${place}/files/content?path=${path}`)).text;
  const pathsOf = async (place: string) =>
    (await get(`${place}/files?recursive=true`)).map(({ path }: { path: string }) => path);
  const warningsOf = async (run: Pick<AgentRunDto, 'id'>) =>
    (await stage.server.client.agentRuns.events({ params: { runId: run.id }, query: { limit: 1000 } }))
      .filter(({ type, level }) => type === 'ReviewReady' && level === 'Warning')
      .map(({ title, payloadJson }) => ({ title, ...JSON.parse(payloadJson ?? '{}') }));

  it('its parent stays with the child, named to the parent’s model and log; the parent settles it', async () => {
    const [helperWrote, leadWrote] = [gate(), gate()];
    stage.cast({
      lead: ({ turn, results }) => {
        if (turn === 0) return { calls: [write('plan.txt', 'base\n')] };
        if (turn === 1) return { calls: [['run_spawn', { goal: 'Helper at the plan' }]] };
        if (turn === 2) return { after: helperWrote.opened, calls: [write('plan.txt', 'the lead’s\n')] };
        if (turn === 3) leadWrote.open();
        if (turn === 3) return { calls: [['run_join', {}]] };
        if (turn === 4) return { calls: [write('plan.txt', 'both\n')] };
        return { text: [results.at(-1) ?? ''] };
      },
      helper: ({ turn }) => {
        if (turn === 0) return { calls: [write('plan.txt', 'the helper’s\n'), write('part.txt', 'a part\n')] };
        helperWrote.open();
        return { after: leadWrote.opened, text: ['my part is done'] };
      },
    });
    const lead = await stage.start('Lead the others');
    expect(await stage.end(lead.id)).toMatchObject({ status: 'Completed' });
    const { items } = await stage.server.client.agentRuns.children({ params: { id: lead.id }, query: {} });
    const [helper] = items as [AgentRunDto];
    expect(helper).toMatchObject({ status: 'Completed', progressSummary: 'my part is done' });

    const told = stage.scenes('lead')[4]?.results.at(-1);
    expect(told).toContain('my part is done');
    expect(told).toContain(`Its files are not among yours, because both changed the same places`);
    expect(told).toContain(`they are kept on the branch ${helper.reviewBranch}.`);
    expect(told).toContain('plan.txt');
    expect(await warningsOf(lead)).toEqual([
      {
        title: `The work of run ${helper.id} could not be merged into run ${lead.id}`,
        fromRunId: helper.id,
        branch: helper.reviewBranch,
        conflicts: [{ path: 'plan.txt', reason: expect.stringContaining('Merge conflict in plan.txt') }],
      },
    ]);

    const check = async () => {
      // Nothing of the child came over by halves, and nothing of it is lost.
      expect(await pathsOf(at(lead))).toEqual(['plan.txt']);
      expect(await textOf(at(lead), 'plan.txt')).toBe('both\n');
      expect(await pathsOf(at(helper))).toEqual(['part.txt', 'plan.txt']);
      expect(await textOf(at(helper), 'plan.txt')).toBe('the helper’s\n');
      const { patch } = await get(`${at(helper)}/review/diff`);
      expect(patch).toMatch(/^-base\n\+the helper’s$/m);
      expect(patch).toMatch(/^\+a part$/m);
    };
    await check();
    await stage.server.restart();
    await check();
  });

  it('a workspace that somebody changed meanwhile stays with the run, and the workspace as it is', async () => {
    const [wrote, changed] = [gate(), gate()];
    stage.cast({
      editor: ({ turn }) => {
        if (turn === 0) return { calls: [write('page.txt', 'the run’s\n')] };
        wrote.open();
        return { after: changed.opened, text: ['edited'] };
      },
    });
    const { body } = await stage.server.call('POST', '/api/workspaces', { name: 'Pages' });
    const workspace = `/api/workspaces/${body.data.id}`;
    const put = (text: string) =>
      stage.server.call('PUT', `${workspace}/files/content`, { path: 'page.txt', text }).then(({ status }) => status);
    expect(await put('base\n')).toBe(200);
    const run = await stage.start('Editor of the page', { workspaceId: body.data.id });
    await wrote.opened;
    expect(await put('a person’s\n')).toBe(200);
    changed.open();
    const ended = await stage.end(run.id);
    expect(ended.status).toBe('Completed');
    await expect
      .poll(() => warningsOf(run))
      .toMatchObject([
        {
          title: `The work of run ${run.id} could not be merged into workspace ${body.data.id}`,
          branch: ended.reviewBranch,
          conflicts: [{ path: 'page.txt' }],
        },
      ]);
    expect(await textOf(workspace, 'page.txt')).toBe('a person’s\n');
    expect(await textOf(at(run), 'page.txt')).toBe('the run’s\n');
  });
});
