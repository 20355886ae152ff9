// State of a run as the interface shows it.
import type { Engine } from '../../../../runtime/engine.ts';
import { textOf } from '../../../../runtime/state/state-edits.ts';
import type { RunStateDto, RunStateMessageDto } from '../dto.ts';

type RunState = Awaited<ReturnType<Engine['stateAt']>>;

export function stateView({ run, checkpointId, turn, summary, entries }: RunState): RunStateDto {
  const { id: runId, goal, role, modelId } = run;
  return { runId, checkpointId, turn, goal, role, modelId, summary, messages: entries.map(messageView) };
}

function messageView({ index, iteration, message }: RunState['entries'][number]): RunStateMessageDto {
  const { role } = message;
  const call = role === 'tool' ? message : null;
  return {
    index,
    turn: iteration,
    role: role === 'system' ? 'user' : role,
    text: textOf(message),
    toolCalls: role === 'assistant' ? (message.toolCalls ?? []) : [],
    toolCallId: call?.toolCallId ?? null,
    toolName: call?.toolName ?? null,
    isError: call?.isError ?? false,
  };
}
