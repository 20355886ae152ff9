// Whose prompts are whose, and who may read and change them.
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import type { PromptDoc } from './record.ts';

export type Owned = Pick<PromptDoc, 'createdByUserId' | 'createdByIdentityId'>;
type Who = Pick<Caller, 'userId' | 'identityId'>;

export const isOwn = ({ createdByUserId: user, createdByIdentityId: identity }: Owned, who: Who) =>
  (user !== null && user === who.userId) || (identity !== null && identity === who.identityId);

/** One's own prompts, and those that are shared. */
export function mayRead({ userId, identityId }: Who): Filter<PromptDoc> {
  return {
    $or: [
      { isShared: true },
      ...(userId === null ? [] : [{ createdByUserId: userId }]),
      ...(identityId === null ? [] : [{ createdByIdentityId: identityId }]),
    ],
  };
}

export const mayChange = (doc: PromptDoc, caller: Caller) =>
  caller.permissions.has('ChatWrite') && (isOwn(doc, caller) || caller.permissions.has('UsersWrite'));

/** @throws Fault FORBIDDEN */
export function requireChange(doc: PromptDoc, caller: Caller): void {
  if (mayChange(doc, caller)) return;
  throw new Fault('FORBIDDEN', `The prompt ${doc.name} is shared by ${doc.createdByName}.`, {
    hint: 'Make one of your own with POST /api/prompts.',
  });
}

/** What is held once: a command of everybody's, or of one's own. */
export function commandKey({ command, isShared, ...owned }: Owned & Pick<PromptDoc, 'command' | 'isShared'>): string {
  if (isShared) return `/${command}`;
  const { createdByUserId: user, createdByIdentityId: identity } = owned;
  return user === null ? `/${command} of identity ${identity}` : `/${command} of user ${user}`;
}
