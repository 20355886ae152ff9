// Projects as they are kept, with their members.
import type { ProjectRole, ProjectStatus } from '../contract/enums.ts';
import { type KeptDoc, record } from '../ports/record.ts';

/** A person or an agent in a project: one of the two ids is set. */
export interface Member {
  id: number;
  userId: number | null;
  identityId: number | null;
  role: ProjectRole;
  addedAt: Date;
}

/** What a private repository asks for; sent to the origin that it was given for, and nowhere else. */
export interface RepositoryCredentials {
  username: string;
  /** The password or token. */
  sealed: string;
  /** Scheme, host and port, e.g. `https://git.example.com`. */
  origin: string;
  setAt: Date;
}

export interface ProjectDoc extends KeptDoc {
  guid: string;
  /** Short and upper-case, unique in the tenant, e.g. `RIVER`. */
  key: string;
  name: string;
  description: string | null;
  status: ProjectStatus;
  orgUnitId: number | null;
  ownerUserId: number | null;
  leadIdentityId: number | null;
  repositoryUrl: string | null;
  defaultBranch: string | null;
  repositoryCredentials?: RepositoryCredentials | null;
  agentInstructions: string | null;
  siteEnabled: boolean;
  siteSlug: string | null;
  icon: string | null;
  color: string | null;
  tags: string[];
  members: Member[];
  archivedAt: Date | null;
  /** Set when its removal began: a repair completes one that a crash cut short. */
  removingAt: Date | null;
  updatedAt: Date;
  /** Removed projects stay as a name for what is left of them, which nobody but administrators sees. */
  deletedAt?: Date | null;
}

export const projectRecord = record<ProjectDoc>('projects', {
  noun: 'project',
  list: 'GET /api/projects',
  order: 'name',
  search: ['name', 'key', 'description'],
  texts: ['name', 'key', 'description'],
  unique: 'key',
  softDelete: true,
  indexes: [
    { keys: { tenantId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, deletedAt: 1, name: 1 } },
    { keys: { tenantId: 1, orgUnitId: 1 } },
    { keys: { siteSlug: 1 }, unique: true, partialFilterExpression: { siteSlug: { $gt: '' } } },
    { keys: { removingAt: 1 } },
  ],
});
