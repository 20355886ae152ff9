// The lives of pairs, datasets, training runs and checkpoints as pure data: which status may follow which.
import type { CurationStatus, TrainingRunStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';

const ofPairs: Record<CurationStatus, readonly CurationStatus[]> = {
  Draft: ['Approved', 'Rejected'],
  Approved: ['Rejected'],
  Rejected: ['Approved'],
  Used: [],
};

/** Whether curation can bring a pair from one status to another. */
export const mayCurate = (from: CurationStatus, to: CurationStatus): boolean => ofPairs[from].includes(to);

const ofRuns: Record<TrainingRunStatus, readonly TrainingRunStatus[]> = {
  Queued: ['Running', 'Cancelled'],
  Running: ['Evaluating', 'Failed', 'Cancelled'],
  Evaluating: ['AwaitingApproval', 'Failed', 'Cancelled'],
  AwaitingApproval: ['Approved', 'Rejected'],
  Approved: [],
  Rejected: [],
  Failed: ['Queued'],
  Cancelled: ['Queued'],
};

/** Staying in a status is no move. @throws Fault INVALID_TRANSITION with the statuses that may follow */
export function requireTrainingMove(from: TrainingRunStatus, to: TrainingRunStatus): void {
  if (from === to || ofRuns[from].includes(to)) return;
  const next = ofRuns[from].join(', ');
  throw new Fault('INVALID_TRANSITION', `A training run that is ${from} cannot become ${to}.`, {
    hint: next ? `It can become ${next}.` : 'It has ended for good: start another one.',
  });
}
