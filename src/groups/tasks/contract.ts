// Tasks of projects: what is to be done, in which order, by whom, and what waits for what.
import { z } from 'zod';
import { AgentRunStatus, TaskDependencyKind, TaskStatus } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { AgentRunDto } from '../agent/dto.ts';
import { ProjectTaskDetailDto, ProjectTaskDto, TaskBoardDto, TaskCommentDto } from './dto.ts';

const read = 'TasksRead';
const write = 'TasksWrite';
const title = string.trim().min(1).max(500);
const text = string.max(32_000);
const priority = int32.min(0).max(100);
const estimate = int32.min(0).max(1_000_000);
const place = int32.min(0);
const tag = string.trim().min(1).max(100);
const tags = z.array(tag).max(50);
const reason = string.max(2000);
const sorts = ['sortOrder', 'priority', 'dueAtUtc', 'status', 'title', 'createdAtUtc', 'updatedAtUtc', 'id'] as const;
/** Across projects there is no order of places. */
const sortsOfAll = ['priority', 'dueAtUtc', 'createdAtUtc', 'updatedAtUtc', 'id'] as const;
const filters = {
  status: TaskStatus.optional(),
  assigneeIdentityId: int64.optional(),
  minPriority: int32.optional(),
  tag: tag.optional(),
  openOnly: boolean.optional(),
  q: string.max(200).optional(),
};
const more = {
  description: text.nullish(),
  parentTaskId: int64.nullish(),
  assigneeIdentityId: int64.nullish(),
  dueAtUtc: dateTime.nullish(),
  estimateMinutes: estimate.nullish(),
  acceptanceCriteria: text.nullish(),
};

export const tasks = group(
  'Tasks',
  {
    base: '/api',
    doc: 'Tasks of projects. All tasks of a project stand in one order; a task that waits for another is Blocked until that is Done or Cancelled; a claim is a lease that ends by itself.',
  },
  {
    list: op.get('/tasks', {
      doc: 'List tasks of all projects that the caller may know of.',
      needs: read,
      query: listQuery(sortsOfAll, { projectId: int64.optional(), dueBeforeUtc: dateTime.optional(), ...filters }),
      data: page(ProjectTaskDto),
    }),
    next: op.get('/tasks/next', {
      doc: 'The task that an identity does best to take next: open, unassigned or its own, waiting for nothing; the most important, of those the one that is due first.',
      needs: read,
      query: fields({
        identityId: int64.optional(),
        projectId: int64.optional(),
        tag: tag.optional(),
        minPriority: int32.optional(),
      }),
      data: ProjectTaskDto,
    }),
    get: op.get('/tasks/{id}', {
      doc: 'One task with its subtasks, dependencies, runs and newest comments.',
      needs: read,
      data: ProjectTaskDetailDto,
    }),
    replace: op.put('/tasks/{id}', {
      doc: 'Replace a task; what is left out is cleared.',
      needs: write,
      body: fields({ title, status: TaskStatus, priority, ...more, sortOrder: place, tags }),
      data: ProjectTaskDto,
    }),
    patch: op.patch('/tasks/{id}', {
      doc: 'Change some fields of a task; moves of its status are checked.',
      needs: write,
      body: fields({
        title: title.optional(),
        status: TaskStatus.optional(),
        priority: priority.optional(),
        ...more,
        sortOrder: place.optional(),
        tags: tags.optional(),
      }),
      data: ProjectTaskDto,
    }),
    remove: op.delete('/tasks/{id}', { doc: 'Delete a task and its subtasks.', needs: write, data: nothing }),
    listIn: op.get('/projects/{projectId}/tasks', {
      doc: 'List the tasks of a project in their order.',
      needs: read,
      query: listQuery(sorts, { parentTaskId: int64.optional(), ...filters }),
      data: page(ProjectTaskDto),
    }),
    create: op.post('/projects/{projectId}/tasks', {
      doc: 'Make a task in a project: Backlog unless it says Todo, and last in order.',
      needs: write,
      body: fields({
        title,
        status: TaskStatus.nullish(),
        priority: priority.nullish(),
        ...more,
        sortOrder: place.nullish(),
        tags: tags.nullish(),
        dependsOnTaskIds: z.array(int64).max(100).nullish(),
      }),
      data: ProjectTaskDto,
    }),
    board: op.get('/projects/{projectId}/tasks/board', {
      doc: 'The board of a project: a column a status, with the first tasks of each in their order.',
      needs: read,
      query: fields({
        assigneeIdentityId: int64.optional(),
        tag: tag.optional(),
        perColumn: int32.min(0).max(200).default(50),
      }),
      data: TaskBoardDto,
    }),
    status: op.post('/tasks/{id}/status', {
      doc: 'Move a task to another status. Work on one that waits for others begins only with force.',
      needs: write,
      body: fields({ status: TaskStatus, reason: reason.nullish(), force: boolean.nullish() }),
      data: ProjectTaskDto,
    }),
    assign: op.post('/tasks/{id}/assign', {
      doc: 'Give a task to an identity, whose inbox is told, or to nobody.',
      needs: write,
      body: fields({ identityId: int64.nullish(), note: reason.nullish() }),
      data: ProjectTaskDto,
    }),
    claim: op.post('/tasks/{id}/claim', {
      doc: 'Take a task that nobody has. The claim ends by itself unless it is renewed by claiming again; then the task is free.',
      needs: write,
      body: fields({
        identityId: int64.nullish(),
        leaseSeconds: int32.min(5).max(604_800).nullish(),
      }).optional(),
      data: ProjectTaskDto,
    }),
    move: op.post('/tasks/{id}/move', {
      doc: 'Put a task at another place of the order, below another task or into another project.',
      needs: write,
      body: fields({
        parentTaskId: int64.nullish(),
        projectId: int64.nullish(),
        sortOrder: place.nullish(),
        afterTaskId: int64.nullish(),
      }),
      data: ProjectTaskDto,
    }),
    run: op.post('/tasks/{id}/run', {
      doc: 'Start a run that works on the task. The task follows its end: Done when it completed, InReview where it delivered something, Blocked when it failed or timed out, Todo when it was cancelled.',
      needs: 'RunsWrite',
      body: fields({
        identityId: int64.nullish(),
        roleDefinitionId: int64.nullish(),
        role: string.trim().min(1).max(200).nullish(),
        goal: string.trim().min(1).max(32_000).nullish(),
        modelId: string.max(300).nullish(),
        toolProfileName: string.max(200).nullish(),
        maxIterations: int32.min(1).nullish(),
        maxTokens: int32.min(1).nullish(),
        maxWallClockMs: int32.min(1).nullish(),
        contractDeliverable: string.max(32_000).nullish(),
        contractDestination: string.max(2000).nullish(),
        workspaceId: int64.nullish(),
        autoStart: boolean.nullish(),
      }).optional(),
      data: AgentRunDto,
    }),
    runs: op.get('/tasks/{id}/runs', {
      doc: 'List the runs that worked on a task, newest first.',
      needs: 'RunsRead',
      query: listQuery(['createdAtUtc', 'id'], { status: AgentRunStatus.optional() }),
      data: page(AgentRunDto),
    }),
    comments: op.get('/tasks/{id}/comments', {
      doc: 'List the comments on a task, oldest first.',
      needs: read,
      query: listQuery(['createdAtUtc', 'id'], {}),
      data: page(TaskCommentDto),
    }),
    comment: op.post('/tasks/{id}/comments', {
      doc: 'Comment on a task. Who is mentioned, by mentionIdentityIds or as @name, finds it in the inbox.',
      needs: write,
      body: fields({
        content: string.trim().min(1).max(32_000),
        mentionIdentityIds: z.array(int64).max(50).nullish(),
        runId: int64.nullish(),
      }),
      data: TaskCommentDto,
    }),
    uncomment: op.delete('/tasks/{id}/comments/{commentId}', {
      doc: 'Delete a comment: its author, or who maintains the project.',
      needs: write,
      data: nothing,
    }),
    depend: op.post('/tasks/{id}/dependencies', {
      doc: 'Make a task wait for another (Blocks), or note how they belong together. What would wait for itself is refused.',
      needs: write,
      body: fields({ dependsOnTaskId: int64, kind: TaskDependencyKind.nullish() }),
      data: ProjectTaskDetailDto,
    }),
    undepend: op.delete('/tasks/{id}/dependencies/{dependsOnTaskId}', {
      doc: 'Remove a dependency; a task that waits for nothing any more is Todo.',
      needs: write,
      data: nothing,
    }),
  },
);
