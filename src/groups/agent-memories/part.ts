// Agent memories as a part of the server.
import { createBacklog } from '../../memory/backlog.ts';
import { createIndexing } from '../../memory/indexing.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createRoles } from '../agent/roles/roles.ts';
import { shelfOf } from '../memories/shelf.ts';
import { type PartBase, part, sampleOf } from '../part.ts';
import { createLessonBriefs, createOutcomes } from './briefs.ts';
import { agentMemories } from './contract.ts';
import { createLessons } from './lessons.ts';
import { agentMemoryRecord, lessonKind, useRecord } from './record.ts';
import { agentMemoriesService } from './service.ts';

/** Milliseconds between two looks for memories that wait for their vectors, and for runs that have ended. */
const [settleEveryMs, outcomesEveryMs] = [1000, 10_000];

export const agentMemoriesPart = part({
  records: [agentMemoryRecord, useRecord],
  contracts: [agentMemories],
  serve: (deps) => {
    const { library, tell } = shelfOf(deps);
    const roles = createRoles(deps);
    return [
      agentMemoriesService({
        ...bookOf(deps),
        ...{ library, tell, acting: deps.acting, identities: perTenant(deps.auth.identities) },
        roleName: async (tenantId, id) => (await roles.find(tenantId, id))?.name ?? null,
        runExists: async (tenantId, id) => (await deps.findRun(id))?.tenantId === tenantId,
      }),
    ];
  },
  briefs: (base) => createLessonBriefs(bookOf(base)),
  rounds: (base) => {
    const { db, indexes, findRun } = base;
    const backlog = createBacklog(db.collection(agentMemoryRecord.spec));
    const indexing = createIndexing({ ...indexes, kind: lessonKind, backlog });
    const outcomes = createOutcomes({ db, findRun, book: bookOf(base).book });
    return [
      { name: 'agent memories that wait for their vectors', everyMs: settleEveryMs, work: () => indexing.round() },
      { name: 'agent memories of runs that have ended', everyMs: outcomesEveryMs, work: outcomes },
    ];
  },
  samples: [
    sampleOf(agentMemories, (title) => ({ title, content: `${title} is learned`, kind: 'Lesson' as const }), {
      patch: () => ({ confidence: 0.7 }),
      reinforce: () => ({ outcome: 'Helped' as const }),
      promote: () => ({ identityId: 1 }),
    }),
  ],
});

function bookOf(base: PartBase) {
  const { indexes, clock } = base;
  const lessons = createKeeper(agentMemoryRecord, base);
  const uses = createKeeper(useRecord, base);
  return { lessons, uses, indexes, clock, book: createLessons({ lessons, uses, indexes, clock }) };
}
