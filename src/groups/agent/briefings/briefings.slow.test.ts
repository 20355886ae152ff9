import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../runtime/records.ts';
import { createPolicies } from '../../../ports/tenant-policy.ts';
import type { IdentityDto } from '../../identities/dto.ts';
import { createRoles, roleSpec } from '../roles/roles.ts';
import { createTasks, taskSpec } from '../tasks/tasks.ts';
import { type AgentWorld, codeOf, createAgentWorld } from '../testing/world.ts';
import { createToolProfiles, profileSpec } from '../tool-profiles/profiles.ts';
import { type BriefingsDeps, createBriefings } from './briefings.ts';

let world: AgentWorld;
let ada: IdentityDto;
let deps: BriefingsDeps;
beforeEach(async () => {
  world = await createAgentWorld([roleSpec, profileSpec, taskSpec]);
  ada = await world.addIdentity('Ada');
  const { identities, inbox, clock } = world;
  deps = {
    roles: createRoles(world),
    profiles: createToolProfiles(world),
    tasks: createTasks(world),
    identities,
    inbox,
    clock,
    getRun: world.getRun,
    policies: createPolicies(world),
  };
  await deps.roles.seed(world.tenantId);
  await deps.profiles.seed(world.tenantId, deps.roles);
});
afterEach(() => world.close());

const aRun = (fields: Partial<RunRecord> = {}) => world.addRun({ id: 5, identityId: ada.id, role: 'coder', ...fields });
const prepare = (run: RunRecord) => createBriefings(deps).prepare(run, new AbortController().signal);

describe('the briefing of a run', () => {
  it('tells it its role, who it is, and how work is done', async () => {
    const personality = {
      tone: 'dry',
      traits: ['exact', 'calm'],
      boundaries: ['guess'],
      customInstructions: 'Use SI units.',
    };
    await world
      .identities(world.tenantId)
      .updateOne({ _id: ada.id }, { $set: { bio: 'First of her kind.', personality } });
    world.addRun({ id: 4, identityId: ada.id, role: 'coder' });
    const { system, temperature, modelId } = await prepare(aRun({ parentRunId: 4, modelId: 'm:a' }));
    expect(system).toContain('You are Ada, a software engineer with a workspace of your own.');
    expect(system).toContain(
      'You are Ada, run 5, in the role Coder. Today is 2026-01-01 (UTC). Run 4 gave you this goal',
    );
    expect(system).toContain(
      'About you:\nFirst of her kind.\nYour tone: dry.\nYour traits: exact; calm.\nWhat you never do: guess.\nUse SI units.',
    );
    expect(system).toContain('run_escalate');
    expect(system).not.toMatch(/\{\{|undefined|null/);
    expect({ temperature, modelId }).toEqual({ temperature: 0.2, modelId: 'm:a' });
  });

  it('stays the same text for a whole day, so that providers can cache it', async () => {
    const first = await prepare(aRun());
    await world.clock.advance(3_600_000);
    expect(await prepare(aRun())).toEqual(first);
  });

  it('does for roles that nobody has defined', async () => {
    const { system, temperature, policy } = await prepare(aRun({ role: 'astronomer' }));
    expect(system).toContain('You are Ada, an autonomous agent in the role astronomer.');
    expect(temperature).toBeUndefined();
    expect(policy).toBeUndefined();
  });

  it('has tools for those who work through others from the start', async () => {
    expect((await prepare(aRun({ role: 'planner' }))).toolSets).toEqual(['children', 'tasks']);
    expect((await prepare(aRun({ role: 'coder' }))).toolSets).toBeUndefined();
  });

  it('names the models: of the run, else by the route of its role, and who looks at its escalations first', async () => {
    const role = await deps.roles.findByName(world.tenantId, 'coder');
    await deps.roles.of(world.tenantId).updateOne({ _id: role?._id ?? 0 }, { $set: { routeId: 12 } });
    expect(await prepare(aRun())).toMatchObject({ modelId: 'route:12', supervisor: null });
    expect(await prepare(aRun({ modelId: 'm:a' }))).toMatchObject({ modelId: 'm:a' });
    deps.supervisorRoute = async () => 9;
    expect((await prepare(aRun())).supervisor).toEqual({ modelId: 'route:9', autoResolveConfidence: 0.8 });
    const { policies } = deps;
    deps.policies = {
      ...policies,
      of: async (id) => ({ ...(await policies.of(id)), supervisorAutoResolveConfidence: 0.95 }),
    };
    expect((await prepare(aRun())).supervisor).toMatchObject({ autoResolveConfidence: 0.95 });
  });

  it('follows the definition of the role from turn to turn', async () => {
    const role = await deps.roles.findByName(world.tenantId, 'coder');
    const run = aRun({ roleDefinitionId: role?._id ?? 0, goal: '{{agent}} must not be read' });
    await deps.roles
      .of(world.tenantId)
      .updateOne({ _id: role?._id ?? 0 }, { $set: { systemPromptTemplate: 'Goal: {{goal}}', fallbackModelId: 'm:b' } });
    const { system, fallbackModelIds } = await prepare(run);
    expect(system).toMatch(/^Goal: \{\{agent\}\} must not be read\n/);
    expect(fallbackModelIds).toEqual(['m:b']);
    await deps.roles.of(world.tenantId).updateOne({ _id: role?._id ?? 0 }, { $set: { deletedAt: new Date(0) } });
    expect(await codeOf(() => prepare(run))).toBe('NOT_FOUND');
  });

  it('does not go on without its identity or the tool profile it names', async () => {
    expect(await codeOf(() => prepare(aRun({ toolProfileName: 'gone' })))).toBe('NOT_FOUND');
    await world.identities(world.tenantId).updateOne({ _id: ada.id }, { $set: { isActive: false } });
    expect(await codeOf(() => prepare(aRun()))).toBe('NOT_FOUND');
  });

  it('answers once when its own tool profile and that of the run above are both gone', async () => {
    world.addRun({ id: 4, identityId: ada.id, role: 'coder', toolProfileName: 'lost' });
    const leftAlone: unknown[] = [];
    const note = (error: unknown) => leftAlone.push(error);
    process.on('unhandledRejection', note);
    expect(await codeOf(() => prepare(aRun({ parentRunId: 4, toolProfileName: 'gone' })))).toBe('NOT_FOUND');
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', note);
    expect(leftAlone).toEqual([]);
  });

  it('reminds it of its open tasks', async () => {
    const run = aRun();
    expect((await prepare(run)).hydration).toBeNull();
    const task = await deps.tasks.create(run, { title: 'Look' });
    await deps.tasks.create(run, { title: 'Done before', status: 'Done' });
    expect((await prepare(run)).hydration).toBe(`Your open tasks:\n- #${task._id} Look (Todo)`);
  });

  it('lays the tools of role, identity and run over each other', async () => {
    const lists = { safeTools: [], optInTools: [], blockedTools: [], sandboxedTools: [], discoveryEnabled: true };
    const about = { roleDefinitionId: null, description: null };
    await deps.profiles.insert(
      { tenantId: world.tenantId },
      {
        ...lists,
        ...about,
        role: 'any',
        name: 'strict',
        safeTools: ['file_*'],
        optInTools: ['shell_exec'],
        discoveryEnabled: false,
      },
    );
    const tools = { name: 'ada', description: null, safeTools: [], optInTools: [], blockedTools: ['council_convene'] };
    await world.identities(world.tenantId).updateOne({ _id: ada.id }, { $set: { tools } });
    const { policy, system } = await prepare(aRun({ role: 'reviewer', toolProfileName: 'Strict' }));
    expect(policy).toEqual({
      safe: ['file_*'],
      optIn: ['shell_exec'],
      blocked: ['file_write', 'council_convene'],
      sandboxed: [],
      layers: ['role:reviewer', 'run:strict', 'identity:ada'],
      within: [{ safe: ['*'], optIn: [], blocked: ['council_convene'], layers: ['identity:ada'] }],
    });
    expect(system).not.toContain('council_convene');
    expect(system).not.toContain('memory_search');
    expect(system).toContain('run_spawn');
  });
});
