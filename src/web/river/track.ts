// What one run did, as spans and marks over time: built event by event, so that a long run costs nothing to extend.
import type { AgentEventDto, AgentEventType, RunDeltaDto } from '../../client/index.ts';

export interface Block {
  kind: 'model' | 'tool';
  /** Key within the run: the tool call's id, or the iteration of a model call. */
  id: string;
  /** ms since the epoch; `to` is null while it goes on. */
  from: number;
  to: number | null;
  label: string;
  failed: boolean;
  sandboxed: boolean;
  /** Characters streamed (while it goes on) or tokens answered, a measure of flow. */
  flow: number;
  seq: number;
}

export interface Gate {
  id: string;
  from: number;
  to: number | null;
  /** When it opens by itself, ms, or null. */
  timeoutAt: number | null;
  label: string;
  seq: number;
}

export interface Span {
  from: number;
  to: number | null;
  seq: number;
  label: string;
}

export type MarkKind = 'checkpoint' | 'warning' | 'message' | 'note' | 'compressed' | 'plan';

export interface Mark {
  kind: MarkKind;
  at: number;
  label: string;
  seq: number;
}

export type EndKind = 'completed' | 'failed' | 'cancelled' | 'exhausted';

export interface Track {
  runId: number;
  parentRunId: number | null;
  /** First and latest event, ms. */
  from: number;
  last: number;
  /** When work began, or null while it waits in the queue. */
  startedAt: number | null;
  blocks: Block[];
  gates: Gate[];
  pauses: Span[];
  councils: Span[];
  /** The owner died and another took over. */
  breaks: Span[];
  marks: Mark[];
  /** When nothing of it was under way for long, in order. */
  waits: { from: number; to: number }[];
  /** When the results of children came back. */
  joins: Map<number, number>;
  spawns: Map<number, number>;
  end: { kind: EndKind; at: number; seq: number } | null;
  lastSeq: number;
}

export function createTrack(runId: number, parentRunId: number | null, from: number): Track {
  return {
    runId,
    parentRunId,
    from,
    last: from,
    startedAt: null,
    blocks: [],
    gates: [],
    pauses: [],
    councils: [],
    breaks: [],
    marks: [],
    waits: [],
    joins: new Map(),
    spawns: new Map(),
    end: null,
    lastSeq: 0,
  };
}

/** The event's payload as an object; empty when there is none or it is not JSON. */
export function payloadOf(event: Pick<AgentEventDto, 'payloadJson'>): Record<string, unknown> {
  if (!event.payloadJson) return {};
  try {
    const value: unknown = JSON.parse(event.payloadJson);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { value };
  } catch {
    return {};
  }
}

const childOf = (event: AgentEventDto): number | null => {
  const { childRunId, runId } = payloadOf(event);
  return typeof childRunId === 'number'
    ? childRunId
    : typeof runId === 'number' && runId !== event.runId
      ? runId
      : null;
};

/** The newest block of a kind that still goes on (and has this id). */
function openBlock(track: Track, kind: Block['kind'], id: string | null): Block | undefined {
  for (let i = track.blocks.length - 1; i >= 0 && i >= track.blocks.length - 64; i--) {
    const block = track.blocks[i];
    if (block?.kind === kind && block.to === null && (id === null || block.id === id)) return block;
  }
  return undefined;
}

function beginBlock(track: Track, event: AgentEventDto, at: number, kind: Block['kind']) {
  track.blocks.push({
    kind,
    id: kind === 'tool' ? (event.toolCallId ?? `seq${event.seq}`) : `turn${event.iteration ?? event.seq}`,
    from: at,
    to: null,
    label: (kind === 'tool' ? event.toolName : event.modelId) ?? event.title,
    failed: false,
    sandboxed: kind === 'tool' && (payloadOf(event).sandboxed === true || /^(shell|file)_/.test(event.toolName ?? '')),
    flow: 0,
    seq: event.seq,
  });
}

/** Ends the open block, or makes one from the duration when its start was not loaded. */
function endBlock(track: Track, event: AgentEventDto, at: number, kind: Block['kind'], failed: boolean) {
  const block = openBlock(track, kind, kind === 'tool' ? event.toolCallId : null);
  if (!block) {
    beginBlock(track, event, at - (event.durationMs ?? 0), kind);
    const made = track.blocks.at(-1);
    if (made) Object.assign(made, { to: at, failed, flow: event.completionTokens ?? 0 });
    return;
  }
  block.to = at;
  block.failed = failed;
  if (event.completionTokens) block.flow = event.completionTokens;
}

function endOpen(track: Track, at: number, failed: boolean) {
  for (const block of track.blocks.slice(-64)) {
    if (block.to === null) Object.assign(block, { to: at, failed: block.failed || failed });
  }
  for (const span of [...track.gates, ...track.pauses, ...track.councils]) span.to ??= at;
}

const closeLast = (spans: { to: number | null }[], at: number) => {
  const open = spans.findLast((span) => span.to === null);
  if (open) open.to = at;
};

const marks: Partial<Record<AgentEventType, MarkKind>> = {
  CheckpointSaved: 'checkpoint',
  BudgetWarning: 'warning',
  DeadlineWarning: 'warning',
  StaleWarning: 'warning',
  SpawnRefused: 'warning',
  MessageReceived: 'message',
  GuidanceReceived: 'message',
  NoteAdded: 'note',
  ContextCompressed: 'compressed',
  PlanUpdated: 'plan',
};

const ends: Partial<Record<AgentEventType, EndKind>> = {
  RunCompleted: 'completed',
  RunFailed: 'failed',
  RunTimedOut: 'failed',
  RunCancelled: 'cancelled',
  BudgetExhausted: 'exhausted',
};

function openGate(track: Track, event: AgentEventDto, at: number) {
  const { escalationId, timeoutAtUtc } = payloadOf(event);
  const id = escalationId === undefined ? `seq${event.seq}` : String(escalationId);
  // An approval has two events: the tool's request and the escalation it raises.
  if (track.gates.some((gate) => gate.to === null)) return;
  const timeoutAt = typeof timeoutAtUtc === 'string' ? Date.parse(timeoutAtUtc) : null;
  track.gates.push({ id, from: at, to: null, timeoutAt, label: event.title, seq: event.seq });
}

/** Begins, ends and marks by event type. */
function applyEvent(track: Track, event: AgentEventDto, at: number) {
  const span = { from: at, to: null, seq: event.seq, label: event.title };
  switch (event.type) {
    case 'RunStarted':
      track.startedAt ??= at;
      return;
    case 'RunRestarted':
    case 'RunResumed':
      track.end = null;
      return closeLast(track.pauses, at);
    case 'RunPaused':
      return void track.pauses.push(span);
    case 'RunRecovered':
      track.breaks.push({ ...span, from: track.last, to: at });
      return endOpen(track, track.last, true);
    case 'ModelCallStarted':
      return beginBlock(track, event, at, 'model');
    case 'ModelCallCompleted':
    case 'ModelCallFailed':
      return endBlock(track, event, at, 'model', event.type === 'ModelCallFailed');
    case 'ToolCallStarted':
      return beginBlock(track, event, at, 'tool');
    case 'ToolCallCompleted':
    case 'ToolCallFailed':
    case 'ToolCallBlocked':
      return endBlock(track, event, at, 'tool', event.type !== 'ToolCallCompleted');
    case 'EscalationRaised':
    case 'ToolApprovalRequested':
      return openGate(track, event, at);
    case 'EscalationResolved':
    case 'EscalationTimedOut':
      return closeLast(track.gates, at);
    case 'CouncilConvened':
      return void track.councils.push(span);
    case 'CouncilConcluded':
      return closeLast(track.councils, at);
    case 'ChildSpawned':
    case 'ChildCompleted':
    case 'ChildFailed': {
      const child = childOf(event);
      if (child !== null) (event.type === 'ChildSpawned' ? track.spawns : track.joins).set(child, at);
      return;
    }
  }
  const mark = marks[event.type];
  if (mark) track.marks.push({ kind: mark, at, label: event.title, seq: event.seq });
}

/** Takes the next event of the run. Events that were taken before are ignored. */
export function pushEvent(track: Track, event: AgentEventDto) {
  if (event.seq <= track.lastSeq) return;
  const at = Date.parse(event.createdAtUtc);
  track.lastSeq = event.seq;
  track.from = Math.min(track.from, at);
  if (at - track.last >= leastWait && track.end === null && !isBusy(track))
    track.waits.push({ from: track.last, to: at });
  applyEvent(track, event, at);
  track.last = Math.max(track.last, at);
  const end = ends[event.type];
  if (!end) return;
  endOpen(track, at, false);
  track.end = { kind: end, at, seq: event.seq };
}

/** Takes streamed text: it fills the model call that goes on. */
export function pushDelta(track: Track, delta: RunDeltaDto) {
  const block = openBlock(track, 'model', null);
  if (block) block.flow += delta.delta.length / 4;
}

/** Shorter waits are never folded, ms; tracks note no shorter ones. */
export const leastWait = 10_000;

/** Something of the run is under way: a call, or a council. A call that waits for a decision is not. */
export function isBusy({ blocks, councils, gates }: Pick<Track, 'blocks' | 'councils' | 'gates'>): boolean {
  const open = blocks.slice(-64).filter(({ to }) => to === null);
  const isHeld = gates.some(({ to }) => to === null);
  return open.length > (isHeld ? 1 : 0) || councils.some((council) => council.to === null);
}
