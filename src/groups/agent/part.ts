// Runs as a part of the server.
import { type MayRead, part } from '../part.ts';

export const agentPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  topics: ({ findRun }) => {
    const run: MayRead = async ({ tenantId }, id) => (await findRun(id))?.tenantId === tenantId;
    return { run, 'run-tree': run };
  },
  samples: [],
});
