// How the search over everything finds runs, and what they ask of people.
import { visibleTo } from '../../ports/in-project.ts';
import { holding, type SearchLeg } from '../../ports/search.ts';
import type { PerTenant, Tenanted } from '../../ports/tenanted.ts';

interface Found extends Tenanted {
  _id: number;
  guid: string;
  identityId: number | null;
  projectId: number | null;
  createdAt: number;
}

export interface FoundRun extends Found {
  goal: string;
  progressSummary: string | null;
  result: { summary: string; deliverable: string | null } | null;
  updatedAt: number;
}

export interface FoundEscalation extends Found {
  chatSessionId: number | null;
  situation: string;
  optionsJson: string | null;
  supervisorRecommendation: string | null;
  decision: string | null;
  decisionNotes: string | null;
  resolutionMode: string | null;
  resolvedAt: number | null;
}

export interface FoundRuns {
  runs: PerTenant<FoundRun>;
  escalations: PerTenant<FoundEscalation>;
}

const newest = { createdAt: -1 } as const;
const places = { projectId: 'projectId', identityId: 'identityId' } as const;

export const runSearches = ({ runs, escalations }: FoundRuns): SearchLeg[] => [
  {
    kind: 'Run',
    needs: 'RunsRead',
    find: async (caller, sought) => {
      const how = { fields: ['goal'] as const, within: visibleTo<FoundRun>(caller), sort: newest, places };
      return (await holding(runs(caller.tenantId), how, sought)).map((run) => ({
        id: run._id,
        guid: run.guid,
        title: run.goal,
        text: run.progressSummary ?? '',
        url: `/runs/${run._id}`,
        identityId: run.identityId,
        projectId: run.projectId,
        tags: [],
        updatedAt: new Date(run.updatedAt),
      }));
    },
  },
  {
    kind: 'Escalation',
    needs: 'RunsRead',
    find: async (caller, sought) => {
      const how = { fields: ['situation'] as const, within: visibleTo<FoundEscalation>(caller), sort: newest, places };
      return (await holding(escalations(caller.tenantId), how, sought)).map((one) => ({
        id: one._id,
        guid: one.guid,
        title: one.situation,
        text: one.situation,
        url: `/escalations?tab=${one.resolvedAt === null ? 'open' : 'past'}`,
        identityId: one.identityId,
        projectId: one.projectId,
        tags: [],
        updatedAt: new Date(one.resolvedAt ?? one.createdAt),
      }));
    },
  },
];
