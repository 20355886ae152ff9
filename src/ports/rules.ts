// Decisions of people that become rules: told by who takes decisions, carried out where rules are kept.
import type { By } from './keeper.ts';

/** A decision on what an agent asked. */
export interface DecidedQuestion {
  id: number;
  identityId: number | null;
  projectId: number | null;
  kind: string | null;
  situation: string;
  toolName: string | null;
  decision: string | null;
  decisionNotes: string | null;
  decidedBy: string | null;
}

export interface RuleProposals {
  /** Proposes a rule from a decision; the same decision again changes nothing. */
  propose(by: By, decided: DecidedQuestion): Promise<void>;
}
