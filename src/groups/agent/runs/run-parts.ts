// A run as one answer: the events of its topic, from the beginning to its end, as parts that any format is made of.
import type { EventView, RunView } from '../../../../runtime/views/run.ts';
import type { FollowedEvent } from '../../../ports/stream.ts';
import { createCallIds } from '../../formats/call-ids.ts';
import { type Part, restOf } from '../../formats/parts.ts';
import type { AgentEscalationDto, RunDeltaDto } from '../dto.ts';

/** What a reader of parts looks at; all other types can be left out. */
export const runPartTypes = [
  'run.status',
  'run.event',
  'run.delta',
  'run.ended',
  'run.deleted',
  'escalation.raised',
  'escalation.updated',
  'escalation.resolved',
] as const;

interface Subject {
  id: number;
  rootRunId: number;
  /** Ends before this time (ms) were not the last: the run was taken up again. */
  endsFrom: number;
}

/**
 * A reader of one run's events, in order; its last part is one of those that end an answer.
 *
 * Words come from deltas as they are spoken. What was said whole is in the log, too, and has the last word: where deltas
 * are not kept any more it stands in for them, and neither how they were cut nor joined changes what is read.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one stream is read from start to end, and its events share what came before.
export function runParts({
  id,
  rootRunId,
  endsFrom,
}: Subject): (event: Pick<FollowedEvent, 'type' | 'data'>) => Part[] {
  /** Said in the model call under way; null when some of it was missed. */
  let said: string | null = '';
  let begun = false;
  let inStep = false;
  const callIds = createCallIds();

  const start = (): Part[] => {
    if (begun) return [];
    begun = true;
    return [{ type: 'start', messageId: `run-${id}`, threadId: `run-${rootRunId}`, runId: String(id) }];
  };
  const nextStep = (): Part[] => {
    said = '';
    const parts: Part[] = inStep ? [{ type: 'step-end' }] : [];
    inStep = true;
    return [...parts, { type: 'step-start' }];
  };
  const whole = (message: string): Part[] => {
    const rest = said === null ? message : restOf(message, said);
    said = '';
    return rest ? [{ type: 'text', delta: rest }] : [];
  };

  const logged = (event: EventView): Part[] => {
    const { type, toolCallId, toolName, message } = event;
    switch (type) {
      case 'IterationStarted':
        return nextStep();
      // Its words stand, but what follows begins anew.
      case 'ModelCallFailed':
        return said === '' ? [] : nextStep();
      case 'ModelCallCompleted':
        return whole(message ?? '');
      case 'ToolCallStarted':
        if (toolCallId === null) return [];
        return [
          { type: 'tool-call', id: callIds.open(toolCallId), name: toolName ?? '', argumentsJson: argumentsOf(event) },
        ];
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
      case 'ToolCallBlocked': {
        const open = toolCallId === null ? null : callIds.close(toolCallId);
        return open === null
          ? []
          : [{ type: 'tool-result', id: open, output: message ?? '', isError: type !== 'ToolCallCompleted' }];
      }
      default:
        return [];
    }
  };

  const spoken = ({ kind, delta }: RunDeltaDto): Part[] => {
    if (kind === 'Reasoning') return said === null ? [] : [{ type: 'reasoning', delta }];
    if (kind !== 'Content' || said === null) return [];
    said += delta;
    return [{ type: 'text', delta }];
  };

  const read = (type: string, data: unknown): Part[] => {
    switch (type) {
      case 'run.delta':
        return spoken(data as RunDeltaDto);
      case 'run.event':
        return logged(data as EventView);
      case 'run.status':
        return [statusPart(data as RunView)];
      case 'run.ended':
        return ended(data as RunView, endsFrom);
      case 'run.deleted':
        return [{ type: 'abort', reason: 'The run was deleted.' }];
      case 'stream.gap':
        said = null;
        return [];
      default:
        return [{ type: 'data', name: 'escalation', id: `escalation-${(data as AgentEscalationDto).id}`, data }];
    }
  };

  return ({ type, data }) => [...start(), ...read(type, data)];
}

const statusPart = ({ id, status, progressSummary, failureReason }: RunView): Part => ({
  type: 'data',
  name: 'run-status',
  id: `run-${id}`,
  data: { status, progressSummary, failureReason },
});

function ended(run: RunView, endsFrom: number): Part[] {
  if (run.completedAtUtc !== null && Date.parse(run.completedAtUtc) < endsFrom) return [];
  const { status, failureReason, promptTokens, completionTokens, costUsd } = run;
  if (status === 'Completed')
    return [{ type: 'finish', reason: 'stop', metadata: { promptTokens, completionTokens, costUsd } }];
  const reason = failureReason ?? `The run ended as ${status}.`;
  return status === 'Cancelled' ? [{ type: 'abort', reason }] : [{ type: 'error', message: reason, code: status }];
}

/** Arguments of the call that a ToolCallStarted is about. */
export function argumentsOf({ payloadJson }: EventView): string {
  if (payloadJson === null) return '{}';
  const { argumentsJson } = JSON.parse(payloadJson) as { argumentsJson?: unknown };
  return typeof argumentsJson === 'string' ? argumentsJson : '{}';
}
