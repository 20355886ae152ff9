// Projects as a part of the server; its service needs the engine and stands in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createProjectAccess } from '../../projects/access.ts';
import { activityRecord } from '../../projects/activity.ts';
import { projectRecord } from '../../projects/record.ts';
import { roleIn } from '../../projects/roles.ts';
import { part, sampleOf } from '../part.ts';
import { projects } from './contract.ts';
import { projectSearch } from './searched.ts';

/** Characters of what agents are told that a briefing takes. */
const shownCharacters = 16_000;

export const projectsPart = part({
  records: [projectRecord, activityRecord],
  contracts: [],
  serve: () => [],
  topics: (base) => {
    const access = createProjectAccess(base);
    return {
      project: async (caller, id) => {
        const project = await access.find(caller.tenantId, id);
        return project !== null && roleIn(project, caller) !== null;
      },
    };
  },
  retention: ({ db, kept }) => ({
    rules: [
      { name: 'activity', keptMs: kept.activityMs, prune: (before) => pruneByDate(db, activityRecord.spec, before) },
    ],
  }),
  searches: ({ db }) => [projectSearch(perTenant(db.collection(projectRecord.spec)))],
  tells: (base) => {
    const access = createProjectAccess(base);
    return async ({ tenantId, projectId }) => {
      const project = projectId === null ? null : await access.find(tenantId, projectId);
      if (!project) return null;
      const words = project.agentInstructions?.trim().slice(0, shownCharacters);
      const head = `You work in the project ${project.name} (${project.key}).`;
      return words ? `${head} What its people tell their agents:\n${words}` : head;
    };
  },
  samples: [
    sampleOf(projects, (name) => ({ name }), {
      patch: () => ({ description: 'changed' }),
      replace: ({ name }) => ({ name, key: 'REPLACED', status: 'Active' as const, siteEnabled: false, tags: [] }),
      archive: () => ({ archived: true }),
      remove: () => ({ confirmKey: 'wrong' }),
      members: () => ({ members: [] }),
    }),
  ],
});
