// Audit note of a change of a user that does not go through the users' keeper.
import type { Caller } from '../contract/caller.ts';
import { noteWrite } from '../ports/audit.ts';
import type { Collection } from '../ports/db.ts';
import type { UserDoc } from './documents.ts';

/** `before`: the user as it was read before the change. */
export async function noteUser(users: Collection<UserDoc>, by: Caller, before: UserDoc): Promise<void> {
  const doc = await users.findOne({ _id: before._id, tenantId: before.tenantId });
  if (doc) noteWrite(by, { kind: 'user', how: 'changed', doc, before });
}
