// What happened in projects: kept as it happens, and read newest first.
import type { PrincipalKind, SearchHitKind } from '../contract/enums.ts';
import { type KeptDoc, record } from '../ports/record.ts';

export interface ActivityDoc extends KeptDoc {
  projectId: number;
  kind: SearchHitKind;
  action: string;
  targetId: number;
  title: string;
  detail: string | null;
  actorKind: PrincipalKind;
  actorId: number | null;
  actorName: string | null;
}

export const activityRecord = record<ActivityDoc>('project_activity', {
  noun: 'activity',
  list: 'GET /api/projects/{id}/activity',
  order: '-createdAtUtc',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, projectId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1, kind: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1, actorId: 1, createdAt: -1 } },
  ],
});

/** Who did it, as activities show them. */
export type Actor = Pick<ActivityDoc, 'actorKind' | 'actorId' | 'actorName'>;
export type Happening = Omit<ActivityDoc, '_id' | 'tenantId' | 'createdAt'>;

export const theServer: Actor = { actorKind: 'System', actorId: null, actorName: null };

/** A person by their account, an agent by its identity. */
export const actorOf = (caller: {
  identityId: number | null;
  userId: number | null;
  name: string;
  kind: string;
}): Actor =>
  caller.kind === 'IdentityKey' || caller.userId === null
    ? { actorKind: 'Identity', actorId: caller.identityId, actorName: caller.name }
    : { actorKind: 'User', actorId: caller.userId, actorName: caller.name };

const long = 300;
const shorten = (text: string) => (text.length > long ? `${text.slice(0, long - 1)}…` : text);
export const shortTitle = (text: string) => shorten(text.replace(/\s+/g, ' ').trim());
