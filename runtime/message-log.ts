// Message log of a run, and the journal of its tool calls.
import type { ModelMessage } from './model.ts';

/** One entry of a run's append-only message log. */
export interface LogMessage {
  index: number;
  iteration: number;
  message: ModelMessage;
}

export type ToolCallState = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Blocked' | 'AwaitingApproval';

/** The journal of one tool call; a call with a result is never made again. */
export interface ToolCallRecord {
  /** `<index of the assistant message>.<position>`: unique within the run. */
  key: string;
  callId: string;
  name: string;
  argumentsJson: string;
  state: ToolCallState;
  /** Result text for the model; null until there is one. */
  result: string | null;
  isError: boolean;
  /** True when the owner died during the call, so that its outcome is unknown. */
  interrupted?: boolean;
  /** What the call has asked a person, with what its tool keeps until there is an answer. */
  asked?: { kept: string; round: number };
  startedAt: number | null;
  finishedAt: number | null;
}
