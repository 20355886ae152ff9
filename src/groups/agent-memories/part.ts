// Agent memories as a part of the server.
import { openIndexing } from '../../memory/open-indexing.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createRoles } from '../agent/roles/roles.ts';
import { shelfOf } from '../memories/shelf.ts';
import { type PartBase, part, sampleOf } from '../part.ts';
import { createLessonBriefs, createOutcomes } from './briefs.ts';
import { agentMemories } from './contract.ts';
import { createLessons } from './lessons.ts';
import { agentMemoryRecord, lessonKind, useRecord } from './record.ts';
import { lessonSearch } from './searched.ts';
import { agentMemoriesService } from './service.ts';

/** Interval in ms of the look for runs that have ended. */
const outcomesEveryMs = 10_000;

export const agentMemoriesPart = part({
  records: [agentMemoryRecord, useRecord],
  contracts: [agentMemories],
  serve: (deps) => {
    const { library, tell } = shelfOf(deps);
    const roles = createRoles(deps);
    return [
      agentMemoriesService({
        ...lessonsOf(deps),
        library,
        tell,
        acting: deps.acting,
        identities: perTenant(deps.auth.identities),
        roleName: async (tenantId, id) => (await roles.find(tenantId, id))?.name ?? null,
        runExists: async (tenantId, id) => (await deps.findRun(id, tenantId))?.tenantId === tenantId,
      }),
    ];
  },
  searches: (deps) => [lessonSearch(lessonsOf(deps))],
  briefs: (base) => createLessonBriefs(lessonsOf(base)),
  rounds: (base) => {
    const { db, findRun } = base;
    const outcomes = createOutcomes({ db, findRun, book: lessonsOf(base).book });
    const { settling, repairing } = openIndexing(base, lessonKind, agentMemoryRecord.spec, 'agent memories');
    return [
      settling,
      repairing,
      { name: 'agent memories of runs that have ended', everyMs: outcomesEveryMs, work: outcomes },
    ];
  },
  ofRuns: [useRecord.spec],
  samples: [
    // Of a project without runs, since the ends of runs count for the lessons that they were told.
    sampleOf(
      agentMemories,
      (title) => ({ title, content: `${title} is learned`, kind: 'Lesson' as const, projectId: 70 }),
      {
        patch: () => ({ confidence: 0.7 }),
        reinforce: () => ({ outcome: 'Helped' as const }),
        promote: () => ({ identityId: 1 }),
      },
    ),
  ],
});

/** Agent memories as other parts take them. */
export function lessonsOf(base: PartBase) {
  const { indexes, clock } = base;
  const lessons = createKeeper(agentMemoryRecord, base);
  const uses = createKeeper(useRecord, base);
  return { lessons, uses, indexes, clock, book: createLessons({ lessons, uses, indexes, clock }) };
}
