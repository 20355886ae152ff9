// What a task is made of, from the bodies of requests.
import type { TaskStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Draft } from '../../ports/record.ts';
import { defined } from '../fields.ts';
import { never } from './book.ts';
import type { ProjectTaskDoc } from './record.ts';

export interface TaskFields {
  title?: string | undefined;
  description?: string | null | undefined;
  acceptanceCriteria?: string | null | undefined;
  status?: TaskStatus | undefined;
  priority?: number | undefined;
  parentTaskId?: number | null | undefined;
  assigneeIdentityId?: number | null | undefined;
  dueAtUtc?: string | null | undefined;
  estimateMinutes?: number | null | undefined;
  sortOrder?: number | undefined;
  tags?: string[] | undefined;
}

type Created = { [Name in keyof TaskFields]?: TaskFields[Name] | null } & { title: string };

const due = (at: string | null | undefined) => {
  const dueAt = at == null ? null : new Date(at);
  return { dueAt, dueOrder: dueAt ?? never };
};

/** Fields that are simply set; status and place go their own ways. */
export function fieldsOf({
  status: _,
  sortOrder: _place,
  dueAtUtc,
  tags,
  ...rest
}: TaskFields): Partial<Draft<ProjectTaskDoc>> {
  return {
    ...defined(rest),
    ...(dueAtUtc === undefined ? {} : due(dueAtUtc)),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    // Somebody who is assigned has it for good; a claim belongs to who took it.
    ...(rest.assigneeIdentityId === undefined ? {} : { claimExpiresAt: null }),
  } as Partial<Draft<ProjectTaskDoc>>;
}

/** @throws Fault INVALID_TRANSITION for a task that would begin elsewhere than in Backlog or Todo */
export function draftOf(
  body: Created,
  projectId: number,
  reporterIdentityId: number | null,
): Omit<Draft<ProjectTaskDoc>, 'rank'> {
  const status = body.status ?? 'Backlog';
  if (status !== 'Backlog' && status !== 'Todo')
    throw new Fault('INVALID_TRANSITION', `A new task is Backlog or Todo, not ${status}.`, {
      hint: 'Move it on with POST /api/tasks/{id}/status.',
    });
  return {
    projectId,
    reporterIdentityId,
    title: body.title,
    description: body.description ?? null,
    acceptanceCriteria: body.acceptanceCriteria ?? null,
    parentTaskId: body.parentTaskId ?? null,
    assigneeIdentityId: body.assigneeIdentityId ?? null,
    estimateMinutes: body.estimateMinutes ?? null,
    priority: body.priority ?? 50,
    status,
    statusReason: null,
    claimExpiresAt: null,
    ...due(body.dueAtUtc),
    startedAt: null,
    completedAt: null,
    tags: [...new Set(body.tags ?? [])],
    runningRunId: 0,
  };
}
