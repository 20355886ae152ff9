// The run engine: durable and exact; it reaches the outside only through its ports, so that tests can replace them.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventQuery, Ports, RunQuery, ToolDefinition, Tools } from './ports.ts';
import type { AgentEvent, ChangeEvent, Checkpoint, EventDraft, RunRecord } from './records.ts';
import type { Breakpoint, BreakpointDraft } from './state/breakpoints.ts';
import type { CouncilRecord } from './state/council.ts';
import type { EscalationRecord } from './state/escalation.ts';
import type { TreeRecord } from './state/tree.ts';
import { abandonCouncils, type CouncilDraft, deliberate } from './systems/councils/councils.ts';
import type { ChatPlace } from './systems/councils/hosts.ts';
import { askCouncil } from './systems/councils/rulings.ts';
import * as outcomes from './systems/escalations/decisions.ts';
import * as escalations from './systems/escalations/escalations.ts';
import { aliveNodes, createLease } from './systems/life/leases.ts';
import type { RunDraft } from './systems/life/new-run.ts';
import { commit } from './systems/records/commits.ts';
import { type Core, createCore, type EngineOptions, heldIn, Stop } from './systems/records/core.ts';
import { letGo } from './systems/records/escalation-records.ts';
import { runOf } from './systems/records/find-run.ts';
import type { Keyed } from './systems/records/keyed-commands.ts';
import { treeOf } from './systems/records/known-trees.ts';
import * as breakpoints from './systems/trees/breakpoints.ts';
import * as pools from './systems/trees/pools.ts';
import { viewsOf, viewTextsOf, viewVersionOf } from './systems/trees/trees.ts';
import { toolSetsTool } from './systems/turn/tool-sets.ts';
import * as control from './systems/work/control.ts';
import * as creation from './systems/work/creation.ts';
import { reconcile } from './systems/work/recovery.ts';
import { removeRun } from './systems/work/removal.ts';
import * as again from './systems/work/restart-and-fork.ts';
import { createScheduler } from './systems/work/scheduler.ts';
import { type Place, type RunState, stateAt } from './systems/work/state-at.ts';
import { hear, waitForEnd } from './systems/work/waiting.ts';
import { type ToolInfo, toolInfo } from './tool-schema.ts';
import { combineTools } from './tools/combined-tools.ts';
import { councilTools } from './tools/council-tools.ts';
import { deskTools, escalationTools } from './tools/desk-tools.ts';
import { runTools } from './tools/run-tools.ts';
import { treeTools } from './tools/tree-tools.ts';
import type { RunView } from './views/run.ts';
import type { RunText } from './views/run-text.ts';

export interface Engine {
  /** Takes over what earlier processes left, then works until `shutdown`. */
  run(): Promise<void>;
  /** Stops claiming runs, lets steps end for `graceMs`, requeues the rest, and releases the lease. */
  shutdown(graceMs?: number): Promise<void>;
  /** One round of repair and take-over; the engine also starts one itself every second. */
  reconcile(): Promise<void>;
  /** Name of this node, once its lease is valid. @throws Fault STORE_UNAVAILABLE */
  holdLease(): Promise<string>;

  create(draft: RunDraft): Promise<RunRecord>;
  start(runId: number, overrides?: creation.StartOverrides): Promise<RunRecord>;
  restart(runId: number, request?: again.RestartRequest): Promise<RunRecord>;
  fork(runId: number, request?: again.ForkRequest): Promise<RunRecord>;
  spawn(parentRunId: number, draft: creation.ChildDraft): Promise<RunRecord>;
  patch(runId: number, patch: pools.RunPatch): Promise<RunRecord>;
  /** Removes an ended run with its logs; Fault INVALID_TRANSITION otherwise. */
  remove(runId: number, removeParts?: () => Promise<void>): Promise<void>;

  cancel(runId: number, request?: control.StopRequest): Promise<control.ActionResult>;
  pause(runId: number, request?: control.StopRequest): Promise<control.ActionResult>;
  resume(runId: number, request?: control.ResumeRequest): Promise<control.ActionResult>;
  checkpoint(runId: number, label?: string | null, asked?: Keyed): Promise<control.ActionResult>;
  changePool(runId: number, change: pools.PoolChange): Promise<RunRecord>;
  deliverMessage(runId: number, message: control.IncomingMessage): Promise<RunRecord>;
  /** Waits until the run has ended or `timeoutMs` have passed; returns it as it then is. */
  wait(runId: number, timeoutMs: number, signal?: AbortSignal): Promise<RunRecord>;

  /** Breakpoints that apply to a run. */
  breakpoints(runId: number): Promise<Breakpoint[]>;
  setBreakpoint(runId: number, draft: BreakpointDraft, by: string | null): Promise<Breakpoint>;
  removeBreakpoint(runId: number, id: string, by: string | null): Promise<void>;

  escalate(runId: number, draft: escalations.EscalationDraft): Promise<EscalationRecord>;
  /** Raises the approval of a chat's tool call; `ports.chatDecisions` receives the decision. */
  askForChat(question: escalations.ChatQuestion): Promise<EscalationRecord>;
  /** Reserves an escalation id, so that a chat can store it before it asks. */
  nextEscalationId(): Promise<number>;
  withdrawEscalation(id: number): Promise<void>;
  /** Decides an escalation, or with mode `Council` has a council of its run decide it. */
  resolveEscalation(id: number, resolution: outcomes.Resolution): Promise<EscalationRecord>;
  /** Holds a council for a chat; the same key gives the same council. Rejects with the signal's reason when aborted. */
  deliberate(place: ChatPlace, draft: CouncilDraft): Promise<CouncilRecord>;
  /** Ends the councils of a chat whose reply was lost with its server. */
  abandonCouncils(chatSessionId: number): Promise<void>;

  get(runId: number): Promise<RunRecord>;
  list(query: RunQuery): Promise<{ items: RunRecord[]; total: number }>;
  tree(rootRunId: number): Promise<TreeRecord>;
  events(runId: number, query: EventQuery): Promise<AgentEvent[]>;
  /** The views of the same events as the text of a JSON array. */
  eventTexts(runId: number, query: EventQuery): Promise<string>;
  checkpoints(runId: number, limit: number): Promise<Checkpoint[]>;
  /** State of a run at a checkpoint, after a turn, or now: what a fork from there begins with. */
  stateAt(runId: number, place: Place): Promise<RunState>;
  /** A run as the interface shows it, with exact roll-ups. */
  view(run: RunRecord): Promise<RunView>;
  /**
   * Version of a run's view: changes whenever `view` returns something else; null while pool settlements are in
   * flight.
   */
  viewVersion(run: RunRecord): Promise<string | null>;
  /** Views of several runs; each tree is read once. */
  views(runs: readonly RunRecord[]): Promise<RunView[]>;
  /** The same as JSON texts. */
  viewTexts(runs: readonly (RunRecord | RunText)[]): Promise<string[]>;
  /** Adds events of another part (feedback, files, sandbox) to a run's log. */
  addEvents(runId: number, events: EventDraft[], set?: Partial<RunRecord>): Promise<RunRecord>;
  /** Tools of a tenant, or of one of its identities, built-in ones first. */
  listTools(tenantId: number, identityId?: number): Promise<ToolInfo[]>;
  /** Names of the living nodes, this one included. */
  aliveNodes(): Promise<string[]>;
  /** Counts for metrics. */
  /** `held` counts entries in memory, by kind. */
  stats(): { running: number; node: string; leaseValid: boolean; held: Record<string, number> };
}

/** An engine over its ports; it does nothing before `run`. */
export function createEngine(ports: Ports, options: Partial<EngineOptions> = {}): Engine {
  const core = createCore(ports, options);
  core.tools = combineTools(builtInTools(core, ports.desk), ...(ports.tools ? [ports.tools] : []));

  return {
    ...lifeOf(core),

    create: (draft) => creation.create(core, draft),
    start: (runId, overrides = {}) => creation.start(core, runId, overrides),
    restart: (runId, request = {}) => again.restart(core, runId, request),
    fork: (runId, request = {}) => again.fork(core, runId, request),
    spawn: (parentRunId, draft) => creation.spawn(core, parentRunId, draft),
    patch: (runId, patch) => pools.patchRun(core, runId, patch),
    remove: (runId, removeParts) => removeRun(core, runId, removeParts),

    cancel: (runId, request = {}) => control.stop(core, runId, 'cancel', request),
    pause: (runId, request = {}) => control.stop(core, runId, 'pause', request),
    resume: (runId, request = {}) => control.resume(core, runId, request),
    checkpoint: (runId, label = null, asked = {}) => control.checkpoint(core, runId, label, asked),
    changePool: (runId, change) => pools.changePool(core, runId, change),
    deliverMessage: (runId, message) => control.deliverMessage(core, runId, message),
    wait: (runId, timeoutMs, signal) => waitForEnd(core, runId, timeoutMs, signal),

    breakpoints: (runId) => breakpoints.breakpointsOf(core, runId),
    setBreakpoint: (runId, draft, by) => breakpoints.setBreakpoint(core, runId, draft, by),
    removeBreakpoint: (runId, id, by) => breakpoints.removeBreakpoint(core, runId, id, by),

    escalate: async (runId, draft) => escalations.escalateRun(core, await runOf(core, runId), draft),
    askForChat: (question) => escalations.askForChat(core, question),
    nextEscalationId: () => core.ids.next('escalation'),
    withdrawEscalation: (id) => outcomes.withdraw(core, id),
    resolveEscalation: (id, resolution) =>
      resolution.mode === 'Council' && !resolution.requestRevision
        ? askCouncil(core, id, resolution)
        : outcomes.resolve(core, id, resolution),
    deliberate: (place, draft) => deliberate(core, place, draft),
    abandonCouncils: (chatSessionId) => abandonCouncils(core, chatSessionId),

    get: (runId) => runOf(core, runId),
    list: (query) => core.store.runs.list(query),
    tree: (rootRunId) => treeOf(core, rootRunId),
    events: (runId, query) => core.store.runs.events(runId, query),
    eventTexts: (runId, query) => core.store.runs.eventTexts(runId, query),
    checkpoints: (runId, limit) => core.store.checkpoints.list(runId, limit),
    stateAt: (runId, place) => stateAt(core, runId, place),
    view: async (run) => (await viewsOf(core, [run]))[0]!,
    viewVersion: (run) => viewVersionOf(core, run),
    views: (runs) => viewsOf(core, runs),
    viewTexts: (runs) => viewTextsOf(core, runs),
    async addEvents(runId, events, set) {
      await runOf(core, runId);
      // Only the table of statuses moves a run, so `movedTo` of a caller's event is dropped.
      const reported = events.map(({ movedTo: _, ...event }: ChangeEvent) => event);
      const committed = await commit(core, runId, () => ({ events: reported, ...(set ? { set } : {}) }));
      return committed!.run;
    },
    listTools: async (tenantId, identityId) => ((await core.tools?.all(tenantId, identityId)) ?? []).map(toolInfo),
    aliveNodes: () => aliveNodes(core),
    stats: () => ({ running: core.live.size, node: core.node, leaseValid: core.leaseValid(), held: heldIn(core) }),
  };
}

/** Tools that every engine has. */
function builtInTools(core: Core, desk: Ports['desk']): Tools {
  const tools: ToolDefinition[] = [
    ...runTools(desk),
    toolSetsTool,
    ...treeTools(core),
    ...escalationTools(core),
    ...councilTools(core),
    ...(desk ? deskTools(desk) : []),
  ];
  return { forRun: () => tools, all: () => tools };
}

/** Life cycle of the engine: its lease, its slots, and its rounds of repair. */
function lifeOf(core: Core): Pick<Engine, 'run' | 'shutdown' | 'reconcile' | 'holdLease'> {
  const scheduler = createScheduler(core);
  const lease = createLease(core);
  // Work on a run must not inherit the async context of the request that woke it.
  const apart = AsyncLocalStorage.snapshot();
  core.wake = (run) => apart(() => scheduler.offer(run));
  const stops: (() => void)[] = [];
  let rounds: Promise<void> = Promise.resolve();

  const round = (startup: boolean) => {
    rounds = rounds.then(async () => {
      if (core.closing) return;
      try {
        await reconcile(core, startup);
        await scheduler.poll();
      } catch (error) {
        core.log.error({ err: error }, 'a round of repair failed; another follows');
      }
    });
    return rounds;
  };

  return {
    async run() {
      await lease.beat();
      await round(true);
      stops.push(core.clock.every(core.options.reconcileMs, () => void round(false)));
      const unlisten = core.signals?.listen((signal) => void hear(core, signal));
      if (unlisten) stops.push(unlisten);
    },
    async shutdown(graceMs = 5000) {
      core.closing = true;
      for (const stop of stops.splice(0)) stop();
      const cancelTimer = core.clock.after(graceMs, () => {
        for (const live of core.live.values()) live.abort.abort(new Stop('shutdown'));
      });
      await scheduler.idle();
      await Promise.all(core.errands);
      for (const id of core.held.keys()) letGo(core, id);
      cancelTimer();
      await rounds;
      await lease.stop();
    },
    reconcile: () => round(false),
    holdLease: () => lease.hold(),
  };
}
