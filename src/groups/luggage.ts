// What a clone of an identity can take along: each part that keeps things of identities says how they are copied.
import type { Caller } from '../contract/caller.ts';
import type { Permission } from '../contract/enums.ts';
import type { Filter } from '../ports/db.ts';
import type { InProjects } from '../ports/in-project.ts';
import type { By } from '../ports/keeper.ts';

/** Things that go along, each with the id that its copy gets: whoever finishes a copy makes no second one. */
export type Packed = readonly (readonly [id: number, copyId: number])[];

export interface Packing {
  tenantId: number;
  cloneId: number;
  /** Who asked may act as the source; else only what it shares goes along. */
  own: boolean;
  /** An agent asked: what it makes counts as its conclusion at most. */
  isAgent: boolean;
  packed: Packed;
  /** Memories that go along too. */
  memories: ReadonlyMap<number, number>;
}

/** A filter for what may go along: nothing of projects that the caller may not write in. */
export function takenFrom<Doc extends { projectId: number | null }>({ projects }: InProjects): Filter<Doc> {
  const closed = [...(projects?.hidden ?? []), ...(projects?.readOnly ?? [])];
  return (closed.length === 0 ? {} : { projectId: { $nin: closed } }) as Filter<Doc>;
}

export interface Luggage {
  /** The field of the request that asks for it. */
  askedBy: 'includeMemories' | 'includeRules';
  /** What such things are called, e.g. `memories`. */
  plural: string;
  needs: readonly Permission[];
  /** The series that ids of copies are of. */
  series: string;
  /** How many go along at most. */
  most: number;
  /** What of an identity the caller may read and keep, the oldest first; no more than `limit`. */
  pick(caller: Caller, of: { identityId: number; own: boolean }, limit: number): Promise<number[]>;
  /** Makes the copies that are not there yet. */
  copy(by: By, packing: Packing): Promise<void>;
}
