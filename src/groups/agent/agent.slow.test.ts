// The engine with the adapters of this group, on a real store.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine, type Engine } from '../../../runtime/engine.ts';
import type { ModelRequest } from '../../../runtime/model.ts';
import type { ToolDefinition } from '../../../runtime/ports.ts';
import { createScriptedModel, type ScriptedTurn } from '../../../runtime/testing/scripted-model.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { createPolicies } from '../../ports/tenant-policy.ts';
import { runCollections } from '../../stores/runs/collections.ts';
import { createRunStore } from '../../stores/runs/run-store.ts';
import type { IdentityDto } from '../identities/dto.ts';
import { createBriefings } from './briefings/briefings.ts';
import { createDesk } from './desk/desk.ts';
import { findPeopleFor } from './desk/people.ts';
import { createNotifier } from './escalations/notifier.ts';
import { agentMessagesService } from './messages/service.ts';
import { createNotes, noteSpec } from './notes/notes.ts';
import { createRoles, roleSpec } from './roles/roles.ts';
import { createFindRun } from './runs/find-run.ts';
import { createRoleDefaults } from './runs/role-defaults.ts';
import { agentRunsService, type RunsDeps } from './runs/service.ts';
import { createStaffing } from './runs/staffing.ts';
import { createTasks, taskSpec } from './tasks/tasks.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery } from './testing/world.ts';
import { createToolProfiles, profileSpec } from './tool-profiles/profiles.ts';

const shell: ToolDefinition = {
  name: 'shell_exec',
  displayName: 'Shell',
  description: 'Runs a command.',
  category: 'sandbox',
  source: 'Sandbox',
  risk: 'Dangerous',
  sandboxed: true,
  input: z.strictObject({ command: z.string() }),
  handler: async (input) => `ran ${ran.push((input as { command: string }).command)}`,
};

let world: AgentWorld;
let ada: IdentityDto;
let engine: Engine;
let store: ReturnType<typeof createRunStore>;
let turns: ScriptedTurn[];
/** In place of `turns`, where several runs take turns. */
let play: ((request: ModelRequest, call: number) => ScriptedTurn) | null;
/** Commands that the shell was given. */
let ran: string[];
let requests: readonly ModelRequest[];
let tasks: ReturnType<typeof createTasks>;

beforeEach(async () => {
  play = null;
  ran = [];
  world = await createAgentWorld([noteSpec, taskSpec, roleSpec, profileSpec, ...runCollections]);
  const { db, ids, clock, identities, inbox, publisher } = world;
  ada = await world.addIdentity('Ada');
  store = createRunStore({ db, ids, logger: silentLogger });
  const roles = createRoles(world);
  const profiles = createToolProfiles(world);
  tasks = createTasks(world);
  await roles.seed(world.tenantId);
  await profiles.seed(world.tenantId, roles);
  const people = findPeopleFor(world);
  const getRun = (id: number) => store.runs.get(id);
  const identityName = async () => 'somebody';
  const model = createScriptedModel(
    clock,
    (request, call) => play?.(request, call) ?? (turns[Math.min(call, turns.length - 1)] as ScriptedTurn),
  );
  requests = model.requests;
  engine = createEngine(
    {
      store,
      sink: { publish: () => undefined },
      model,
      clock,
      log: silentLogger,
      ids: { next: (kind) => ids.next(kind) },
      tools: { forRun: () => [shell], all: () => [shell] },
      briefings: createBriefings({
        roles,
        profiles,
        tasks,
        identities,
        inbox,
        clock,
        getRun,
        policies: createPolicies(world),
      }),
      staffing: createStaffing({
        workRole: async () => null,
        acting: world.acting,
        roleDefaults: createRoleDefaults(roles, profiles),
        identityName,
      }),
      desk: createDesk({ notes: createNotes(world), tasks, inbox, identities, people, getRun }),
      notifier: createNotifier({ inbox, publisher, clock, people }),
    },
    { soleOwner: true },
  );
  world.engine.deliver = async (runId, { key, text, from }) =>
    void (await engine.deliverMessage(runId, { key, text, from }));
  void engine.run();
});
afterEach(async () => {
  await engine.shutdown(0);
  await store.drain();
  await world.close();
});

const start = (more: object = {}) =>
  engine.create({
    tenantId: world.tenantId,
    identityId: ada.id,
    role: 'researcher',
    goal: 'Count the stars',
    autoStart: true,
    ...more,
  });

/** Moves the clock in small steps, so that a slow disk does not use up the runs' time; the test's own limit ends it. */
async function until(done: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await done())) await world.clock.advance(5);
}
const statusOf = async (id: number) => (await store.runs.get(id))?.status;
const systemOf = (request: ModelRequest | undefined) => String(request?.messages[0]?.content);

it('runs are briefed by their role, keep notes once, and see their tasks', async () => {
  turns = [
    { calls: [{ name: 'run_note', arguments: { type: 'Finding', content: 'There are many.' } }] },
    { text: 'Very many.' },
  ];
  const { id } = await start({ autoStart: false });
  await tasks.create({ id, tenantId: world.tenantId, rootRunId: id, projectId: null }, { title: 'Look up' });
  await engine.start(id);
  await until(async () => (await statusOf(id)) === 'Completed');
  expect(systemOf(requests[0])).toContain('You are Ada, a researcher.');
  expect(systemOf(requests[0])).toMatch(/Your open tasks:\n- #\d+ Look up \(Todo\)/);
  expect(requests[0]?.temperature).toBe(0.3);
  expect(await world.db.collection(noteSpec).find().toArray()).toMatchObject([
    { runId: id, type: 'Finding', content: 'There are many.' },
  ]);
});

it('a patched role brings its definition, and a definition its name', async () => {
  const { id } = await start({ autoStart: false });
  const roles = createRoles(world);
  const api = agentRunsService({
    workRole: async () => null,
    engine,
    findRun: createFindRun((run) => store.runs.get(run)),
    roleDefaults: createRoleDefaults(roles, createToolProfiles(world)),
    acting: world.acting,
    requireOpenProject: async () => {},
    clock: world.clock,
  } as Partial<RunsDeps> as RunsDeps).handlers;
  const patch = (body: object) => api.patch({ ...noQuery, params: { id }, caller: world.caller, body });
  const coder = await roles.findByName(world.tenantId, 'coder');
  expect(await patch({ role: 'Coder' })).toMatchObject({ role: 'coder', roleDefinitionId: coder?._id });
  expect(await codeOf(() => patch({ role: 'stargazer' }))).toBe('NOT_FOUND');
  expect(await patch({ roleDefinitionId: coder?._id })).toMatchObject({ role: 'coder' });
  expect(await codeOf(() => patch({ roleDefinitionId: 987_654 }))).toBe('NOT_FOUND');
});

it('messages reach a run at its next turn, once', async () => {
  turns = [{ text: 'Done.' }];
  const { id } = await start({ autoStart: false });
  const { inbox, acting } = world;
  const api = agentMessagesService({ inbox, acting, findRun: createFindRun((run) => store.runs.get(run)) });
  const body = { content: 'Count the planets too' };
  await api.handlers.create({ ...noQuery, params: { runId: id }, caller: world.caller, body });
  expect(await world.inbox.unread(world.tenantId, ada.id)).toBe(1);
  await engine.start(id);
  await until(async () => (await statusOf(id)) === 'Completed');
  const said = requests[0]?.messages.filter((one) => String(one.content).includes('planets'));
  expect(said?.map((one) => one.content)).toEqual(['[Message from Administrator] Count the planets too']);
  expect(await world.inbox.unread(world.tenantId, ada.id)).toBe(0);
});

it('runs ask people, write to them and keep tasks, through the desk and the notifier', async () => {
  turns = [
    {
      calls: [
        { name: 'task_create', arguments: { title: 'Look up' }, id: 'a' },
        { name: 'message_send', arguments: { to: 'steward', content: 'I begin.' }, id: 'b' },
        { name: 'message_send', arguments: { to: 'nobody', content: 'Hello?' }, id: 'c' },
      ],
    },
    { calls: [{ name: 'run_escalate', arguments: { situation: 'North or south?', urgency: 'High' } }] },
    { text: 'North it is.' },
  ];
  const { id } = await start({ startedByUserId: world.caller.userId });
  await until(async () => (await statusOf(id)) === 'WaitingForDecision');
  const answers = requests[1]?.messages.filter((one) => one.role === 'tool').map((one) => String(one.content));
  expect(answers?.[0]).toMatch(/^\{"taskId":\d+\}$/);
  expect(answers?.[2]).toContain('There is nobody called nobody.');
  expect(systemOf(requests[1])).toMatch(/- #\d+ Look up \(Todo\)/);
  const [escalation] = await store.escalations.ofRun(id);
  await until(async () => (await store.escalations.ofRun(id))[0]?.notificationState === 'Sent');
  expect(await world.inbox.unread(world.tenantId, world.administrator._id)).toBe(2);
  await engine.resolveEscalation(escalation?.id ?? 0, { decision: 'North', by: 'Administrator' });
  await until(async () => (await statusOf(id)) === 'Completed');
  expect((await store.runs.get(id))?.result?.summary).toBe('North it is.');
});

it('runs do not get the tools that their role is denied', async () => {
  turns = [{ text: 'Done.' }];
  const offered = async (role: string) => {
    const before = requests.length;
    const { id } = await start({ role });
    await until(async () => (await statusOf(id)) === 'Completed');
    return requests[before]?.tools?.map((tool) => tool.name) ?? [];
  };
  expect(await offered('coder')).toContain('shell_exec');
  const ofResearcher = await offered('researcher');
  expect(ofResearcher).not.toContain('shell_exec');
  expect(ofResearcher).toContain('run_plan');
});

/** Has a run of a role spawn one child that calls the shell; answers the child, once it has rested, and what was told. */
async function spawnFrom(role: string, child: object) {
  const isChild = ({ messages }: ModelRequest) => messages.some((one) => one.role === 'user' && one.content === 'Dig.');
  play = (request) => {
    if (request.messages.some((one) => one.role === 'tool')) return { text: 'Done.' };
    const shellCall = { name: 'shell_exec', arguments: { command: 'dig' } };
    return { calls: [isChild(request) ? shellCall : { name: 'run_spawn', arguments: { goal: 'Dig.', ...child } }] };
  };
  const { id } = await start({ role });
  const children = async () => (await store.runs.list({ tenantId: world.tenantId, parentRunId: id, limit: 5 })).items;
  const atWork = ['Queued', 'Running', 'WaitingForChildren'];
  await until(async () => {
    const [one, parent] = [(await children())[0], await store.runs.get(id)];
    return !atWork.includes(one?.status ?? 'Completed') && (one !== undefined || parent?.status === 'Completed');
  });
  const told = requests.flatMap(({ messages }) => messages.filter((one) => one.role === 'tool'));
  return { child: (await children())[0], told: told.map((one) => String(one.content)) };
}

it('a role that nobody has defined is refused, and the agent is told which there are', async () => {
  const { child, told } = await spawnFrom('researcher', { role: 'no-such-role' });
  expect(child).toBeUndefined();
  expect(told[0]).toMatch(/^NOT_FOUND: There is no role no-such-role\. Use one of coder, .*worker/);
});

it('a child may use no more than its parent, whatever its own role allows', async () => {
  const { child, told } = await spawnFrom('researcher', { role: 'coder' });
  expect(child).toMatchObject({ role: 'coder', status: 'Completed' });
  expect(told.join()).toContain('no tool shell_exec');
  expect(ran).toEqual([]);
});

it('a child asks where its parent has to', async () => {
  const lists = { safeTools: [], optInTools: ['shell_exec'], blockedTools: [], sandboxedTools: [] };
  const about = { role: 'careful', name: 'careful', roleDefinitionId: null, description: null };
  await createToolProfiles(world).insert({ tenantId: world.tenantId }, { ...about, ...lists, discoveryEnabled: true });
  const { child } = await spawnFrom('careful', { role: 'coder' });
  expect(child).toMatchObject({ role: 'coder', status: 'WaitingForDecision' });
  expect(ran).toEqual([]);
});
