// The log as a part of the server; its service needs what keeps and follows it, and stands in the wiring.

import { createLogBounds } from '../../logs/bounds.ts';
import { logBodies, logChunks, logFloors } from '../../logs/chunk.ts';
import { logMarks } from '../../logs/marks.ts';
import { part } from '../part.ts';

export const systemLogsPart = part({
  records: [{ spec: logChunks }, { spec: logBodies }, { spec: logFloors }, { spec: logMarks }],
  contracts: [],
  serve: () => [],
  retention: ({ db, kept }) => {
    const { prune } = createLogBounds({ db, most: { lines: 0, bytes: 0 } });
    return {
      rules: [{ name: 'log lines', keptMs: kept.logMs, prune: (before) => prune(before) }],
      ofTenants: [{ name: 'log lines, by tenants', daysOf: ({ logRetentionDays }) => logRetentionDays, prune }],
    };
  },
  samples: [],
});
