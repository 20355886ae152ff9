// Opens what starts runs by itself: routines, and experiments.
import { openExperiments } from './experiments.ts';
import { openRoutines } from './routines.ts';

type Deps = Parameters<typeof openRoutines>[0] & Parameters<typeof openExperiments>[0];

export function openStarting(deps: Deps) {
  const [routines, experiments] = [openRoutines(deps), openExperiments(deps)];
  return {
    routines,
    experiments,
    async run(): Promise<void> {
      await routines.run();
      await experiments.run();
    },
    async close(): Promise<void> {
      await experiments.close();
      await routines.close();
    },
  };
}

export type OpenStarting = ReturnType<typeof openStarting>;
