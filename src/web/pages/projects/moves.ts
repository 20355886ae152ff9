// What a move on the board means: how the board looks after it, and what the server is asked for.
import type { ProjectTaskDto, TaskBoardDto, TaskStatus } from '../../../client/index.ts';

/** A place among the other tasks of a column, from 0. */
export interface Place {
  status: TaskStatus;
  index: number;
}

const othersIn = ({ columns }: TaskBoardDto, { id }: ProjectTaskDto, status: TaskStatus) =>
  (columns.find((one) => one.status === status)?.tasks ?? []).filter((one) => one.id !== id);

/** The board as it is to be, while the server is asked. */
export function moved(board: TaskBoardDto, task: ProjectTaskDto, to: Place): TaskBoardDto {
  const columns = board.columns.map((column) => {
    const others = othersIn(board, task, column.status);
    const had = column.tasks.length - others.length;
    if (column.status !== to.status) return { ...column, tasks: others, count: column.count - had };
    const tasks = [...others.slice(0, to.index), { ...task, status: to.status }, ...others.slice(to.index)];
    return { ...column, tasks, count: column.count - had + 1 };
  });
  return { ...board, columns };
}

/** What `POST /api/tasks/{id}/move` is sent; null where the column is otherwise empty, so that any place is right. */
export function placeOf(board: TaskBoardDto, task: ProjectTaskDto, to: Place) {
  const others = othersIn(board, task, to.status);
  // By a neighbour, not by a number: numbers are old as soon as another task has moved. Null is the beginning.
  return others.length === 0 ? null : { afterTaskId: others[to.index - 1]?.id ?? null };
}
