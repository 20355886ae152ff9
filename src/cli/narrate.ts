// Tells a run's events in the terminal: turns, streamed text, tool calls, and meters below.
import type { AgentEventDto, KnownEvent, RunBudgetDto, RunDeltaDto } from '../client/index.ts';
import type { Terminal } from './terminal.ts';

const codes = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, teal: 36 } as const;
type Style = keyof typeof codes;

export interface Narrator {
  /** Prints one event of a run's tree. */
  tell(event: KnownEvent): void;
}

/** Narrates the run `rootId` and its descendants; lines of a descendant carry its number. */
export function createNarrator(terminal: Terminal, rootId: number): Narrator {
  const paint = (style: Style, text: string) => (terminal.color ? `\x1b[${codes[style]}m${text}\x1b[0m` : text);
  const prefix = (runId: number) => (runId === rootId ? '' : paint('dim', `[run ${runId}] `));
  /** The run whose words are streamed; those of others wait until it has ended its call, or they theirs. */
  let floor: number | null = null;
  /** Kind of the words that are streamed. */
  let kind = '';
  const waiting = new Map<number, RunDeltaDto[]>();

  const line = (runId: number, text: string) => {
    if (floor === null || floor === runId) terminal.line(prefix(runId) + text);
    else terminal.above(prefix(runId) + text);
  };

  const stream = (delta: RunDeltaDto) => {
    if (delta.kind !== kind) {
      terminal.endStream();
      terminal.stream(prefix(delta.runId) + (delta.kind === 'Reasoning' ? paint('dim', 'thinking: ') : ''));
      kind = delta.kind;
    }
    const indented = delta.delta.replaceAll('\n', `\n${prefix(delta.runId)}`);
    terminal.stream(delta.kind === 'Reasoning' ? paint('dim', indented) : indented);
  };

  const tellDelta = (delta: RunDeltaDto) => {
    if (delta.kind === 'ToolArguments') return;
    // Of a council, whose members speak at the same time: each statement is told whole.
    if (delta.toolCallId !== null) return;
    const held = waiting.get(delta.runId) ?? [];
    held.push(delta);
    floor ??= delta.runId;
    if (floor !== delta.runId) return void waiting.set(delta.runId, held);
    for (const one of held) stream(one);
    waiting.delete(delta.runId);
  };

  /** The words of a call are told before what follows it. */
  const endWords = (runId: number) => {
    if (floor === runId) {
      terminal.endStream();
      kind = '';
      floor = null;
      return;
    }
    const held = waiting.get(runId);
    if (!held) return;
    waiting.delete(runId);
    const said = held.filter((one) => one.kind === 'Content').map((one) => one.delta);
    line(runId, said.join('').replaceAll('\n', `\n${prefix(runId)}`));
  };

  const tellEvent = (event: AgentEventDto) => {
    endWords(event.runId);
    const text = describe(event);
    if (text) line(event.runId, paint(styleOf(event), text));
  };

  return {
    tell: ({ type, data }) => {
      if (type === 'run.delta') tellDelta(data);
      else if (type === 'run.event') tellEvent(data);
      else if (type === 'run.budget') {
        if (data.runId === rootId) terminal.footer(meters(data, terminal, paint));
      } else if (type === 'stream.gap') line(rootId, paint('yellow', '… some events could not be shown …'));
      else if (type === 'run.ended') {
        endWords(data.id);
        const reason = data.failureReason ? ` (${data.failureReason})` : '';
        line(data.id, paint(data.status === 'Completed' ? 'green' : 'red', `■ ${data.status}${reason}`));
      }
    },
  };
}

function describe(event: AgentEventDto): string | null {
  const took = event.durationMs === null ? '' : ` in ${event.durationMs} ms`;
  switch (event.type) {
    case 'IterationStarted':
      return `── turn ${event.iteration ?? ''} ──`;
    case 'ModelCallCompleted':
      return `   ${event.modelId ?? 'model'}: ${event.promptTokens ?? 0} + ${event.completionTokens ?? 0} tokens, $${(event.costUsd ?? 0).toFixed(4)}${took}`;
    case 'ToolCallStarted':
      return `→ ${event.toolName}  ${short(argumentsOf(event))}`;
    case 'ToolCallCompleted':
      return `← ${event.toolName}${took}  ${short(event.message ?? '')}`;
    case 'IterationCompleted':
    case 'ModelCallStarted':
    case 'StatusChanged':
    case 'CheckpointSaved':
      return null;
    case 'CouncilStatement':
      return `· ${event.title}: ${event.message ?? ''}`;
    default:
      return `· ${event.title}${event.message ? `: ${short(event.message)}` : ''}`;
  }
}

/** A tool call's arguments as the model wrote them. */
function argumentsOf({ payloadJson }: AgentEventDto): string {
  const payload = payloadJson === null ? null : (JSON.parse(payloadJson) as { argumentsJson?: string });
  return payload?.argumentsJson ?? '';
}

function styleOf(event: AgentEventDto): Style {
  if (event.level === 'Error' || event.level === 'Critical') return 'red';
  if (event.level === 'Warning' || event.type.startsWith('Escalation')) return 'yellow';
  if (event.type.startsWith('ToolCall')) return 'teal';
  return event.type === 'IterationStarted' ? 'bold' : 'dim';
}

const short = (text: string) => {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 160 ? `${flat.slice(0, 160)}…` : flat;
};

/** Budget meters: used of allowed, with marks by colour at 75 and 90 %. */
function meters(budget: RunBudgetDto, terminal: Terminal, paint: (style: Style, text: string) => string): string[] {
  const width = Math.min(24, Math.floor(terminal.columns / 5));
  const meter = (
    name: string,
    used: number,
    allowed: number,
    show: (value: number) => string = (value) => value.toLocaleString('en'),
  ) => {
    const share = allowed > 0 ? Math.min(1, used / allowed) : 0;
    const filled = Math.round(share * width);
    const style = share >= 0.9 ? 'red' : share >= 0.75 ? 'yellow' : 'teal';
    return `${name} ${paint(style, '█'.repeat(filled))}${paint('dim', '░'.repeat(width - filled))} ${show(used)}/${show(allowed)}`;
  };
  const seconds = (ms: number) => `${Math.round(ms / 1000)}s`;
  return [
    '',
    `${meter('turns ', budget.iterationsUsed, budget.maxIterations)}   ${meter('tokens', budget.tokensUsed, budget.maxTokens)}`,
    `${meter('time  ', budget.elapsedMs, budget.maxWallClockMs, seconds)}   cost $${budget.totalCostWithChildren.toFixed(4)}  ${paint('bold', budget.status)}`,
  ];
}
