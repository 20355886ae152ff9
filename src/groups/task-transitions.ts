// The life of a task as pure data: which status may follow which.
import type { TaskStatus } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';

export const taskTransitions: Record<TaskStatus, readonly TaskStatus[]> = {
  Backlog: ['Todo', 'InProgress', 'Cancelled'],
  Todo: ['InProgress', 'Blocked', 'Backlog', 'Cancelled'],
  InProgress: ['InReview', 'Done', 'Blocked', 'Todo', 'Cancelled'],
  Blocked: ['Todo', 'InProgress', 'Cancelled'],
  InReview: ['Done', 'InProgress', 'Cancelled'],
  Done: ['InProgress'],
  Cancelled: ['Todo'],
};

/** Statuses of tasks that nobody works on any more. */
export const closedStatuses = ['Done', 'Cancelled'] as const;
export const isClosed = ({ status }: { status: TaskStatus }): boolean => status === 'Done' || status === 'Cancelled';

/** Staying in a status is no move. @throws Fault INVALID_TRANSITION with the statuses that may follow */
export function requireTaskMove(from: TaskStatus, to: TaskStatus): void {
  if (from === to || taskTransitions[from].includes(to)) return;
  throw new Fault('INVALID_TRANSITION', `A task that is ${from} cannot become ${to}.`, {
    hint: `It can become ${taskTransitions[from].join(', ')}.`,
  });
}
