// Knowledge goals: what agents should find out, for a project or for everybody.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { KnowledgeDomain, KnowledgeGoalStatus } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, float, int32, int64, string } from '../../contract/types.ts';
import { KnowledgeGoalDto, KnowledgeGoalStepDto } from './dto.ts';

const topic = string.trim().min(1).max(300);
const description = string.max(8000);
const priority = int32.min(0).max(100);
const texts = z.array(string.trim().min(1).max(300)).max(50);
const which = {
  projectId: int64.optional(),
  domain: KnowledgeDomain.optional(),
  minPriority: int32.optional(),
};

export const knowledgeGoals = group(
  'KnowledgeGoal',
  { base: '/api/knowledge/goals', doc: 'What agents should find out; their runs are told of it.' },
  {
    ...crud({
      noun: 'knowledge goal',
      dto: KnowledgeGoalDto,
      read: 'KnowledgeRead',
      write: 'KnowledgeWrite',
      sorts: ['priority', 'topic', 'status', 'knowledgeLevel', 'createdAtUtc', 'updatedAtUtc', 'id'],
      filters: {
        q: string.max(200).optional(),
        status: KnowledgeGoalStatus.optional(),
        tag: string.max(300).optional(),
        ...which,
      },
      create: {
        topic,
        description: description.nullish(),
        domain: KnowledgeDomain.nullish(),
        status: KnowledgeGoalStatus.nullish(),
        priority: priority.nullish(),
        searchQueries: texts.nullish(),
        tags: texts.nullish(),
        projectId: int64.nullish(),
      },
      patch: {
        topic: topic.optional(),
        description: description.optional(),
        domain: KnowledgeDomain.optional(),
        status: KnowledgeGoalStatus.optional(),
        priority: priority.optional(),
        knowledgeLevel: float.min(0).max(1).optional(),
        searchQueries: texts.optional(),
        tags: texts.optional(),
        projectId: int64.nullish(),
        recordResearchRun: boolean.optional(),
      },
      docs: {
        list: 'List knowledge goals, the most important first.',
        create: 'State a knowledge goal; runs of its project, or all where it has none, are told of it.',
        patch: 'Change a knowledge goal, move it to another status, or count a research run.',
      },
    }),
    steps: op.get('/{id}/steps', {
      doc: 'How runs raised what is known of a goal: reasons, and the memories that they wrote for it, oldest first (ours).',
      needs: 'KnowledgeRead',
      data: z.array(KnowledgeGoalStepDto),
    }),
    next: op.get('/next', {
      doc: 'The active goal to research next: the most important, of those the one that least is known of.',
      needs: 'KnowledgeRead',
      query: fields(which),
      data: KnowledgeGoalDto,
    }),
  },
);
