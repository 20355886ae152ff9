// The message log of a run, and the journal of its tool calls.
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
  /** Text for the model; null until there is one. */
  result: string | null;
  isError: boolean;
  /** Its owner died while it was under way: nobody knows what came of it. */
  interrupted?: boolean;
  startedAt: number | null;
  finishedAt: number | null;
}
