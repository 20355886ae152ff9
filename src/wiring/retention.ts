// How long things are kept, as the groups declare it in their parts.
import type { Part } from '../groups/part.ts';
import { parts } from '../groups/parts.ts';
import { openRetention } from '../retention/rules.ts';
import type { Storage } from './storage.ts';

const all: readonly Part<never>[] = parts;

/** Collections whose documents go with their runs. */
export const ofRuns = all.flatMap((part) => part.ofRuns ?? []);

type Deps = Omit<Parameters<typeof openRetention>[0], 'db' | 'ids' | 'signer' | 'declared' | 'ofRuns'>;

export const startRetention = ({ storage, ...deps }: Deps & { storage: Storage }) =>
  openRetention({ ...deps, ...storage, declared: all.flatMap(({ retention }) => retention ?? []), ofRuns });
