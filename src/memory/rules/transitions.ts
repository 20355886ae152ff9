// The life of a rule as pure data: which status may follow which, and by whom.
import type { RuleStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';

const transitions: Record<RuleStatus, readonly RuleStatus[]> = {
  Proposed: ['Active', 'Withdrawn', 'Superseded', 'Expired'],
  Active: ['UnderReview', 'Withdrawn', 'Superseded', 'Expired'],
  UnderReview: ['Active', 'Withdrawn', 'Superseded', 'Expired'],
  Expired: ['Active', 'Withdrawn', 'Superseded'],
  Superseded: [],
  Withdrawn: [],
};

/** @throws Fault INVALID_TRANSITION with what may follow */
export function moveRule(from: RuleStatus, to: RuleStatus): RuleStatus {
  if (from === to || transitions[from].includes(to)) return to;
  const next = transitions[from];
  throw new Fault('INVALID_TRANSITION', `A rule that is ${from} cannot become ${to}.`, {
    hint: next.length === 0 ? 'State a new rule instead.' : `It can become ${next.join(', ')}.`,
  });
}

/** Whether a rule has a future. */
export const isOver = (status: RuleStatus): boolean => transitions[status].length === 0;
