// The sets of memories that a search looks through, as the indexes know them.
import type { Remembered } from './ports.ts';

const own = (identityId: number, archived: boolean) => `identity:${identityId}${archived ? ':archived' : ''}`;
const shared = (archived: boolean) => `shared${archived ? ':archived' : ''}`;

/** Where a memory belongs. */
export function scopesOf({
  identityId,
  isShared,
  archivedAt,
}: Pick<Remembered, 'identityId' | 'isShared' | 'archivedAt'>) {
  const archived = archivedAt !== null;
  return [own(identityId, archived), ...(isShared ? [shared(archived)] : [])];
}

/** What an identity may look through: its own memories, and those that others of its tenant share. */
export function readableScopes(identityId: number, ask: { shared: boolean; archived: boolean }): string[] {
  const states = ask.archived ? [false, true] : [false];
  return states.flatMap((archived) => [own(identityId, archived), ...(ask.shared ? [shared(archived)] : [])]);
}

/** The rule that the documents are held against, whatever an index proposed. */
export const isReadable = (memory: Remembered, identityId: number, ask: { shared: boolean; archived: boolean }) =>
  (memory.identityId === identityId || (ask.shared && memory.isShared)) && (ask.archived || memory.archivedAt === null);
