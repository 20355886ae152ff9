// One answer told in order, in words that belong to no protocol: what is heard of runs and chats becomes these, and these become any format.

export type Part =
  /** Once, first. `runId` names this answer within its thread. */
  | { type: 'start'; messageId: string; threadId: string; runId: string; metadata?: Record<string, unknown> }
  | { type: 'step-start' }
  | { type: 'step-end' }
  | { type: 'text'; delta: string }
  | { type: 'reasoning'; delta: string }
  /** A tool call as it is written; its whole follows as `tool-call`. */
  | { type: 'tool-input'; id: string; name: string; delta: string }
  /** `ofClient`: the client has the tool itself, and sends the result with its next request. */
  | { type: 'tool-call'; id: string; name: string; argumentsJson: string; ofClient?: boolean }
  /** The call waits for an approval. */
  | { type: 'tool-approval'; id: string; approvalId: string }
  /** `denied`: the approval was refused. */
  | { type: 'tool-result'; id: string; output: string; isError: boolean; denied?: boolean }
  /** Something that the protocols have no word for; a later one with the same name and id replaces it. */
  | { type: 'data'; name: string; id: string; data: unknown }
  /** One of these, once, last. */
  | { type: 'finish'; reason: 'stop' | 'length' | 'content-filter' | 'other'; metadata?: Record<string, unknown> }
  /** The answer pauses for approvals or the client's tool results, and continues in the same message. */
  | { type: 'wait'; approvals: { id: string; approvalId: string }[]; clientCalls: string[] }
  | { type: 'abort'; reason: string }
  | { type: 'error'; message: string; code: string };

export const isLast = ({ type }: Part): boolean =>
  type === 'finish' || type === 'wait' || type === 'abort' || type === 'error';

/** The text of `whole` after `told`, which was sent already; null where `whole` does not begin with it. */
export const restOf = (whole: string, told: string): string | null =>
  whole.startsWith(told) ? whole.slice(told.length) : null;
