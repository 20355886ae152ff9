// Interactions between identities, which services report and relationships are computed from.
import type { InteractionKind } from '../contract/enums.ts';

/** Something that happened between two identities, as the first of them sees the second. */
export interface Meeting {
  tenantId: number;
  from: number;
  to: number;
  kind: InteractionKind;
  summary: string;
  /** From -1 to 1; what the kind usually means unless given. */
  sentiment?: number;
  /** From 0 to 1; how much it counts. */
  weight?: number;
  runId?: number | null;
  messageId?: number | null;
  at: Date;
  /** Idempotency key: an interaction that is reported again counts once. */
  key: string;
}

export interface Bonds {
  note(meeting: Meeting): Promise<void>;
}
