// The core of the engine, which every system works on: ports, options and what this process holds in memory.
import { randomUUID } from 'node:crypto';
import type { ToolCallRecord } from '../../message-log.ts';
import type { ModelMessage } from '../../model.ts';
import type { Briefing, HeldQuestion, Ports, RunChange } from '../../ports.ts';
import type { RunRecord, Settlement } from '../../records.ts';
import type { Times } from '../../state/run.ts';
import type { TreeRecord } from '../../state/tree.ts';

export interface EngineOptions {
  /** Limit of concurrent runs of this process. */
  slots: number;
  slotsPerTenant: number;
  slotsPerTree: number;
  /** Duration of a lease in ms: a node silent for longer loses its runs. */
  leaseMs: number;
  /** Limit of owners lost without a finished step before a run is failed. */
  maxCrashes: number;
  /** Limit of failed model calls in one turn before the run fails. */
  maxModelFailures: number;
  toolTimeoutMs: number;
  parallelTools: number;
  /** Limit in characters of a tool's output in the model's context. */
  toolOutputChars: number;
  maxSpawnDepth: number;
  /** Length in characters above which the model also summarises an output. */
  summarizeAboveChars: number;
  /** Limit of live runs per tree. */
  maxTreeRuns: number;
  /** Time in ms that a model call may continue after a pause request. */
  pauseGraceMs: number;
  /** Interval in ms between two rounds of reconciliation. */
  reconcileMs: number;
  /** True when no other process shares the store: orphans are taken over at once. */
  soleOwner: boolean;
  /** Limits of runs that name none. */
  defaults: {
    maxIterations: number;
    maxTokens: number;
    maxWallClockMs: number;
    contextBudgetTokens: number;
    hardIterationCap: number;
    poolIterationBudget: number;
    poolTokenBudget: number;
  };
}

export const defaultOptions: EngineOptions = {
  slots: 1000,
  slotsPerTenant: 1000,
  slotsPerTree: 200,
  leaseMs: 10_000,
  maxCrashes: 3,
  maxModelFailures: 5,
  toolTimeoutMs: 120_000,
  parallelTools: 8,
  toolOutputChars: 16_000,
  summarizeAboveChars: 64_000,
  maxSpawnDepth: 5,
  maxTreeRuns: 100,
  pauseGraceMs: 10_000,
  reconcileMs: 1000,
  soleOwner: false,
  defaults: {
    maxIterations: 50,
    maxTokens: 500_000,
    maxWallClockMs: 3_600_000,
    contextBudgetTokens: 100_000,
    hardIterationCap: 500,
    poolIterationBudget: 500,
    poolTokenBudget: 5_000_000,
  },
};

/** A change of a run that waits for the next commit. */
export interface Deferred {
  change: (now: RunRecord) => RunChange;
  /** Stored state that the change was last computed for; the fields below are the change and the state after it. */
  base: RunRecord;
  made: RunChange;
  after: RunRecord;
  onMade: () => void;
}

/** A run that this process works on. */
export interface LiveRun {
  /** Newest state that this process knows. */
  run: RunRecord;
  fence: number;
  /** Aborted when the work must stop; its reason is a Stop. */
  abort: AbortController;
  /** Messages of the model's context from `run.context.from` on; index 0 is log entry `offset`. */
  messages: ModelMessage[];
  offset: number;
  /** Journal of the newest assistant message's calls; null before it is read or without calls. */
  journal: ToolCallRecord[] | null;
  /** Briefing of the present turn. */
  briefing: Briefing | null;
  briefedAt: number;
  /** Changes to merge into the next commit, so that both are one write. */
  deferred: Deferred | null;
  /** Pool settlements in flight, and model calls already settled. */
  unsettled: Settlement[];
  settled: Set<string>;
  /**
   * Calls made under this lease, in turns and beside them; the field below counts tokens that calls beside turns
   * hold now.
   */
  callCount: number;
  auxCount: number;
  auxTokens: number;
  lastBudgetAt: number;
  /** Save of a checkpoint in flight. */
  saving: Promise<void>;
  /** Called with the newest state when a stop was requested. */
  onControl(run: RunRecord): void;
  done: Promise<void>;
}

/** Reason why the work on a run is aborted. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly why: 'cancel' | 'pause' | 'time' | 'shutdown' | 'lost';
  constructor(why: Stop['why']) {
    super(`The run was stopped: ${why}.`);
    this.why = why;
  }
}

/** Settlements by call id; replaced by another map whenever one is added or removed. */
export type Owed = ReadonlyMap<string, Settlement>;

/** A requested change of a tree; `made` is called when the newest state allowed it. */
export interface TreeAsk {
  decide(now: TreeRecord): Partial<TreeRecord> | null;
  made: boolean;
  refusal: unknown;
  resolve(tree: TreeRecord | null): void;
  reject(error: unknown): void;
}

export interface Core extends Ports {
  random: () => number;
  node: string;
  options: EngineOptions;
  live: Map<number, LiveRun>;
  /** Runs whose claim or rest could not be written: this process may own them without working on them. */
  abandoned: Set<number>;
  /** Pool settlements in flight, by root run. */
  owed: Map<number, Owed>;
  /** Newest known trees, for views and first guesses. */
  trees: Map<number, TreeRecord>;
  /** Times at which trees came to rest, as published by this process. */
  toldQuiet: Map<number, number | null>;
  /**
   * Newest seq of each run that was passed to the sink; the map below holds the newest that is safe there but not
   * recorded.
   */
  told: Map<number, number>;
  published: Map<number, number>;
  /** Runs whose newest summary is not yet published to lists, in their latest state. */
  summaries: Map<number, RunRecord>;
  /** Time at which a rate-limited model may be called again, by model id. */
  throttled: Map<string, number>;
  /** Queued changes of a tree, by root run. */
  treeAsks: Map<number, TreeAsk[]>;
  /** Runs work of one key in order, one piece at a time. */
  serial<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Called whenever something may have become claimable. */
  wake(run: RunRecord): void;
  /** Listeners of `wait`, by run id. */
  watchers: Map<number, Set<(run: RunRecord) => void>>;
  poolWaiters: Map<number, Set<() => void>>;
  /** Background work in flight; only a shutdown waits for it. */
  errands: Set<Promise<void>>;
  /** Questions that hang on connections of this process, by escalation id; those of chats have no run. */
  held: Map<number, { runId: number | null; question: HeldQuestion }>;
  /** Ended runs whose files this process is handing over. */
  handingOver: Set<number>;
  /** Newest beat of each living node, and the time on the steady clock since which it has been the same. */
  heard: Map<string, { beat: number; since: number }>;
  /** Time of the last poll for beats. */
  heardAt: number;
  closing: boolean;
  /** False once this node's own lease may have expired. */
  leaseValid(): boolean;
}

/** An empty core. */
export function createCore(ports: Ports, options: Partial<EngineOptions>): Core {
  return {
    random: Math.random,
    ...ports,
    node: randomUUID(),
    options: { ...defaultOptions, ...options, defaults: { ...defaultOptions.defaults, ...options.defaults } },
    live: new Map(),
    abandoned: new Set(),
    owed: new Map(),
    trees: new Map(),
    toldQuiet: new Map(),
    told: new Map(),
    published: new Map(),
    summaries: new Map(),
    throttled: new Map(),
    treeAsks: new Map(),
    serial: createSerial(),
    wake: () => {},
    watchers: new Map(),
    poolWaiters: new Map(),
    errands: new Set(),
    held: new Map(),
    handingOver: new Set(),
    heard: new Map(),
    heardAt: Number.NEGATIVE_INFINITY,
    closing: false,
    leaseValid: () => true,
  };
}

/** Entries of each map that grows with load: an ended run leaves none, except in the bounded ones of trees. */
export function heldIn(core: Core): Record<string, number> {
  const { live, owed, trees, toldQuiet, told, published, summaries, throttled, treeAsks, watchers, poolWaiters } = core;
  const lists = {
    live,
    owed,
    trees,
    toldQuiet,
    told,
    published,
    summaries,
    throttled,
    treeAsks,
    watchers,
    poolWaiters,
  };
  const { errands, held, handingOver } = core;
  return Object.fromEntries(
    Object.entries({ ...lists, errands, held, handingOver }).map(([name, { size }]) => [name, size]),
  );
}

/** Present time on both clocks. */
export const timesOf = ({ clock }: Core): Times => ({ now: clock.now(), steady: clock.steady() });

/** A queue per key: work of the same key never overlaps. */
export function createSerial(): Core['serial'] {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = tails.get(key);
    const next = before ? before.then(work, work) : work();
    tails.set(key, next);
    const clear = () => {
      if (tails.get(key) === next) tails.delete(key);
    };
    next.then(clear, clear);
    return next;
  };
}
