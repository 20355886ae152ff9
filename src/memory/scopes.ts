// Scopes of a search: sets of memories, as the indexes know them.
import type { Ranked } from './ports.ts';

const own = (identityId: number, archived: boolean) => `identity:${identityId}${archived ? ':archived' : ''}`;
const shared = (archived: boolean) => `shared${archived ? ':archived' : ''}`;

/** Scope of a memory. */
export function scopesOf({ identityId, isShared, archivedAt }: Pick<Ranked, 'identityId' | 'isShared' | 'archivedAt'>) {
  const archived = archivedAt !== null;
  return [own(identityId, archived), ...(isShared ? [shared(archived)] : [])];
}

/** Scopes that an identity may search: its own memories, and those shared in its tenant. */
export function readableScopes(identityId: number, ask: { shared: boolean; archived: boolean }): string[] {
  const states = ask.archived ? [false, true] : [false];
  return states.flatMap((archived) => [own(identityId, archived), ...(ask.shared ? [shared(archived)] : [])]);
}

/** Filter that documents must pass, whatever an index proposed. */
export const isReadable = (memory: Ranked, identityId: number, ask: { shared: boolean; archived: boolean }) =>
  (memory.identityId === identityId || (ask.shared && memory.isShared)) && (ask.archived || memory.archivedAt === null);
