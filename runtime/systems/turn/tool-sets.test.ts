import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../model.ts';
import type { Desk, ToolPolicy } from '../../ports.ts';
import type { ScriptedTurn } from '../../testing/scripted-model.ts';
import { turnOf, turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';
import { offeredTools } from './tool-sets.ts';

const unused = async () => {
  throw new Error('not part of this test');
};
const desk: Desk = { addNote: unused, createTask: async () => ({ id: 1 }), updateTask: unused, sendMessage: unused };

/** Characters of the tools as a provider is sent them; a token is 4.3 of them. */
const charactersOf = ({ tools = [] }: ModelRequest) =>
  tools.reduce((sum, { name, description, inputSchema }) => {
    const sent = { type: 'function', function: { name, description, parameters: inputSchema } };
    return sum + JSON.stringify(sent).length;
  }, 0);
const namesOf = ({ tools = [] }: ModelRequest) => tools.map(({ name }) => name);

const done = { name: 'run_complete', arguments: { summary: 'Done.' } };
const create = { name: 'task_create', arguments: { title: 'One' } };

/** Plays a run to its end; answers what its model was sent. */
async function play(script: (request: ModelRequest) => ScriptedTurn) {
  const requests: ModelRequest[] = [];
  const world = createWorld({
    script: (request) => {
      requests.push(request);
      return script(request);
    },
    ports: { desk },
  });
  const { engine } = await world.boot();
  const run = await engine.create(world.draft());
  await world.until(() => world.run(run.id).status === 'Completed');
  return { requests, run: world.run(run.id), tools: await engine.listTools(1) };
}

describe('tools of few runs', () => {
  it('are not paid for by a run of three turns that uses none of them', async () => {
    const { requests, tools } = await play(
      turns(
        { calls: [{ name: 'run_plan', arguments: { steps: ['look', 'tell'] } }] },
        { calls: [{ name: 'run_progress', arguments: { summary: 'Looked.' } }] },
        { calls: [done] },
      ),
    );
    expect(requests).toHaveLength(3);
    // 701 tokens; all of them are 1,196.
    for (const request of requests) expect(charactersOf(request)).toBeLessThan(3100);
    expect(new Set(requests.map((request) => JSON.stringify(request.tools))).size).toBe(1);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...namesOf(requests[0]!), 'task_create']));
  });

  it('are named by run_tools, and offered from the turn after it was called', async () => {
    const { requests, run } = await play(
      turns({ calls: [{ name: 'run_tools', arguments: { sets: ['tasks'] } }] }, { calls: [create] }, { calls: [done] }),
    );
    const [before, after, last] = requests.map(namesOf);
    expect(requests[0]!.tools!.find(({ name }) => name === 'run_tools')!.description).toContain(
      'tasks (task_create, task_update)',
    );
    expect(before).not.toContain('task_create');
    expect(after).toEqual(expect.arrayContaining(['run_tools', 'task_create', 'task_update']));
    expect(after).not.toContain('run_spawn');
    expect(last).toEqual(after);
    expect(run.toolSets).toEqual(['tasks']);
  });

  it('answer a call that comes before they were asked for', async () => {
    const { requests } = await play(turns({ calls: [create] }, { calls: [done] }));
    const result = requests[1]!.messages.find(({ role }) => role === 'tool');
    expect(String(result?.content)).toContain('taskId');
  });

  it('are offered from the start to roles that live by them, and where a profile names them', async () => {
    const { tools } = await play((request) => ({ calls: [turnOf(request) > 0 ? done : create] }));
    const all = tools.map((tool) => ({
      ...tool,
      toolSet: tool.name.startsWith('task_') ? ('tasks' as const) : undefined,
    })) as never;
    const offered = (more: object) => offeredTools(all, { system: '', ...more }, {}).map(({ name }) => name);
    const policy = (safe: string[]): ToolPolicy => ({ safe, optIn: [], blocked: [], layers: [] });
    expect(offered({})).not.toContain('task_create');
    expect(offered({ policy: policy(['*']) })).not.toContain('task_create');
    expect(offered({ policy: policy(['task_create', '*']) })).toContain('task_create');
    expect(offered({ toolSets: ['tasks'] })).toEqual(expect.arrayContaining(['task_create', 'task_update']));
    // Nothing is left to ask for.
    expect(offered({ toolSets: ['tasks'] })).not.toContain('run_tools');
  });
});
