// Keeps knowledge goals and picks the next one to research.
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { defined, given } from '../fields.ts';
import { kept } from '../kept.ts';
import { knowledgeGoals } from './contract.ts';
import { KnowledgeGoalDto, KnowledgeGoalStepDto } from './dto.ts';
import type { GoalDoc } from './record.ts';
import { nextGoal } from './research.ts';
import { requireGoalMove } from './transitions.ts';

export interface GoalDeps {
  goals: Keeper<GoalDoc>;
  clock: Clock;
}

const plainGoal = {
  description: '',
  domain: 'General' as const,
  status: 'Active' as const,
  priority: 50,
  knowledgeLevel: 0,
  searchQueries: [],
  tags: [],
  researchRunCount: 0,
  lastResearchedAt: null,
  projectId: null,
};

export const knowledgeGoalsService = implement(knowledgeGoals, ({ goals, clock }: GoalDeps) => ({
  ...kept(knowledgeGoals, goals, {
    show: toGoalDto,
    filters: {
      minPriority: (least: number) => ({ priority: { $gte: least } }),
      tag: (tags: string) => ({ tags }),
    },
    draft: (body) => {
      if (body.status != null && body.status !== 'Active')
        throw new Fault('INVALID_TRANSITION', `A new knowledge goal is Active, not ${body.status}.`, {
          hint: 'Leave status out; change it with PATCH /api/knowledge/goals/{id}.',
        });
      return { ...plainGoal, ...given(body), topic: body.topic };
    },
    expecting: ['status', 'researchRunCount'],
    change: ({ recordResearchRun, ...body }, old) => {
      // The run that was counted has ended; a status that is asked for follows from there.
      const from = recordResearchRun && old.status === 'Researching' ? 'Active' : old.status;
      const status = body.status ?? from;
      requireGoalMove(from, status);
      const counted = { researchRunCount: old.researchRunCount + 1, lastResearchedAt: new Date(clock.now()) };
      // A goal that nobody researches any more belongs to no run.
      const freed = old.researchRunId && status !== 'Researching' ? { researchRunId: 0 } : {};
      return { ...defined(body), status, ...freed, ...(recordResearchRun ? counted : {}) };
    },
  }),
  steps: async ({ caller, params }) => {
    const { steps = [] } = await goals.get(caller, params.id);
    return steps.map((step) => shown(KnowledgeGoalStepDto, step));
  },
  next: async ({ caller, query: { minPriority, ...which } }) => {
    const wanted = { ...visibleTo<GoalDoc>(caller), ...defined(which) };
    const least = minPriority === undefined ? {} : { priority: { $gte: minPriority } };
    const goal = await nextGoal(goals, caller.tenantId, { ...wanted, ...least });
    if (goal) return toGoalDto(goal);
    throw new Fault('NOT_FOUND', 'There is no active knowledge goal like that.', {
      hint: 'State one with POST /api/knowledge/goals, or ask for less.',
    });
  },
}));

export function toGoalDto(goal: GoalDoc): KnowledgeGoalDto {
  return shown(KnowledgeGoalDto, goal);
}
