// Makes what the demo shows, by the operations that anybody uses.
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import type { DemoScenario, DemoSize } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Perform } from '../../ports/perform.ts';
import type { AgentRunDto } from '../agent/dto.ts';
import { agentPauseChat } from '../agent/pause-chat/contract.ts';
import { agentRoles } from '../agent/roles/contract.ts';
import { agentRoutines } from '../agent/routines/contract.ts';
import { agentRuns } from '../agent/runs/contract.ts';
import { aiModels } from '../ai-router/models/contract.ts';
import { aiProviders } from '../ai-router/providers/contract.ts';
import { aiRoutes } from '../ai-router/routes/contract.ts';
import { chat } from '../chat/contract.ts';
import { identities } from '../identities/contract.ts';
import { projects } from '../projects/contract.ts';
import { tasks } from '../tasks/contract.ts';
import { users } from '../users/contract.ts';
import type { Held } from './book.ts';
import { modelAt, nameAt, scenes } from './scenes.ts';

/** How many times as much as a small demo. */
const times: Record<DemoSize, number> = { Small: 1, Medium: 2, Large: 5 };
/** What has been is played as fast as it goes. */
const historySpeed = 50;
const names = ['Ada', 'Brook', 'Cyra', 'Delta', 'Eddy', 'Fjord', 'Gauge', 'Haven', 'Isla', 'Jetty', 'Kelp', 'Lock'];
const places = ['north bank', 'south bank', 'island', 'old mill', 'weir', 'footbridge', 'harbour', 'spring'];
/** Scenes of a seeded demo, in turns. */
const seeded: DemoScenario[] = ['SingleRun', 'SpawnTree', 'Escalation', 'Council', 'BudgetExhaustion'];

export interface Seed {
  size: DemoSize;
  includeHistory: boolean;
  seed: number;
}

/** For whom runs work, and where. */
interface Place {
  identityId: number | null;
  projectId: number | null;
}

interface Making {
  perform: Perform;
  caller: Caller;
  demo: Held;
}

/** Fills the tenant. Answers the password of who may look at it. */
export async function fill(making: Making, { size, includeHistory, seed }: Seed): Promise<string> {
  const { perform, caller, demo } = making;
  const pick = picker(seed);
  const count = 3 * times[size];
  const password = randomBytes(12).toString('base64url');
  const username = `demo-${randomBytes(3).toString('hex')}`;
  await demo.change({ username });
  await demo.making(['users', 'identities'], () =>
    perform(users, 'create', caller, { body: { username, password, role: 'Viewer', displayName: 'Demo visitor' } }),
  );
  const agents: number[] = [];
  for (let at = 0; at < count; at++) {
    const name = `Demo ${pick(names, at)}${at < names.length ? '' : ` ${Math.floor(at / names.length) + 1}`}`;
    const bio = `Looks after the ${pick(places, at)}. Made by the demo.`;
    const body = { name, type: 'AI' as const, bio, tags: ['demo'] };
    const made = await demo.making(['users', 'identities'], () => perform(identities, 'create', caller, { body }));
    agents.push(made.id);
  }
  const project = await demo.making(['projects'], () =>
    perform(projects, 'create', caller, {
      body: { name: 'Demo: the river', description: 'Made by the demo; its reset removes it.', tags: ['demo'] },
    }),
  );
  for (let at = 0; at < 2 * count; at++)
    await demo.making(['project_tasks'], () =>
      perform(tasks, 'create', caller, {
        params: { projectId: project.id },
        body: {
          title: `Survey the ${pick(places, at)}`,
          status: at % 4 < 2 ? 'Todo' : 'Backlog',
          assigneeIdentityId: agents[at % agents.length] ?? null,
          tags: ['demo'],
        },
      }),
    );
  for (let at = 0; at < count; at++) {
    const place = { identityId: agents[at] ?? null, projectId: project.id };
    const run = await makeRun(making, pick(seeded, at), place, includeHistory ? historySpeed : 1);
    if (includeHistory) await perform(agentRuns, 'start', caller, { params: { id: run.id } });
  }
  for (let at = 0; at < times[size]; at++) await makeChat(making, agents[at] ?? null, project.id, includeHistory);
  return password;
}

/** A chat with the scripted model, whatever else is configured. */
async function makeChat(
  { perform, caller, demo }: Making,
  identityId: number | null,
  projectId: number,
  asks: boolean,
) {
  const body = { title: 'Demo: about the river', modelId: modelAt('echo', 1), identityId, projectId, hydrate: false };
  const session = await demo.making(['chat_sessions'], () => perform(chat, 'create', caller, { body }));
  if (!asks) return;
  const message = 'Which bank should be surveyed first?';
  await perform(chat, 'ask', caller, { params: { sessionId: session.id }, body: { message } });
}

/** Starts a scene for somebody who wants to see it live. */
export async function playScene(
  making: Making,
  scenario: DemoScenario,
  place: Place,
  speed: number,
): Promise<AgentRunDto> {
  const { perform, caller, demo } = making;
  if (scenario === 'RoutineWake') return wakeRoutine(making, place, speed);
  const roleDefinitionId =
    scenario === 'ProviderFallback' ? await scriptedRole(making, ['demo-down', 'demo-stand-in'], speed) : null;
  const { id } = await makeRun(making, scenario, place, speed, roleDefinitionId);
  const run = await perform(agentRuns, 'start', caller, { params: { id } });
  if (scenario !== 'Chat') return run;
  await demo.making(['chat_sessions'], () =>
    perform(agentPauseChat, 'open', caller, {
      params: { runId: id },
      body: { message: 'What are you doing, and what comes next?', modelId: modelAt('demo-talk', speed) },
    }),
  );
  return perform(agentRuns, 'wait', caller, { params: { id }, query: { timeoutMs: 0 } });
}

/** A run of a scene that has not begun. */
function makeRun(
  { perform, caller, demo }: Making,
  scenario: DemoScenario,
  { identityId, projectId }: Place,
  speed: number,
  roleDefinitionId: number | null = null,
): Promise<AgentRunDto> {
  const { goal, script, ...limits } = scenes[scenario];
  // With a role its route says which model answers.
  const answeredBy = roleDefinitionId === null ? { modelId: modelAt(script, speed) } : { roleDefinitionId };
  return demo.making(['agent_runs'], () =>
    perform(agentRuns, 'create', caller, { body: { goal, ...limits, ...answeredBy, identityId, projectId } }),
  );
}

async function wakeRoutine(making: Making, { identityId, projectId }: Place, speed: number): Promise<AgentRunDto> {
  const { perform, caller, demo } = making;
  const { goal, script } = scenes.RoutineWake;
  const roleDefinitionId = await scriptedRole(making, [script], speed);
  const routine = await demo.making(['agent_routines'], () =>
    perform(agentRoutines, 'create', caller, {
      body: {
        name: `Demo: look at the river ${roleDefinitionId}`,
        briefMarkdown: goal,
        scheduleKindId: 'Manual',
        roleDefinitionId,
        projectId,
        ...(identityId !== null && { identityId }),
      },
    }),
  );
  const row = await perform(agentRoutines, 'run', caller, { params: { id: routine.id } });
  if (row.agentRunId === null)
    throw new Fault('CONFLICT', 'The routine has not started its run.', {
      hint: row.reason ?? 'The queue of routines may be paused: see the page System.',
    });
  await demo.note('agent_runs', row.agentRunId);
  return perform(agentRuns, 'wait', caller, { params: { id: row.agentRunId }, query: { timeoutMs: 0 } });
}

/** A role whose route goes to scripts, each at a provider of its own: the first that is up answers. */
async function scriptedRole({ perform, caller, demo }: Making, scripts: string[], speed: number): Promise<number> {
  const name = `Demo ${randomBytes(3).toString('hex')}`;
  const targets: { aiModelId: number; priority: number }[] = [];
  for (const [at, script] of scripts.entries()) {
    const provider = await demo.making(['ai_providers'], () =>
      perform(aiProviders, 'create', caller, { body: { name: `${name} ${at + 1}`, kind: 'Mock' } }),
    );
    const body = { providerId: provider.id, modelId: `${name} ${script}`, providerModelName: nameAt(script, speed) };
    const model = await demo.making(['ai_models'], () => perform(aiModels, 'create', caller, { body }));
    targets.push({ aiModelId: model.id, priority: at });
  }
  const route = await demo.making(['ai_routes'], () =>
    perform(aiRoutes, 'create', caller, { body: { name, policy: 'Priority', targets, maxAttempts: 1 } }),
  );
  const systemPromptTemplate = 'You are {{agent}}, and show what a demo shows.';
  const role = await demo.making(['agent_roles'], () =>
    perform(agentRoles, 'create', caller, { body: { name, systemPromptTemplate, routeId: route.id } }),
  );
  return role.id;
}

/** Chooses from a list in an order that the seed alone decides. */
function picker(seed: number) {
  const orders = new Map<readonly unknown[], unknown[]>();
  return <T>(from: readonly T[], at: number): T => {
    let order = orders.get(from) as T[] | undefined;
    if (!order) {
      order = shuffled(from, seed);
      orders.set(from, order);
    }
    return order[at % order.length] as T;
  };
}

/** Fisher and Yates, over a linear congruential generator (Numerical Recipes). */
function shuffled<T>(from: readonly T[], seed: number): T[] {
  const list = [...from];
  let state = seed >>> 0;
  for (let at = list.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}
