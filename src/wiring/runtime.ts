// Wires the run engine with its stores, tools, models and sandboxes.
import { createEngine, type Engine } from '../../runtime/engine.ts';
import type { Model } from '../../runtime/model.ts';
import type { Ports } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import { combineTools } from '../../runtime/tools/combined-tools.ts';
import { createActing } from '../auth/acting.ts';
import { createRanks } from '../auth/rank.ts';
import { createBriefings } from '../groups/agent/briefings/briefings.ts';
import { createDesk } from '../groups/agent/desk/desk.ts';
import { findPeopleFor } from '../groups/agent/desk/people.ts';
import { createNotifier } from '../groups/agent/escalations/notifier.ts';
import { createFeedback } from '../groups/agent/feedback/feedback.ts';
import { createNotes } from '../groups/agent/notes/notes.ts';
import { createRoles } from '../groups/agent/roles/roles.ts';
import { withCause } from '../groups/agent/routines/cause.ts';
import { createRoleDefaults } from '../groups/agent/runs/role-defaults.ts';
import { createStaffing, type FindIdentityName } from '../groups/agent/runs/staffing.ts';
import { createTasks } from '../groups/agent/tasks/tasks.ts';
import { createToolProfiles } from '../groups/agent/tool-profiles/profiles.ts';
import { whereFilled } from '../groups/filled-briefs.ts';
import { createWorkRole } from '../groups/identities/work-role.ts';
import { createInbox, type Inbox } from '../groups/messages/inbox.ts';
import type { PartTool } from '../groups/part.ts';
import { briefedRun, toolsForRuns, toolsOf } from '../groups/part-tools.ts';
import { parts } from '../groups/parts.ts';
import { createRelationshipBook } from '../groups/relationships/book.ts';
import { gateOf, proposalsOf } from '../groups/standing-rules/part.ts';
import { createRunLimits } from '../groups/tenant-policy/run-limits.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Indexes } from '../memory/ports.ts';
import type { Outside } from '../outside/outside.ts';
import type { ModelRouter } from '../ports/model-router.ts';
import type { Gate } from '../ports/queues.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { perTenant } from '../ports/tenanted.ts';
import { runs as runCollection } from '../stores/runs/collections.ts';
import { createSocketTools } from '../stream/agents/agent-tools.ts';
import { createRunSink } from '../stream/brokers/run-sink.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ofStorage } from './retention.ts';
import type { OpenSandboxes } from './sandboxes.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';
import { createWorkElsewhere } from './work-elsewhere.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  model: Model;
  router: Pick<ModelRouter, 'supervisorRoute'>;
  policies: Policies;
  gate: Gate;
  clock: Clock;
  log: Logger;
  nodeId: string;
  metrics: Metrics;
  sandboxes: OpenSandboxes;
  /** Where memories are found. */
  indexes: Indexes;
  outside: Outside;
  /** Takes decisions about tool calls of chats. */
  chatDecisions: NonNullable<Ports['chatDecisions']>;
  /** Where traces are exported. */
  tracing?: Ports['tracing'];
}

/** Milliseconds that turns get to end at shutdown before they are handed back to the queue. */
const shutdownGraceMs = 5000;

/** Puts the engine together; it works from `engine.run()` on. */
export async function openRuntime(deps: Deps) {
  const { storage, metrics } = deps;
  const { runs: store } = storage;
  const stores = openStores(deps);
  // The inbox hands messages to runs, and runs send messages through the inbox.
  const inbox = createInbox({
    ...sharedBy(deps),
    repairs: storage.repairs,
    identities: stores.identities,
    bonds: stores.relationships.bonds,
    deliver: async (runId, { key, threadId, text, from }) => {
      const run = await engine.deliverMessage(runId, { key, text, from });
      if (run.interactionThreadId === null) await engine.addEvents(runId, [], { interactionThreadId: threadId });
    },
  });
  const partTools = parts.flatMap((part) => part.tools?.({ ...sharedBy(deps), inbox }) ?? []);
  const { workSignals: signals } = deps.streams;
  const elsewhere = signals && createWorkElsewhere({ signals, nodeId: deps.nodeId, clock: deps.clock });
  const addEvents: Engine['addEvents'] = (runId, events) => engine.addEvents(runId, events);
  const engine: Engine = createEngine(
    { ...portsOf(deps, { ...stores, inbox, partTools }, addEvents), ...(elsewhere && { elsewhere }) },
    { soleOwner: storage.kind === 'embedded' },
  );
  await store.repair();
  metrics.gauge('runs_active', 'Runs at work in this process.', () => engine.stats().running);
  metrics.gauge('engine_entries', 'What the engine keeps in memory, by list.', () => engine.stats().held, 'list');
  return {
    engine,
    ...stores,
    inbox,
    toolsOf: toolsOf(partTools, stores.tenantTools, storage.units),
    close: async () => {
      await engine.shutdown(shutdownGraceMs);
      await elsewhere?.close();
      await store.drain();
    },
  };
}

const sharedBy = ({ storage, streams: { publisher }, indexes, outside, clock }: Deps) => ({
  db: storage.db,
  ids: storage.ids,
  signer: storage.signer,
  versions: storage.versions,
  dataDir: storage.dataDir,
  clock,
  publisher,
  indexes,
  outside,
  findRun: (id: number) => storage.runs.runs.get(id),
  ...ofStorage(storage),
});

/** What runs keep beside their documents, and whom they work for. */
function openStores(deps: Deps) {
  const { auth, repairs } = deps.storage;
  const shared = sharedBy(deps);
  const identities = perTenant(auth.identities);
  const users = perTenant(auth.users);
  const roles = createRoles(shared);
  const profiles = createToolProfiles(shared);
  return {
    notes: createNotes(shared),
    tasks: createTasks(shared),
    feedback: createFeedback({ ...shared, repairs, runs: runCollection }),
    relationships: createRelationshipBook({ ...shared, repairs }),
    roles,
    profiles,
    identities,
    users,
    roleDefaults: createRoleDefaults(roles, profiles),
    workRole: createWorkRole({ identities, roles }),
    acting: createActing({ identities, users, ranks: createRanks(auth) }),
    rules: gateOf(shared),
    ruleProposals: proposalsOf(shared),
    tenantTools: parts.flatMap((part) => part.tenantTools?.(shared) ?? []),
    partTells: parts.flatMap((part) => part.tells?.(shared) ?? []),
    strangerTells: parts.flatMap((part) => part.tellsStrangers?.(shared) ?? []),
  };
}

const toldRuns = (tells: ReturnType<typeof openStores>['partTells']) =>
  tells.map((tell) => (run: RunRecord) => tell(briefedRun(run)));

const partBriefs = (deps: Deps) =>
  parts.flatMap((part) => {
    const brief = part.briefs?.(sharedBy(deps));
    const specs = part.records.map(({ spec }) => spec);
    return brief ? [whereFilled(deps.storage.db, specs, brief)] : [];
  });

type Stores = ReturnType<typeof openStores> & { inbox: Inbox; partTools: readonly PartTool[] };

/** The world as the engine sees it. */
function portsOf(deps: Deps, stores: Stores, addEvents: Engine['addEvents']): Ports {
  const { storage, streams, model, router, policies, clock, sandboxes, chatDecisions, tracing } = deps;
  const log = deps.log.child({ domain: 'Agent' });
  const { notes, tasks, roles, profiles, identities, users, roleDefaults, workRole, acting, inbox, partTools } = stores;
  const { publisher } = streams;
  const store = storage.runs;
  const people = findPeopleFor({ identities, users });
  const getRun = store.runs.get;
  const identityName: FindIdentityName = async (tenant, id) =>
    (await identities(tenant).findOne({ _id: id, isActive: true, deletedAt: null }))?.name ?? null;
  const briefings = createBriefings({
    roles,
    profiles,
    tasks,
    identities,
    inbox,
    clock,
    getRun,
    policies,
    supervisorRoute: router.supervisorRoute,
    briefs: [...partBriefs(deps), ...toldRuns(stores.partTells)],
  });
  return {
    store,
    sink: sandboxes.follow(createRunSink({ publisher, store: streams }), { addEvents }),
    handover: sandboxes.handover,
    tools: withCause(
      combineTools(
        sandboxes.tools,
        toolsForRuns(partTools, stores.tenantTools, storage.units),
        createSocketTools(streams.agentTools),
      ),
    ),
    contracts: sandboxes.contracts,
    model,
    clock,
    log,
    ids: { next: (kind) => storage.ids.next(`agent_${kind}s`) },
    briefings: sandboxes.guard(briefings),
    desk: createDesk({ notes, tasks, inbox, identities, people, getRun }),
    notifier: createNotifier({ inbox, publisher, clock, people }),
    limits: createRunLimits(policies, storage.quotas),
    gate: deps.gate,
    rules: stores.rules,
    staffing: createStaffing({ roleDefaults, identityName, workRole, acting }),
    chatDecisions,
    ...(tracing && { tracing }),
    ...(streams.engineSignals ? { signals: streams.engineSignals } : {}),
  };
}
export type OpenRuntime = Awaited<ReturnType<typeof openRuntime>>;
