// Tasks of projects as they are answered and published.
import { z } from 'zod';
import { AgentRunStatus, PrincipalKind, TaskDependencyKind, TaskStatus } from '../../contract/enums.ts';
import { dateTime, double, dto, int32, int64, string, uuid } from '../../contract/types.ts';
import { AgentRunDto } from '../agent/dto.ts';

export const ProjectTaskDto = dto('ProjectTaskDto', {
  id: int64,
  guid: uuid,
  projectId: int64,
  projectName: string.nullable(),
  parentTaskId: int64.nullable(),
  title: string,
  description: string.nullable(),
  acceptanceCriteria: string.nullable(),
  status: TaskStatus,
  statusReason: string.nullable(),
  priority: int32,
  assigneeIdentityId: int64.nullable(),
  assigneeName: string.nullable(),
  reporterIdentityId: int64.nullable(),
  reporterName: string.nullable(),
  claimExpiresAtUtc: dateTime.nullable(),
  dueAtUtc: dateTime.nullable(),
  startedAtUtc: dateTime.nullable(),
  completedAtUtc: dateTime.nullable(),
  estimateMinutes: int32.nullable(),
  /** Its place in the one order of the project's tasks, from 0. */
  sortOrder: int32,
  tags: z.array(string),
  subtaskCount: int32,
  openSubtaskCount: int32,
  blockedByCount: int32,
  commentCount: int32,
  runCount: int32,
  latestRunId: int64.nullable(),
  latestRunStatus: AgentRunStatus.nullable(),
  costUsd: double,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type ProjectTaskDto = z.output<typeof ProjectTaskDto>;

export const TaskDependencyDto = dto('TaskDependencyDto', {
  taskId: int64,
  dependsOnTaskId: int64,
  /** Of the other task: the one that is waited for, or in `dependents` the one that waits. */
  title: string,
  status: TaskStatus,
  kind: TaskDependencyKind,
  createdAtUtc: dateTime,
});
export type TaskDependencyDto = z.output<typeof TaskDependencyDto>;

export const TaskCommentDto = dto('TaskCommentDto', {
  id: int64,
  guid: uuid,
  taskId: int64,
  authorKind: PrincipalKind,
  authorUserId: int64.nullable(),
  authorIdentityId: int64.nullable(),
  authorName: string,
  content: string,
  mentionIdentityIds: z.array(int64),
  runId: int64.nullable(),
  createdAtUtc: dateTime,
});
export type TaskCommentDto = z.output<typeof TaskCommentDto>;

export const ProjectTaskDetailDto = dto('ProjectTaskDetailDto', {
  ...ProjectTaskDto.shape,
  subtasks: z.array(ProjectTaskDto),
  dependencies: z.array(TaskDependencyDto),
  dependents: z.array(TaskDependencyDto),
  recentRuns: z.array(AgentRunDto),
  recentComments: z.array(TaskCommentDto),
});
export type ProjectTaskDetailDto = z.output<typeof ProjectTaskDetailDto>;

export const TaskBoardColumnDto = dto('TaskBoardColumnDto', {
  status: TaskStatus,
  count: int32,
  estimateMinutes: int32,
  tasks: z.array(ProjectTaskDto),
});
export const TaskBoardDto = dto('TaskBoardDto', {
  projectId: int64,
  columns: z.array(TaskBoardColumnDto),
  totalCount: int32,
  overdueCount: int32,
});
export type TaskBoardDto = z.output<typeof TaskBoardDto>;
