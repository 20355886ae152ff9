// A run's events as entries to read: turns with their streamed words, tool calls with arguments and result, and the rest.
import type { AgentEventDto, RunDeltaDto } from '../../client/index.ts';
import { payloadOf } from '../river/track.ts';

interface Common {
  key: string;
  seq: number;
  /** ms since the epoch */
  at: number;
}

export interface Turn extends Common {
  kind: 'turn';
  iteration: number;
  modelId: string | null;
  reasoning: string;
  text: string;
  state: 'streaming' | 'done' | 'failed';
  failure: string | null;
  promptTokens: number;
  completionTokens: number;
  costUsd: number;
  durationMs: number | null;
}

export interface ToolCall extends Common {
  kind: 'tool';
  callId: string;
  name: string;
  /** JSON text, possibly still incomplete. */
  args: string;
  result: string | null;
  state: 'writing' | 'running' | 'done' | 'failed' | 'blocked' | 'stopped';
  durationMs: number | null;
  /** The event of its end, which is a part of it. */
  endSeq: number | null;
}

export interface Line extends Common {
  kind: 'line';
  event: AgentEventDto;
}

export type Entry = Turn | ToolCall | Line;

/** Events that say what others say too; shown only when everything is asked for. */
export const quiet: ReadonlySet<string> = new Set([
  'IterationStarted',
  'IterationCompleted',
  'StatusChanged',
  'RunQueued',
  'SandboxOutput',
  'CheckpointSaved',
  'ProgressUpdated',
]);

export interface Timeline {
  /** In order. An entry is replaced by a new object when it changes, so that a view can tell. */
  readonly entries: Entry[];
  push(event: AgentEventDto): void;
  delta(delta: RunDeltaDto): void;
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : value == null ? null : JSON.stringify(value);

const argumentsOf = (payload: Record<string, unknown>) =>
  textOf(payload.argumentsJson ?? payload.arguments ?? payload.args) ?? '';

class RunTimeline implements Timeline {
  readonly entries: Entry[] = [];
  /** Place of each tool call, and of each iteration's turn. */
  readonly #tools = new Map<string, number>();
  readonly #turns = new Map<number, number>();
  #iteration = 0;

  push(event: AgentEventDto) {
    if (event.iteration !== null) this.#iteration = event.iteration;
    const at = Date.parse(event.createdAtUtc);
    switch (event.type) {
      case 'ModelCallStarted':
        return this.#startTurn(this.#iteration, event.seq, at, event.modelId);
      case 'ModelCallCompleted':
      case 'ModelCallFailed':
        return this.#endTurn(event, at);
      case 'ToolCallStarted':
        return this.#startTool(event, at);
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
      case 'ToolCallBlocked':
        return this.#endTool(event, at);
      case 'RunRecovered':
        this.#abandon('The server process that ran it stopped.');
        break;
      case 'RunCancelled':
      case 'RunFailed':
      case 'RunTimedOut':
        this.#stopCalls('writing', 'running');
        this.#abandon('The run was stopped.');
        break;
      case 'RunPaused':
      case 'BudgetExhausted':
        this.#abandon('The run was stopped.');
    }
    this.entries.push({ kind: 'line', key: `e${event.seq}`, seq: event.seq, at, event });
  }

  delta({ iteration, kind, delta, toolCallId, modelId }: RunDeltaDto) {
    if (kind === 'ToolArguments') return this.#toolArguments(toolCallId ?? '', delta);
    // Words of a council stand in its own view.
    if (toolCallId !== null) return;
    let index = this.#turns.get(iteration);
    if (index === undefined) {
      // A viewer that came late sees words before the call's own event.
      this.#startTurn(iteration, this.entries.at(-1)?.seq ?? 0, Date.now(), modelId);
      index = this.#turns.get(iteration);
    }
    const turn = this.entries[index ?? -1];
    if (turn?.kind !== 'turn' || turn.state !== 'streaming') return;
    const change = kind === 'Content' ? { text: turn.text + delta } : { reasoning: turn.reasoning + delta };
    this.entries[index as number] = { ...turn, ...change };
  }

  #startTurn(iteration: number, seq: number, at: number, modelId: string | null) {
    this.#turns.set(iteration, this.entries.length);
    this.entries.push({
      kind: 'turn',
      key: `t${seq}.${iteration}`,
      seq,
      at,
      iteration,
      modelId,
      reasoning: '',
      text: '',
      state: 'streaming',
      failure: null,
      promptTokens: 0,
      completionTokens: 0,
      costUsd: 0,
      durationMs: null,
    });
  }

  #endTurn(event: AgentEventDto, at: number) {
    let index = this.#turns.get(this.#iteration);
    const found = index === undefined ? undefined : this.entries[index];
    if (found?.kind !== 'turn' || found.state !== 'streaming') {
      this.#startTurn(this.#iteration, event.seq, at, event.modelId);
      index = this.entries.length - 1;
    }
    const turn = this.entries[index as number] as Turn;
    const { reasoning, text } = payloadOf(event);
    const failed = event.type === 'ModelCallFailed';
    this.entries[index as number] = {
      ...turn,
      seq: event.seq,
      state: failed ? 'failed' : 'done',
      failure: failed ? [event.title, event.message].filter(Boolean).join(': ') : null,
      text: failed ? turn.text : (event.message ?? textOf(text) ?? turn.text),
      reasoning: textOf(reasoning) ?? turn.reasoning,
      modelId: event.modelId ?? turn.modelId,
      promptTokens: event.promptTokens ?? 0,
      completionTokens: event.completionTokens ?? 0,
      costUsd: event.costUsd ?? 0,
      durationMs: event.durationMs ?? at - turn.at,
    };
  }

  #startTool(event: AgentEventDto, at: number) {
    const callId = event.toolCallId ?? `seq${event.seq}`;
    const args = argumentsOf(payloadOf(event));
    const index = this.#tools.get(callId);
    const written = index === undefined ? undefined : this.entries[index];
    const call: ToolCall = {
      kind: 'tool',
      key: `c${callId}`,
      seq: event.seq,
      at,
      callId,
      name: event.toolName ?? event.title,
      args,
      result: null,
      state: 'running',
      durationMs: null,
      endSeq: null,
    };
    if (index !== undefined && written?.kind === 'tool' && written.state === 'writing') {
      this.entries[index] = { ...call, args: args || written.args };
      return;
    }
    if (index !== undefined) call.key = `c${callId}.${event.seq}`;
    this.#tools.set(callId, this.entries.length);
    this.entries.push(call);
  }

  #endTool(event: AgentEventDto, at: number) {
    const callId = event.toolCallId ?? `seq${event.seq}`;
    if (!this.#tools.has(callId)) this.#startTool(event, at - (event.durationMs ?? 0));
    const index = this.#tools.get(callId) as number;
    const call = this.entries[index] as ToolCall;
    const payload = payloadOf(event);
    const state = { ToolCallFailed: 'failed', ToolCallBlocked: 'blocked' }[event.type as string] ?? 'done';
    this.entries[index] = {
      ...call,
      state: state as ToolCall['state'],
      result: textOf(payload.result ?? payload.resultJson ?? payload.output) ?? event.message,
      args: call.args || argumentsOf(payload),
      durationMs: event.durationMs ?? at - call.at,
      endSeq: event.seq,
    };
  }

  #toolArguments(callId: string, delta: string) {
    const index = this.#tools.get(callId);
    const call = index === undefined ? undefined : this.entries[index];
    if (index === undefined || call?.kind !== 'tool') {
      this.#tools.set(callId, this.entries.length);
      const seq = this.entries.at(-1)?.seq ?? 0;
      this.entries.push({
        kind: 'tool',
        key: `c${callId}`,
        seq,
        at: Date.now(),
        callId,
        name: '',
        args: delta,
        result: null,
        state: 'writing',
        durationMs: null,
        endSeq: null,
      });
    } else if (call.state === 'writing') this.entries[index] = { ...call, args: call.args + delta };
  }

  /** No more will come of calls in these states. A running one has stopped only when its run has ended. */
  #stopCalls(...states: ToolCall['state'][]) {
    for (const index of this.#tools.values()) {
      const entry = this.entries[index];
      if (entry?.kind === 'tool' && states.includes(entry.state)) this.entries[index] = { ...entry, state: 'stopped' };
    }
  }

  /** Fails the turns that still stream: no more words will come for them, nor for the calls that they were writing. */
  #abandon(why: string) {
    this.#stopCalls('writing');
    for (let i = Math.max(0, this.entries.length - 64); i < this.entries.length; i++) {
      const entry = this.entries[i];
      if (entry?.kind === 'turn' && entry.state === 'streaming')
        this.entries[i] = { ...entry, state: 'failed', failure: why };
    }
  }
}

export function createTimeline(): Timeline {
  return new RunTimeline();
}

/** Entries before a place in which a call may stand that ended there. */
const longestCall = 256;

/** Place of the entry of an event: itself, or the one that it became a part of. */
export function indexAt({ entries }: Timeline, seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  if (entries[low]?.seq === seq) return low;
  for (let i = Math.min(low, entries.length - 1); i >= Math.max(0, low - longestCall); i--) {
    const entry = entries[i];
    if (entry?.kind === 'tool' && entry.endSeq === seq) return i;
  }
  return low;
}

export const entryAt = (timeline: Timeline, seq: number | null): Entry | undefined =>
  seq === null ? undefined : timeline.entries[indexAt(timeline, seq)];
