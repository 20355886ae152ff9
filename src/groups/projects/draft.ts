// What a project is made of: its key, its status, its people and its repository, each checked.
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { ProjectRole, ProjectStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { Member, ProjectDoc } from '../../projects/record.ts';

export interface PeopleDeps {
  users: PerTenant<UserDoc>;
  identities: PerTenant<IdentityDoc>;
}

const transitions: Record<ProjectStatus, readonly ProjectStatus[]> = {
  Planned: ['Active'],
  Active: ['Planned', 'Paused', 'Completed'],
  Paused: ['Active'],
  Completed: ['Active'],
  Archived: [],
};

/** Archiving has an operation of its own. @throws Fault INVALID_TRANSITION */
export function requireProjectMove(from: ProjectStatus, to: ProjectStatus): void {
  if (from === to || transitions[from].includes(to)) return;
  const archives = to === 'Archived' || from === 'Archived';
  throw new Fault('INVALID_TRANSITION', `A project that is ${from} cannot become ${to} this way.`, {
    hint: archives
      ? 'Archive and restore it with POST /api/projects/{id}/archive.'
      : `It can become ${transitions[from].join(', ')}.`,
  });
}

/** A key from a name: the first letters of its words, or of its only word. */
export function keyFrom(name: string): string {
  const words = name
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^A-Z0-9 ]+/g, ' ')
    .split(' ')
    .filter(Boolean);
  const letters = words.length > 1 ? words.map((word) => word[0]).join('') : (words[0] ?? '');
  const key = letters.replace(/^[^A-Z]+/, '').slice(0, 6);
  return key.length < 2 ? `P${key || 'RJ'}` : key;
}

/**
 * A repository that runs may be given: an https URL without credentials. Its address is checked again when it is cloned.
 *
 * @throws Fault VALIDATION_FAILED
 */
export function requireRepository(text: string, allowsPrivate: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const schemes = allowsPrivate ? ['https:', 'http:'] : ['https:'];
  if (url && schemes.includes(url.protocol) && url.username === '' && url.password === '') return;
  throw new Fault('VALIDATION_FAILED', 'repositoryUrl must be an https URL without credentials.', {
    hint: 'Give a URL such as https://host/owner/repository.git. Files of the server (file://) are never cloned.',
  });
}

/**
 * @param project - who is named by it already may stay, though they are not there any more
 * @throws Fault NOT_FOUND for people and agents who are not there
 */
export async function requirePeople(
  { users, identities }: PeopleDeps,
  tenantId: number,
  { userIds, identityIds }: { userIds: readonly number[]; identityIds: readonly number[] },
  project?: Pick<ProjectDoc, 'ownerUserId' | 'leadIdentityId' | 'members'>,
): Promise<void> {
  const named = (id: number, field: 'userId' | 'identityId') => project?.members.some((one) => one[field] === id);
  const newUsers = userIds.filter((id) => id !== project?.ownerUserId && !named(id, 'userId'));
  const newAgents = identityIds.filter((id) => id !== project?.leadIdentityId && !named(id, 'identityId'));
  const known = { _id: 1 } as const;
  const [people, agents] = await Promise.all([
    users(tenantId)
      .find({ _id: { $in: newUsers }, deletedAt: null } as Filter<UserDoc>, { projection: known })
      .toArray(),
    identities(tenantId)
      .find({ _id: { $in: newAgents }, deletedAt: null }, { projection: known })
      .toArray(),
  ]);
  const user = newUsers.find((id) => !people.some((one) => one._id === id));
  if (user !== undefined)
    throw new Fault('NOT_FOUND', `There is no user ${user}.`, { hint: 'List users with GET /api/users.' });
  const identity = newAgents.find((id) => !agents.some((one) => one._id === id));
  if (identity !== undefined) throw noIdentity(identity);
}

export interface MemberInput {
  userId?: number | null | undefined;
  identityId?: number | null | undefined;
  role: ProjectRole;
}

/**
 * The members that were asked for; who was one before keeps their place.
 *
 * @throws Fault VALIDATION_FAILED for who is named twice, or not by one id; FORBIDDEN for owners that a Maintainer makes
 *   or removes; LAST_OWNER
 */
export function membersOf(old: ProjectDoc, wanted: readonly MemberInput[], role: ProjectRole, now: Date): Member[] {
  let next = Math.max(0, ...old.members.map(({ id }) => id)) + 1;
  const members = wanted.map(({ userId = null, identityId = null, role }) => {
    if ((userId === null) === (identityId === null))
      throw new Fault('VALIDATION_FAILED', 'A member is a user or an identity.', {
        hint: 'Give exactly one of userId and identityId.',
      });
    const known = old.members.find((one) => one.userId === userId && one.identityId === identityId);
    return { ...(known ?? { id: next++, userId, identityId, addedAt: now }), role };
  });
  const names = members.map(({ userId, identityId }) => `${userId} ${identityId}`);
  if (new Set(names).size < names.length)
    throw new Fault('VALIDATION_FAILED', 'Somebody is named twice.', { hint: 'Give each member one role.' });
  const owners = (all: readonly Member[]) =>
    all
      .filter((one) => one.role === 'Owner')
      .map(({ userId, identityId }) => `${userId} ${identityId}`)
      .sort()
      .join();
  if (role !== 'Owner' && owners(members) !== owners(old.members))
    throw new Fault('FORBIDDEN', 'Only an owner makes and removes owners.', { hint: 'Ask an owner of the project.' });
  if (old.ownerUserId === null && owners(members) === '')
    throw new Fault('LAST_OWNER', 'A project needs an owner.', { hint: 'Make somebody its Owner first.' });
  return members;
}

/** @throws Fault FORBIDDEN for a Maintainer who hands the project to somebody else; LAST_OWNER */
export function requireOwnership(old: ProjectDoc, ownerUserId: number | null, role: ProjectRole): void {
  if (ownerUserId === old.ownerUserId) return;
  if (role !== 'Owner')
    throw new Fault('FORBIDDEN', 'Only an owner gives a project to somebody else.', { hint: 'Ask its owner.' });
  if (ownerUserId === null && !old.members.some((one) => one.role === 'Owner'))
    throw new Fault('LAST_OWNER', 'A project needs an owner.', { hint: 'Make a member its Owner first.' });
}
