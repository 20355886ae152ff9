// Tasks of projects as they are kept, with what they depend on and what is said of them.
import type { TaskDependencyKind, TaskStatus } from '../../contract/enums.ts';
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { TaskCommentDto } from './dto.ts';

export interface ProjectTaskDoc extends KeptDoc {
  guid: string;
  projectId: number;
  parentTaskId: number | null;
  title: string;
  description: string | null;
  acceptanceCriteria: string | null;
  status: TaskStatus;
  statusReason: string | null;
  priority: number;
  assigneeIdentityId: number | null;
  reporterIdentityId: number | null;
  /** When the lease of who claimed it ends; null for a task that was assigned, or is worked on by a run. */
  claimExpiresAt: Date | null;
  dueAt: Date | null;
  /** `dueAt`, or the end of time: what is due is next before what is not. */
  dueOrder: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  estimateMinutes: number | null;
  /** Key of its place among all tasks of the project (`kernel/order.ts`): unique there. */
  rank: string;
  tags: string[];
  /** The run that works on it, whose end it follows; 0 for none. */
  runningRunId: number;
  updatedAt: Date;
}

export const taskRecord = record<ProjectTaskDoc>('project_tasks', {
  noun: 'task',
  list: 'GET /api/tasks',
  inProject: true,
  order: '-updatedAtUtc',
  search: ['title', 'description'],
  texts: ['title', 'description'],
  indexes: [
    { keys: { tenantId: 1, projectId: 1, rank: 1 }, unique: true },
    { keys: { tenantId: 1, projectId: 1, status: 1, rank: 1 } },
    { keys: { tenantId: 1, projectId: 1, parentTaskId: 1, rank: 1 } },
    { keys: { tenantId: 1, parentTaskId: 1, status: 1 } },
    { keys: { tenantId: 1, updatedAt: -1 } },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, priority: -1 } },
    { keys: { tenantId: 1, dueAt: 1 } },
    { keys: { tenantId: 1, status: 1, priority: -1, dueOrder: 1, _id: 1 } },
    { keys: { tenantId: 1, assigneeIdentityId: 1, updatedAt: -1 } },
    {
      keys: { claimExpiresAt: 1, _id: 1 },
      name: 'leases',
      partialFilterExpression: { claimExpiresAt: { $gt: new Date(0) } },
    },
    { keys: { runningRunId: 1, _id: 1 }, name: 'followed', partialFilterExpression: { runningRunId: { $gt: 0 } } },
  ],
});

export interface DependencyDoc extends KeptDoc {
  projectId: number;
  taskId: number;
  dependsOnTaskId: number;
  kind: TaskDependencyKind;
}

export const dependencyRecord = record<DependencyDoc>('task_dependencies', {
  noun: 'dependency',
  list: 'GET /api/tasks/{id}',
  inProject: true,
  order: 'id',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, taskId: 1, dependsOnTaskId: 1 }, unique: true },
    { keys: { tenantId: 1, dependsOnTaskId: 1, kind: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
  ],
});

export interface CommentDoc extends Stored<TaskCommentDto> {
  projectId: number;
}

export const commentRecord = record<CommentDoc>('task_comments', {
  noun: 'comment',
  list: 'GET /api/tasks/{id}/comments',
  inProject: true,
  order: 'createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [{ keys: { tenantId: 1, taskId: 1, createdAt: 1 } }, { keys: { tenantId: 1, projectId: 1 } }],
});
