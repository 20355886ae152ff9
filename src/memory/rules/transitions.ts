// Status table of rules as pure data: allowed transitions.
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

/** @throws Fault INVALID_TRANSITION with the allowed statuses */
export function moveRule(from: RuleStatus, to: RuleStatus): RuleStatus {
  if (from === to || transitions[from].includes(to)) return to;
  const next = transitions[from];
  throw new Fault('INVALID_TRANSITION', `A rule that is ${from} cannot become ${to}.`, {
    hint: next.length === 0 ? 'State a new rule instead.' : `It can become ${next.join(', ')}.`,
  });
}

/** Whether a rule's status allows any transition. */
export const isOver = (status: RuleStatus): boolean => transitions[status].length === 0;
