// Runs as a part of the server.
import { mayReadIn } from '../../ports/in-project.ts';
import { type MayRead, part } from '../part.ts';
import { feedbackSpec } from './feedback/feedback.ts';
import { noteSpec } from './notes/notes.ts';
import { runSearches } from './searched.ts';
import { taskSpec } from './tasks/tasks.ts';

export const agentPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  topics: ({ findRun }) => {
    const run: MayRead = async (caller, id) => {
      const found = await findRun(id, caller.tenantId);
      return found?.tenantId === caller.tenantId && mayReadIn(caller, found.projectId);
    };
    return { run, 'run-tree': run };
  },
  searches: ({ ofRuns }) => runSearches(ofRuns),
  // What hangs on runs goes with them.
  ofRuns: [noteSpec, taskSpec, feedbackSpec],
  samples: [],
});
