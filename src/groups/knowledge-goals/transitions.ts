// The life of a knowledge goal as pure data: which status may follow which by a change that somebody asks for.
import type { KnowledgeGoalStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';

const transitions: Record<KnowledgeGoalStatus, readonly KnowledgeGoalStatus[]> = {
  Active: ['Researching', 'Paused', 'Learned', 'Abandoned'],
  // A research run that was counted leads back to Active.
  Researching: ['Paused'],
  Paused: ['Active', 'Abandoned'],
  Learned: ['Active'],
  Abandoned: ['Active'],
};

/** Staying in a status is no move. @throws Fault INVALID_TRANSITION with the statuses that may follow */
export function requireGoalMove(from: KnowledgeGoalStatus, to: KnowledgeGoalStatus): void {
  if (from === to || transitions[from].includes(to)) return;
  const counted = from === 'Researching' && to === 'Active' ? ' Active follows recordResearchRun.' : '';
  throw new Fault('INVALID_TRANSITION', `A knowledge goal that is ${from} cannot become ${to}.`, {
    hint: `It can become ${transitions[from].join(', ')}.${counted}`,
  });
}
