import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { createNotes, noteSpec } from './notes.ts';
import { agentNotesService } from './service.ts';

let world: AgentWorld;
let api: ReturnType<typeof agentNotesService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld([noteSpec]);
  api = agentNotesService({ notes: createNotes(world), findRun: world.findRun, log: world.log }).handlers;
  world.addRun({ id: 5 });
  world.addRun({ id: 6, tenantId: 999 });
});
afterEach(() => world.close());

const create = (body: { content: string; [field: string]: unknown }, runId = 5) =>
  api.create({ ...noQuery, params: { runId }, caller: world.caller, body });
const list = (query: object = {}) =>
  api.list({ params: { runId: 5 }, caller: world.caller, body: undefined, query: { ...paging, ...query }, request });

describe('notes', () => {
  it('are kept newest first and announced', async () => {
    const first = await create({ content: 'Blue' });
    expect(first).toMatchObject({ agentRunId: 5, type: 'Operator', taskId: null, content: 'Blue' });
    await world.clock.advance(1000);
    const second = await create({ content: 'Red', type: 'Finding', taskId: 3 });
    expect((await list()).items).toEqual([second, first]);
    expect((await list({ type: 'Finding' })).items).toEqual([second]);
    expect((await list({ taskId: 3 })).totalCount).toBe(1);
    expect(world.published.at(-1)).toMatchObject({ type: 'run.note', topics: ['run:5'], data: second });
    expect(world.logged).toMatchObject([
      { runId: 5, type: 'NoteAdded', title: 'Operator', message: 'Blue', payload: { noteId: first.id } },
      { runId: 5, type: 'NoteAdded', title: 'Finding', message: 'Red' },
    ]);
  });

  it('need a run of the own tenant', async () => {
    expect(await codeOf(() => create({ content: 'x' }, 6))).toBe('NOT_FOUND');
    expect(await codeOf(() => create({ content: 'x' }, 7))).toBe('NOT_FOUND');
  });
});
