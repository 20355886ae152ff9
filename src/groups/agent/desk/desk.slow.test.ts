import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Desk } from '../../../../runtime/ports.ts';
import type { IdentityDto } from '../../identities/dto.ts';
import { createNotes, noteSpec } from '../notes/notes.ts';
import { createTasks, taskSpec } from '../tasks/tasks.ts';
import { type AgentWorld, codeOf, createAgentWorld } from '../testing/world.ts';
import { createDesk } from './desk.ts';
import { findPeopleFor } from './people.ts';

let world: AgentWorld;
let desk: Desk;
let ada: IdentityDto;
let tasks: ReturnType<typeof createTasks>;
beforeEach(async () => {
  world = await createAgentWorld([noteSpec, taskSpec]);
  ada = await world.addIdentity('Ada');
  tasks = createTasks(world);
  const { inbox, identities, getRun } = world;
  desk = createDesk({ notes: createNotes(world), tasks, inbox, identities, people: findPeopleFor(world), getRun });
  world.events();
});
afterEach(() => world.close());

const aRun = (fields: object = {}) => world.addRun({ id: 5, identityId: ada.id, ...fields });
const eventTypes = () => world.events().map((event) => event.split(' ')[0]);

describe('the desk of a run', () => {
  it('adds a note once a key, of a known type', async () => {
    const run = aRun();
    await desk.addNote(run, { type: 'Finding', content: 'Blue' }, 'k1');
    await desk.addNote(run, { type: 'Finding', content: 'Blue' }, 'k1');
    await desk.addNote(run, { type: 'Musing', content: 'Hm' }, 'k2');
    const kept = await world.db
      .collection(noteSpec)
      .find({}, { sort: { _id: 1 } })
      .toArray();
    expect(kept.map((note) => [note.type, note.content])).toEqual([
      ['Finding', 'Blue'],
      ['Observation', 'Hm'],
    ]);
    expect(eventTypes()).toEqual(['run.note', 'run.note']);
  });

  it('makes and changes tasks once a key', async () => {
    const run = aRun();
    const draft = { title: 'Look', description: null, status: 'Todo' };
    const { id } = await desk.createTask(run, draft, 'k1');
    expect(await desk.createTask(run, draft, 'k1')).toEqual({ id });
    await desk.updateTask(run, id, { status: 'InProgress' }, 'k2');
    await desk.updateTask(run, id, { status: 'Done' }, 'k3');
    await tasks.change({ tenantId: world.tenantId, id }, { status: 'InProgress' });
    await desk.updateTask(run, id, { status: 'Done' }, 'k3');
    expect((await tasks.of(world.tenantId).findOne({ _id: id }))?.status).toBe('InProgress');
    expect(eventTypes()).toEqual(['run.task', 'run.task', 'run.task', 'run.task']);
  });

  it('says what is wrong with a change of a task', async () => {
    const run = aRun();
    const { id } = await desk.createTask(run, { title: 'Look', description: null, status: 'Done' }, 'k1');
    expect(await codeOf(() => desk.updateTask(run, id, { status: 'Finished' }, 'k2'))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => desk.updateTask(run, id, { status: 'Blocked' }, 'k2'))).toBe('INVALID_TRANSITION');
    const child = world.addRun({ id: 6, rootRunId: 5, parentRunId: 5 });
    await desk.updateTask(child, id, { title: 'Look again' }, 'k2');
    const stranger = world.addRun({ id: 7 });
    expect(await codeOf(() => desk.updateTask(stranger, id, { title: 'Mine' }, 'k2'))).toBe('NOT_FOUND');
  });

  it('sends messages by name, number, run, parent and to whoever answers for it, once a key', async () => {
    const run = aRun({ parentRunId: 4, startedByUserId: null });
    world.addRun({ id: 4, identityId: ada.id });
    const bob = await world.addIdentity('Bob');
    world.events();
    const send = (to: string, key: string) => desk.sendMessage(run, { to, content: `to ${to}`, priority: 'High' }, key);
    const { id } = await send('bob', 'k1');
    expect(await send('bob', 'k1')).toEqual({ id });
    await send(`#${bob.id}`, 'k2');
    expect(await world.inbox.unread(world.tenantId, bob.id)).toBe(2);
    await send('parent', 'k3');
    await send('run:4', 'k4');
    expect(world.engine.read.map((one) => [one.runId, one.text])).toEqual([
      [4, 'to parent'],
      [4, 'to run:4'],
    ]);
    await send('steward', 'k5');
    expect(await world.inbox.unread(world.tenantId, world.administrator._id)).toBe(1);
    expect(world.published.find((one) => one.type === 'run.message')).toMatchObject({
      topics: ['run:5'],
      data: { id, senderName: 'Ada', priority: 'High' },
    });
    for (const to of ['nobody', '#999', 'run:999']) expect(await codeOf(() => send(to, `to ${to}`))).toBe('NOT_FOUND');
  });

  it('does not reach runs of another tenant', async () => {
    const run = aRun();
    world.addRun({ id: 8, tenantId: 999 });
    const send = () => desk.sendMessage(run, { to: 'run:8', content: 'x', priority: 'Normal' }, 'k');
    expect(await codeOf(send)).toBe('NOT_FOUND');
  });
});
