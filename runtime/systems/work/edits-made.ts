// Record of a fork on how its state was edited: in its first events, for its page, its audit and comparisons.
import type { EventDraft } from '../../records.ts';
import { type EditedState, type EditedText, type StateEdits, shortened } from '../../state/state-edits.ts';
import type { RunState } from './state-at.ts';

/** Edits of a fork, with shortened texts. */
export interface EditsMade {
  by: string | null;
  goal?: Change;
  summary?: Change;
  role?: Change;
  modelId?: Change;
  messages: EditedText[];
  /** Number of messages that were left out. */
  dropped: number;
  instruction?: string;
}

interface Change {
  before: string | null;
  after: string;
}

interface Asked {
  goal?: string | null;
  role?: string | null;
  modelId?: string | null;
  message?: string | null;
  edits?: StateEdits | null;
  by?: string | null;
}

/** Null where the fork begins with the state as it stood. */
export function editsMade(state: RunState, { edited, dropped }: EditedState, asked: Asked): EditsMade | null {
  const { run } = state;
  const changes = {
    ...change('goal', run.goal, asked.goal),
    ...change('role', run.role, asked.role),
    ...change('modelId', run.modelId, asked.modelId),
    ...change('summary', state.summary, asked.edits?.summary),
  };
  const isSame = Object.keys(changes).length === 0 && edited.length === 0 && dropped === 0;
  if (isSame) return null;
  const instruction = asked.message ? { instruction: shortened(asked.message) } : {};
  return { by: asked.by ?? null, ...changes, messages: edited, dropped, ...instruction };
}

function change(field: string, before: string | null, after: string | null | undefined): Record<string, Change> {
  if (after == null || after === before) return {};
  return { [field]: { before: before === null ? null : shortened(before), after: shortened(after) } };
}

/** Event of a fork whose state was edited, in words. */
export function editedEvent(runId: number, edits: EditsMade): EventDraft {
  const { dropped } = edits;
  const isCall = ({ role, toolName }: EditedText) => role === 'assistant' && toolName !== null;
  const calls = edits.messages.filter(isCall).length;
  const messages = edits.messages.length - calls;
  const parts = [
    ...(['goal', 'summary', 'role', 'modelId'] as const).filter((field) => edits[field]).map((field) => names[field]),
    ...(messages > 0 ? [messages === 1 ? '1 message' : `${messages} messages`] : []),
    ...(calls > 0 ? [calls === 1 ? 'arguments of 1 call' : `arguments of ${calls} calls`] : []),
  ];
  const sentences = [
    parts.length > 0 && `Edited: ${parts.join(', ')}.`,
    dropped > 0 && `Left out: ${dropped === 1 ? '1 message' : `${dropped} messages`}.`,
  ].filter(Boolean);
  return {
    type: 'Log',
    title: 'State edited',
    message: `${sentences.join(' ')} It goes on from run ${runId}, which is as it was.`,
    payload: { edited: edits },
  };
}

const names = { goal: 'goal', summary: 'summary', role: 'role', modelId: 'model' };
