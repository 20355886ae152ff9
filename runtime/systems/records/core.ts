// The core of the engine, which every system works on: ports, options and what this process holds in memory.
import { randomUUID } from 'node:crypto';
import type { ToolCallRecord } from '../../message-log.ts';
import type { ModelMessage } from '../../model.ts';
import type { Briefing, Ports, RunChange } from '../../ports.ts';
import type { RunRecord, Settlement } from '../../records.ts';
import type { Times } from '../../state/run.ts';
import type { TreeRecord } from '../../state/tree.ts';

export interface EngineOptions {
  /** Runs at work at once in this process. */
  slots: number;
  slotsPerTenant: number;
  slotsPerTree: number;
  /** How long a node may be silent before its runs are taken over, in ms. */
  leaseMs: number;
  /** Times a run may lose its owner without finishing a step before it is failed. */
  maxCrashes: number;
  /** Model calls of one turn that may fail before the run fails. */
  maxModelFailures: number;
  toolTimeoutMs: number;
  parallelTools: number;
  /** Characters of a tool's output that the model gets to see. */
  toolOutputChars: number;
  maxSpawnDepth: number;
  /** Output longer than this is also summarised by the model. */
  summarizeAboveChars: number;
  /** Live runs a tree. */
  maxTreeRuns: number;
  /** After a pause request a model call may go on for so long. */
  pauseGraceMs: number;
  /** Milliseconds between two rounds of reconciliation. */
  reconcileMs: number;
  /** No other process shares the store: what others left is taken over at once. */
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

/** A change of a run that waits for a commit. */
export interface Deferred {
  change: (now: RunRecord) => RunChange;
  /** The stored state that the change was last worked out for, what it is there, and the state after it. */
  base: RunRecord;
  made: RunChange;
  after: RunRecord;
  onMade: () => void;
}

/** A run that this process works on. */
export interface LiveRun {
  /** The newest state this process knows. */
  run: RunRecord;
  fence: number;
  /** Aborted when the work must stop; its reason is a Stop. */
  abort: AbortController;
  /** What the model has seen and said since `run.context.from`; index 0 is log entry `offset`. */
  messages: ModelMessage[];
  offset: number;
  /** The journal of the newest assistant message's calls; null until it is read or when there are none. */
  journal: ToolCallRecord[] | null;
  /** The briefing of its present turn. */
  briefing: Briefing | null;
  briefedAt: number;
  /** What goes with the next commit, so that both are one write. */
  deferred: Deferred | null;
  /** Pool settlements in flight, and model calls already settled. */
  unsettled: Settlement[];
  settled: Set<string>;
  /** Calls made under this lease, in turns and beside them, and tokens that those beside hold now. */
  callCount: number;
  auxCount: number;
  auxTokens: number;
  lastBudgetAt: number;
  /** The save of a checkpoint in flight. */
  saving: Promise<void>;
  /** Called with the newest state when somebody asked it to stop. */
  onControl(run: RunRecord): void;
  done: Promise<void>;
}

/** Why the work on a run stops in the middle. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly why: 'cancel' | 'pause' | 'time' | 'shutdown' | 'lost';
  constructor(why: Stop['why']) {
    super(`The run was stopped: ${why}.`);
    this.why = why;
  }
}

/** Settlements by their calls; another map once one comes or goes. */
export type Owed = ReadonlyMap<string, Settlement>;

/** A requested change of a tree; `made` when the newest state allowed it. */
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
  /** Runs that this process may own and does not work on: their claim or their rest could not be written. */
  abandoned: Set<number>;
  /** Pool settlements in flight, by root run. */
  owed: Map<number, Owed>;
  /** Newest trees seen, for views and first guesses. */
  trees: Map<number, TreeRecord>;
  /** When trees came to rest, as this process has told. */
  toldQuiet: Map<number, number | null>;
  /** Newest seq of a run that was handed to the sink, and newest that is safe there, until it is written down. */
  told: Map<number, number>;
  published: Map<number, number>;
  /** Runs whose newest summary is not published to lists yet, in their last state. */
  summaries: Map<number, RunRecord>;
  /** When a model may be called again after it refused for its rate limit. */
  throttled: Map<string, number>;
  /** Changes of a tree that wait for the one under way, by root run. */
  treeAsks: Map<number, TreeAsk[]>;
  /** Runs one piece of work a key at a time, in order. */
  serial<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Called whenever something may have become claimable. */
  wake(runId: number, tenantId: number, rootRunId: number): void;
  /** Resolved listeners of `wait`. */
  watchers: Map<number, Set<(run: RunRecord) => void>>;
  poolWaiters: Map<number, Set<() => void>>;
  /** Background work in flight; only a shutdown waits for it. */
  errands: Set<Promise<void>>;
  /** Ended runs whose files this process is handing over. */
  handingOver: Set<number>;
  /** The newest beat of each living node, and since when it has been the same, by this process's steady clock. */
  heard: Map<string, { beat: number; since: number }>;
  /** When it last looked for beats. */
  heardAt: number;
  closing: boolean;
  /** False once this node's own lease may have run out. */
  leaseValid(): boolean;
}

/** A core that holds nothing yet. */
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
    handingOver: new Set(),
    heard: new Map(),
    heardAt: Number.NEGATIVE_INFINITY,
    closing: false,
    leaseValid: () => true,
  };
}

/** Entries of each list that grows with what happens: what has ended leaves none in any but the bounded ones of trees. */
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
  const { errands, handingOver } = core;
  return Object.fromEntries(Object.entries({ ...lists, errands, handingOver }).map(([name, { size }]) => [name, size]));
}

/** What time it is, by both clocks. */
export const timesOf = ({ clock }: Core): Times => ({ now: clock.now(), steady: clock.steady() });

/** A queue a key: work under the same key never overlaps. */
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
