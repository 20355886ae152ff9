// A task on the board: a link to it, with what is to be known of it at a glance.
import type { KeyboardEvent } from 'react';
import type { ProjectTaskDto } from '../../../client/index.ts';
import { formatDate, plural, t } from '../../base/i18n.ts';
import { currentLocation, href } from '../../base/router.ts';

interface Props {
  task: ProjectTaskDto;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function TaskCard({ task, onKeyDown }: Props) {
  const { path, query } = currentLocation();
  const isOverdue = task.dueAtUtc !== null && !isClosed(task) && Date.parse(task.dueAtUtc) < Date.now();
  return (
    <a
      id={`task-${task.id}`}
      className="task-card"
      draggable={false}
      href={href(path, { ...Object.fromEntries(query), task: task.id })}
      onKeyDown={onKeyDown}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight"
    >
      <span>{task.title}</span>
      <span className="row wrap small muted">
        <span className="faint">#{task.id}</span>
        {task.assigneeName && <span>{task.assigneeName}</span>}
        {task.dueAtUtc && (
          <span data-overdue={isOverdue}>
            {isOverdue ? t('overdue since {date}', { date: formatDate(task.dueAtUtc) }) : formatDate(task.dueAtUtc)}
          </span>
        )}
        {task.blockedByCount > 0 && (
          <span>{plural(task.blockedByCount, 'waits for {n} task', 'waits for {n} tasks')}</span>
        )}
        {task.subtaskCount > 0 && (
          <span>
            {t('{done} of {all} subtasks', { done: task.subtaskCount - task.openSubtaskCount, all: task.subtaskCount })}
          </span>
        )}
        {task.commentCount > 0 && <span>{plural(task.commentCount, '{n} comment', '{n} comments')}</span>}
      </span>
    </a>
  );
}

export const isClosed = ({ status }: Pick<ProjectTaskDto, 'status'>) => status === 'Done' || status === 'Cancelled';
