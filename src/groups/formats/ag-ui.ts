// Writes parts as AG-UI events, so that its clients (CopilotKit and others) read them as their own.
import { type Part, restOf } from './parts.ts';

/** An event as AG-UI calls it. */
export type AgUiEvent = { type: string } & Record<string, unknown>;

type Start = Extract<Part, { type: 'start' }>;

/** An encoder for one answer: the events of each part, in order. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one answer is written from start to end, and its parts share what is open.
export function agUi(): (part: Part) => AgUiEvent[] {
  let names: Start = { type: 'start', messageId: 'message', threadId: 'thread', runId: 'run' };
  let open: { kind: 'text' | 'reasoning'; id: string } | null = null;
  let step: string | null = null;
  let steps = 0;
  let blocks = 0;
  const written = new Map<string, string>();
  const newId = () => `${names.messageId}-${blocks++}`;

  const close = (): AgUiEvent[] => {
    if (!open) return [];
    const { kind, id: messageId } = open;
    open = null;
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId }];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  };
  const endStep = (): AgUiEvent[] => {
    const events = close();
    if (step !== null) events.push({ type: 'STEP_FINISHED', stepName: step });
    step = null;
    return events;
  };
  const begin = (kind: 'text' | 'reasoning', messageId: string): AgUiEvent[] =>
    kind === 'text'
      ? [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
      : [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        ];
  const extend = (kind: 'text' | 'reasoning', delta: string): AgUiEvent[] => {
    if (delta === '') return [];
    const events = open?.kind === kind ? [] : close();
    if (!open) {
      open = { kind, id: newId() };
      events.push(...begin(kind, open.id));
    }
    const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return [...events, { type, messageId: open.id, delta }];
  };
  const extendCall = (toolCallId: string, toolCallName: string, delta: string): AgUiEvent[] => {
    const events = close();
    const told = written.get(toolCallId);
    if (told === undefined) events.push({ type: 'TOOL_CALL_START', toolCallId, toolCallName });
    written.set(toolCallId, (told ?? '') + delta);
    if (delta !== '') events.push({ type: 'TOOL_CALL_ARGS', toolCallId, delta });
    return events;
  };
  /** Closes open messages, steps and calls first, as the protocol asks. */
  const end = (last: AgUiEvent): AgUiEvent[] => [...endStep(), last];
  const finished = (outcome: object): AgUiEvent => {
    const { threadId, runId } = names;
    return { type: 'RUN_FINISHED', threadId, runId, outcome };
  };

  return (part) => {
    switch (part.type) {
      case 'start':
        names = part;
        return [{ type: 'RUN_STARTED', threadId: part.threadId, runId: part.runId }];
      case 'step-start': {
        const events = endStep();
        step = `step ${++steps}`;
        return [...events, { type: 'STEP_STARTED', stepName: step }];
      }
      case 'step-end':
        return endStep();
      case 'text':
      case 'reasoning':
        return extend(part.type, part.delta);
      case 'tool-input':
        return extendCall(part.id, part.name, part.delta);
      case 'tool-call': {
        const rest = restOf(part.argumentsJson, written.get(part.id) ?? '') ?? '';
        return [...extendCall(part.id, part.name, rest), { type: 'TOOL_CALL_END', toolCallId: part.id }];
      }
      case 'tool-approval':
        return [{ type: 'CUSTOM', name: 'approval', value: { toolCallId: part.id, approvalId: part.approvalId } }];
      case 'tool-result':
        return [
          ...close(),
          { type: 'TOOL_CALL_RESULT', messageId: newId(), toolCallId: part.id, content: part.output, role: 'tool' },
        ];
      case 'data':
        return [{ type: 'CUSTOM', name: part.name, value: part.data }];
      case 'finish':
        return end(finished({ type: 'success' }));
      case 'wait':
        return end(finished(restOfRun(part)));
      case 'abort':
        return end(finished({ type: 'cancelled' }));
      case 'error':
        return end({ type: 'RUN_ERROR', message: part.message, code: part.code });
    }
  };
}

/** Approvals interrupt a run; calls of the client's own tools just end it, and their results begin the next one. */
const restOfRun = ({ approvals, clientCalls }: Extract<Part, { type: 'wait' }>): object =>
  approvals.length > 0
    ? { type: 'interrupt', interrupts: approvals.map(toInterrupt) }
    : { type: 'success', pendingToolCallIds: clientCalls };

const toInterrupt = ({ id, approvalId }: { id: string; approvalId: string }) => ({
  id: approvalId,
  reason: 'tool_approval',
  message: 'May this call be made?',
  toolCallId: id,
  responseSchema: {
    type: 'object',
    properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
    required: ['approved'],
  },
});
