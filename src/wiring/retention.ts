// How long things are kept, as the groups declare it in their parts.
import type { PastRuns } from '../groups/agent/past-runs.ts';
import type { Part } from '../groups/part.ts';
import { parts } from '../groups/parts.ts';
import { openRetention, removeTreesNow } from '../retention/rules.ts';
import { createPastRuns } from '../stores/runs/past-runs.ts';
import type { Storage } from './storage.ts';

const all: readonly Part<never>[] = parts;

/** Collections whose documents go with their runs. */
export const ofRuns = all.flatMap((part) => part.ofRuns ?? []);

type Deps = Omit<Parameters<typeof openRetention>[0], 'db' | 'ids' | 'signer' | 'believedTime' | 'declared' | 'ofRuns'>;

export const startRetention = ({ storage, ...deps }: Deps & { storage: Storage }) =>
  openRetention({ ...deps, ...storage, declared: all.flatMap(({ retention }) => retention ?? []), ofRuns });

/** Where runs of other servers are kept: no engine has ever held one, so that removing them asks none. */
const pastRunsOf = ({ db, runs: { runs } }: Pick<Storage, 'db' | 'runs'>): PastRuns => ({
  ...createPastRuns({ db, runs }),
  remove: async (tenantId, roots) => {
    await removeTreesNow({ db, engine: { remove: runs.remove }, ofRuns }, tenantId, roots);
  },
});

/** What parts are given of the store besides its documents. */
export const ofStorage = (storage: Pick<Storage, 'db' | 'runs' | 'kind' | 'quotas' | 'units'>) => ({
  quotas: storage.quotas,
  units: storage.units,
  pastRuns: pastRunsOf(storage),
  alone: storage.kind === 'embedded',
});
