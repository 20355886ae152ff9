// The order of roles in a project; each may do what those before it may.
import type { ProjectRole } from '../contract/enums.ts';

/** From the weakest to the strongest. */
const ranks: readonly ProjectRole[] = ['Viewer', 'Contributor', 'Maintainer', 'Owner'];

export const isAtLeast = (role: ProjectRole | null, least: ProjectRole): boolean =>
  role !== null && ranks.indexOf(role) >= ranks.indexOf(least);

/** The strongest of some roles; null where there is none. */
export const strongestOf = (roles: readonly ProjectRole[]): ProjectRole | null =>
  ranks.findLast((role) => roles.includes(role)) ?? null;
