// The one rule who may read and change what is in a project: pure over the rights that a caller came with.
import type { ProjectRights } from '../contract/caller.ts';
import { Fault } from '../kernel/fault.ts';
import type { Filter } from './db.ts';

/** Access of a caller to projects, or of the server itself, which may read all. */
export interface InProjects {
  projects?: ProjectRights | null | undefined;
}

/** Whether what belongs to the project is there for the caller. Null is no project: open to the tenant. */
export const mayReadIn = ({ projects }: InProjects, projectId: number | null | undefined): boolean =>
  projectId == null || !projects?.hidden.has(projectId);

export const mayChangeIn = (caller: InProjects, projectId: number | null | undefined): boolean =>
  mayReadIn(caller, projectId) && (projectId == null || !caller.projects?.readOnly.has(projectId));

/** @throws Fault NOT_FOUND for one that the caller may not know of, as for one that is not there */
export function requireReadIn(caller: InProjects, projectId: number | null | undefined): void {
  if (!mayReadIn(caller, projectId)) throw noProject(projectId as number);
}

/** @throws Fault NOT_FOUND; FORBIDDEN for who may only look */
export function requireChangeIn(caller: InProjects, projectId: number | null | undefined): void {
  requireReadIn(caller, projectId);
  if (!mayChangeIn(caller, projectId)) throw onlyLooks(projectId as number);
}

/**
 * What a request does with something of a project that it has found: it reads, or changes, as its method says. For finders
 * that serve both.
 *
 * @returns whether it is there for the caller
 * @throws Fault FORBIDDEN for a request that changes something, of one who may only look
 */
export function isOpenTo(caller: InProjects, projectId: number | null | undefined): boolean {
  if (!mayReadIn(caller, projectId)) return false;
  if (caller.projects?.changing && !mayChangeIn(caller, projectId)) throw onlyLooks(projectId as number);
  return true;
}

/** Ids that lists of a caller leave out; most callers have none. */
export const hiddenFrom = ({ projects }: InProjects): readonly number[] => [...(projects?.hidden ?? [])];

/** A filter for documents that have a `projectId`: those that the caller may know of. */
export function visibleTo<Doc extends { projectId: number | null }>(caller: InProjects): Filter<Doc> {
  const hidden = hiddenFrom(caller);
  return (hidden.length === 0 ? {} : { projectId: { $nin: hidden } }) as Filter<Doc>;
}

export const noProject = (projectId: number) =>
  new Fault('NOT_FOUND', `There is no project ${projectId}.`, { hint: 'List projects with GET /api/projects.' });

const onlyLooks = (projectId: number) =>
  new Fault('FORBIDDEN', `You may read project ${projectId}, but not change what is in it.`, {
    hint: 'Ask an owner of the project for the role Contributor.',
  });
