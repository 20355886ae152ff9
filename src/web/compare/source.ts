// Where a fork comes from and how its state was edited, as its first event says.
import type { AgentEventDto } from '../../client/index.ts';
import { payloadOf } from '../river/track.ts';

export interface Origin {
  runId: number;
  checkpointId: string;
  /** The last turn that it has taken over; null for forks of earlier versions. */
  turn: number | null;
  /** When the state was as it was taken over; null for the present state. */
  at: string | null;
  edits: Edits | null;
}

interface Change {
  before: string | null;
  after: string;
}

/** What was edited before the fork went on, with shortened texts. */
export interface Edits {
  by: string | null;
  goal?: Change;
  summary?: Change;
  role?: Change;
  modelId?: Change;
  messages: (Change & { index: number; role: string; toolName: string | null })[];
  dropped: number;
  instruction?: string;
}

/** Null for a run that is no fork. */
export function originOf(events: readonly AgentEventDto[]): Origin | null {
  const created = events.find(({ type }) => type === 'RunCreated');
  const { forkedFrom, edited } = created ? payloadOf(created) : {};
  const { runId, checkpointId, turn = null, at = null } = (forkedFrom ?? {}) as Partial<Origin>;
  if (typeof runId !== 'number') return null;
  return { runId, checkpointId: String(checkpointId), turn, at, edits: (edited as Edits | undefined) ?? null };
}

/** Id of the run that a fork comes from. */
export const sourceOf = (events: readonly AgentEventDto[]): number | null => originOf(events)?.runId ?? null;
