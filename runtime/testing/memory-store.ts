// A complete RunStore in memory: the disk outlives its connections, and a connection can die between any two writes.

import type { LogMessage, ToolCallRecord } from '../message-log.ts';
import type { Committed, Documents, EscalationQuery, EventQuery, RunChange, RunQuery, RunStore } from '../ports.ts';
import { type AgentEvent, type Checkpoint, eventLevels, type RunRecord, runStatuses } from '../records.ts';
import type { CouncilRecord } from '../state/council.ts';
import { type EscalationRecord, escalationClosed, hasOutcome } from '../state/escalation.ts';
import { numberEvent } from '../state/numbering.ts';
import { hasEnded, isLogAtRest } from '../state/run.ts';
import type { TreeRecord } from '../state/tree.ts';
import { eventView } from '../views/run.ts';

/** Death of a connection: at its n-th write, before or after the write took effect. */
export interface Crash {
  write: number;
  applied: boolean;
}

interface Disk {
  runs: Map<number, RunRecord>;
  trees: Map<number, TreeRecord>;
  escalations: Map<number, EscalationRecord>;
  councils: Map<number, CouncilRecord>;
  messages: Map<number, LogMessage[]>;
  events: Map<number, AgentEvent[]>;
  /** How many events of a run are packed, which shows nowhere else here. */
  packed: Map<number, number>;
  toolCalls: Map<number, Map<string, ToolCallRecord>>;
  checkpoints: Map<number, Checkpoint[]>;
  nodes: Map<string, number>;
  runnable: Set<number>;
  unfinished: Set<number>;
  nextEventId: number;
  writes: number;
}

interface Versioned {
  id: number;
  version: number;
}

const ofTenant = <T>(found: (T & { tenantId?: number }) | undefined, tenantId: number | undefined): T | null =>
  found && (tenantId === undefined || found.tenantId === tenantId) ? found : null;

export interface Connection extends RunStore {
  /** Kills the connection: none of its calls ever resolves again. */
  die(): void;
  readonly dead: boolean;
  readonly writes: number;
}

export interface MemoryDisk {
  /** Opens a connection; `latency` is awaited around each call, for reordering. */
  connect(options?: { crash?: Crash; onCrash?: () => void; latency?: () => Promise<void> | undefined }): Connection;
  readonly disk: Readonly<Disk>;
}

/** An empty disk. */
export function createMemoryDisk(): MemoryDisk {
  const disk: Disk = {
    runs: new Map(),
    trees: new Map(),
    escalations: new Map(),
    councils: new Map(),
    messages: new Map(),
    events: new Map(),
    packed: new Map(),
    toolCalls: new Map(),
    checkpoints: new Map(),
    nodes: new Map(),
    runnable: new Set(),
    unfinished: new Set(),
    nextEventId: 1,
    writes: 0,
  };
  return { disk, connect: (options = {}) => connect(disk, options) };
}

/** An empty store with a disk of its own. */
export const createMemoryStore = (): Connection => createMemoryDisk().connect();

function connect(disk: Disk, options: Parameters<MemoryDisk['connect']>[0] & object): Connection {
  let dead = false;
  let writes = 0;
  const never = new Promise<never>(() => {});
  const die = () => {
    if (dead) return;
    dead = true;
    options.onCrash?.();
  };
  const read = async <T>(work: () => T): Promise<T> => {
    await options.latency?.();
    if (dead) return never;
    return work();
  };
  const write = async <T>(work: () => T): Promise<T> => {
    await options.latency?.();
    if (dead) return never;
    writes++;
    const crashing = options.crash?.write === writes;
    if (crashing && !options.crash?.applied) die();
    if (dead) return never;
    disk.writes++;
    const result = work();
    if (crashing) {
      die();
      return never;
    }
    await options.latency?.();
    return dead ? never : result;
  };
  const documents = <T extends Versioned>(map: Map<number, T>): Documents<T> => ({
    get: (id, tenantId) => read(() => ofTenant(map.get(id), tenantId)),
    insert: (document) =>
      write(() => {
        const found = map.get(document.id);
        if (found) return found;
        map.set(document.id, document);
        return document;
      }),
    update: (id, decide) =>
      write(() => {
        const now = map.get(id);
        const set = now && decide(now);
        if (!now || !set) return null;
        const next = { ...now, ...set, version: now.version + 1 };
        map.set(id, next);
        return next;
      }),
  });

  return {
    die,
    get dead() {
      return dead;
    },
    get writes() {
      return writes;
    },
    runs: runDocuments(disk, read, write),
    trees: {
      ...documents(disk.trees),
      stopping: (limit) =>
        read(() => [...disk.trees.values()].filter((tree) => tree.stopping.length > 0).slice(0, limit)),
      removeEmpty: (id) =>
        write(() => {
          if (![...disk.runs.values()].some(({ rootRunId }) => rootRunId === id)) disk.trees.delete(id);
        }),
    },
    escalations: {
      ...documents(disk.escalations),
      due: (now, limit) =>
        read(() =>
          [...disk.escalations.values()]
            .filter((one) => !escalationClosed(one.status) && one.timeoutAt !== null && one.timeoutAt <= now)
            .slice(0, limit),
        ),
      ofRun: (runId) => read(() => [...disk.escalations.values()].filter((one) => one.runId === runId)),
      remembered: (rootRunId, questionKey) =>
        read(
          () =>
            [...disk.escalations.values()]
              .filter((one) => one.rootRunId === rootRunId && one.questionKey === questionKey)
              .filter((one) => one.rememberAsRule && one.status === 'Resolved')
              .sort((a, b) => (b.resolvedAt ?? 0) - (a.resolvedAt ?? 0) || b.id - a.id)[0] ?? null,
        ),
      list: (query) => read(() => listEscalations([...disk.escalations.values()], query)),
      held: (limit) =>
        read(() =>
          [...disk.escalations.values()]
            .filter((one) => !escalationClosed(one.status) && one.heldBy !== undefined)
            .slice(0, limit),
        ),
      undelivered: (limit) =>
        read(() =>
          [...disk.escalations.values()].filter((one) => hasOutcome(one.status) && !one.delivered).slice(0, limit),
        ),
    },
    councils: {
      ...documents(disk.councils),
      ofRun: (runId) => read(() => [...disk.councils.values()].filter((one) => one.runId === runId)),
      ofChat: (id) => read(() => [...disk.councils.values()].filter((one) => one.chatSessionId === id)),
    },
    checkpoints: {
      save: (checkpoint) =>
        write(() => {
          const list = disk.checkpoints.get(checkpoint.runId) ?? [];
          disk.checkpoints.set(checkpoint.runId, [...list.filter((one) => one.id !== checkpoint.id), checkpoint]);
        }),
      list: (runId, limit) => read(() => [...(disk.checkpoints.get(runId) ?? [])].reverse().slice(0, limit)),
      get: (runId, id) => read(() => disk.checkpoints.get(runId)?.find((one) => one.id === id) ?? null),
    },
    nodes: {
      beat: (node, beat) =>
        write(() => {
          if (disk.nodes.get(node) === Number.NEGATIVE_INFINITY) return false;
          disk.nodes.set(node, beat);
          return true;
        }),
      beats: () =>
        read(() => [...disk.nodes].filter(([, beat]) => Number.isFinite(beat)).map(([node, beat]) => ({ node, beat }))),
      bury: (gone) =>
        write(() => {
          for (const [node, beat] of disk.nodes) {
            const isGone =
              'allBut' in gone ? node !== gone.allBut : gone.some((one) => one.node === node && one.beat === beat);
            if (isGone) disk.nodes.set(node, Number.NEGATIVE_INFINITY);
          }
        }),
    },
  };
}

type Call = <T>(work: () => T) => Promise<T>;

function runDocuments(disk: Disk, read: Call, write: Call): RunStore['runs'] {
  const put = (run: RunRecord) => {
    disk.runs.set(run.id, run);
    if (run.runnable) disk.runnable.add(run.id);
    else disk.runnable.delete(run.id);
    if (run.unfinished) disk.unfinished.add(run.id);
    else disk.unfinished.delete(run.id);
  };
  const pick = (where: (run: RunRecord) => boolean, limit: number) => {
    const found: RunRecord[] = [];
    for (const run of disk.runs.values()) {
      if (where(run) && found.push(run) >= limit) break;
    }
    return found;
  };
  return {
    get: (id, tenantId) => read(() => ofTenant(disk.runs.get(id), tenantId)),
    many: (ids) => read(() => ids.flatMap((id) => disk.runs.get(id) ?? [])),
    insert: (run, change) =>
      write(() => {
        const key = run.idempotencyKey;
        const found =
          disk.runs.get(run.id) ??
          (key === null
            ? undefined
            : [...disk.runs.values()].find((one) => one.tenantId === run.tenantId && one.idempotencyKey === key));
        if (found) return { run: found, events: [], existed: true };
        const committed = applyChange(disk, run, change);
        put(committed.run);
        return { ...committed, existed: false };
      }),
    update: (id, decide) =>
      write(() => {
        const now = disk.runs.get(id);
        const change = now && decide(now);
        if (!now || !change) return null;
        const committed = applyChange(disk, now, change);
        put(committed.run);
        return committed;
      }),
    remove: (id) =>
      write(() => {
        for (const map of [disk.runs, disk.messages, disk.events, disk.packed, disk.toolCalls, disk.checkpoints])
          map.delete(id);
        disk.runnable.delete(id);
        disk.unfinished.delete(id);
      }),
    list: (query) => read(() => list([...disk.runs.values()], query)),
    listTexts: (query) => read(() => list([...disk.runs.values()], query)),
    messages: (runId, from, to) => read(() => (disk.messages.get(runId) ?? []).slice(from, to)),
    toolCalls: (runId, messageIndex) =>
      read(() => {
        const prefix = `${messageIndex}.`;
        const calls = [...(disk.toolCalls.get(runId)?.values() ?? [])].filter((call) => call.key.startsWith(prefix));
        return calls.sort((a, b) => Number(a.key.slice(prefix.length)) - Number(b.key.slice(prefix.length)));
      }),
    events: (runId, query) => read(() => selectEvents(disk.events.get(runId) ?? [], query)),
    eventTexts: (runId, query) =>
      read(() => JSON.stringify(selectEvents(disk.events.get(runId) ?? [], query).map(eventView))),
    packEvents: (runId) =>
      write(() => {
        const run = disk.runs.get(runId);
        if (!run || !isLogAtRest(run)) return 0;
        const before = disk.packed.get(runId) ?? 0;
        disk.packed.set(runId, run.eventCount);
        return run.eventCount - before;
      }),
    runnable: (limit) =>
      read(() =>
        [...disk.runnable]
          .flatMap((id) => disk.runs.get(id) ?? [])
          .sort((a, b) => a.runnableSince - b.runnableSince || a.id - b.id)
          .slice(0, limit),
      ),
    orphans: (alive, limit) => read(() => pick((run) => run.owner !== null && !alive.includes(run.owner), limit)),
    overdue: (now, limit) =>
      read(() => pick((run) => run.deadlineAt !== null && run.deadlineAt <= now && !hasEnded(run.status), limit)),
    unfinished: (before, limit) =>
      read(() =>
        [...disk.unfinished]
          .flatMap((id) => disk.runs.get(id) ?? [])
          .filter((run) => run.owner === null && run.updatedAt <= before)
          .slice(0, limit),
      ),
  };
}

/** The run after a change, its events numbered and its logs appended. */
function applyChange(disk: Disk, now: RunRecord, change: RunChange): Committed {
  const drafts = change.events ?? [];
  const messages = change.messages ?? [];
  const run: RunRecord = {
    ...now,
    ...change.set,
    version: now.version + 1,
    eventCount: now.eventCount + drafts.length,
    messageCount: now.messageCount + messages.length,
  };
  const events = drafts.map((draft, at) => numberEvent(run, draft, disk.nextEventId++, now.eventCount + at + 1));
  if (events.length > 0) append(disk.events, run.id, events);
  if (messages.length > 0) {
    const entries = messages.map((message, at) => ({
      index: now.messageCount + at,
      iteration: change.turns?.[at] ?? run.iterationsUsed,
      message,
    }));
    append(disk.messages, run.id, entries);
  }
  if (change.toolCalls) {
    const journal = disk.toolCalls.get(run.id) ?? new Map<string, ToolCallRecord>();
    for (const call of change.toolCalls) journal.set(call.key, call);
    disk.toolCalls.set(run.id, journal);
  }
  return { run, events };
}

function append<T>(map: Map<number, T[]>, id: number, entries: T[]) {
  const list = map.get(id);
  if (list) list.push(...entries);
  else map.set(id, [...entries]);
}

function selectEvents(events: readonly AgentEvent[], query: EventQuery): AgentEvent[] {
  const least = eventLevels.indexOf(query.minLevel ?? 'Trace');
  const found = events.filter(
    (event) =>
      event.seq > (query.afterSeq ?? 0) &&
      event.seq < (query.beforeSeq ?? Number.POSITIVE_INFINITY) &&
      (!query.types || query.types.includes(event.type)) &&
      eventLevels.indexOf(event.level) >= least,
  );
  if (query.descending) found.reverse();
  return found.slice(0, query.limit);
}

function list(runs: RunRecord[], query: RunQuery) {
  const text = query.q?.toLowerCase();
  const found = runs.filter(
    (run) =>
      run.tenantId === query.tenantId &&
      (!query.status || query.status.includes(run.status)) &&
      (query.projectId === undefined || run.projectId === query.projectId) &&
      (query.taskId === undefined || run.taskId === query.taskId) &&
      (query.identityId === undefined || run.identityId === query.identityId) &&
      (query.role === undefined || run.role === query.role) &&
      (query.modelId === undefined || run.modelId === query.modelId) &&
      (query.parentRunId === undefined || run.parentRunId === query.parentRunId) &&
      (query.rootRunId === undefined || run.rootRunId === query.rootRunId) &&
      (!query.rootsOnly || run.parentRunId === null) &&
      (query.mcpOwner === undefined || run.mcpOwner === query.mcpOwner) &&
      (query.from === undefined || run.createdAt >= query.from) &&
      (query.to === undefined || run.createdAt < query.to) &&
      (query.minCostUsd === undefined || run.costUsd >= query.minCostUsd) &&
      (text === undefined || run.goal.toLowerCase().includes(text)),
  );
  const field = query.sort ?? 'createdAt';
  const direction = (query.sort ? query.descending : true) ? -1 : 1;
  const rank = (run: RunRecord) =>
    field === 'status' ? runStatuses.indexOf(run.status) : (run[field] as number | string | null);
  found.sort((a, b) => direction * (compare(rank(a), rank(b)) || a.id - b.id));
  return { items: found.slice(query.skip ?? 0, (query.skip ?? 0) + query.limit), total: found.length };
}

function listEscalations(escalations: EscalationRecord[], query: EscalationQuery) {
  const equal = ['tenantId', 'status', 'urgency', 'kind', 'runId', 'projectId', 'identityId'] as const;
  const found = escalations.filter(
    (one) =>
      equal.every((field) => query[field] === undefined || one[field] === query[field]) &&
      (!query.openOnly || !escalationClosed(one.status)) &&
      (query.from === undefined || one.createdAt >= query.from) &&
      (query.to === undefined || one.createdAt < query.to),
  );
  const field = query.sort ?? 'createdAt';
  const direction = (query.sort ? query.descending : true) ? -1 : 1;
  const rank = (one: EscalationRecord) => one[field] as number | string | null;
  found.sort((a, b) => direction * (compare(rank(a), rank(b)) || a.id - b.id));
  return { items: found.slice(query.skip ?? 0, (query.skip ?? 0) + query.limit), total: found.length };
}

function compare(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
