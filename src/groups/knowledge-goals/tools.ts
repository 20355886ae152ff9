// How runs research knowledge goals, and chats ask what is to be found out.
import { z } from 'zod';
import { KnowledgeDomain } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import { fenced } from '../../memory/fence.ts';
import type { Filter } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { PartTool } from '../part.ts';
import { shortened } from '../texts.ts';
import type { GoalDoc } from './record.ts';
import { nextGoal, type Research } from './research.ts';

interface Deps {
  goals: Keeper<GoalDoc>;
  research: Research;
}

const about = { toolSet: 'memory', risk: 'Safe', category: 'memory', source: 'Memory', sandboxed: false } as const;
const shownCharacters = 4000;

export function createGoalTools({ goals, research }: Deps): PartTool[] {
  return [nextTool(goals, research), updateTool(research)];
}

function nextTool(goals: Keeper<GoalDoc>, research: Research): PartTool {
  const input = z.strictObject({ domain: KnowledgeDomain.optional() });
  return {
    ...about,
    name: 'goal_next',
    displayName: 'Take the next knowledge goal',
    description:
      'Take what is to be found out next: the most important goal, of those the one that least is known of. A run keeps it until it ends.',
    input: input as z.ZodType<unknown>,
    handler: async (asked, { tenantId, projectId, runId }) => {
      const { domain } = asked as z.output<typeof input>;
      const places = projectId === null ? [null] : [null, projectId];
      const wanted = { projectId: { $in: places }, ...(domain && { domain }) } as Filter<GoalDoc>;
      const goal = await (runId === null ? nextGoal(goals, tenantId, wanted) : research.take(tenantId, runId, wanted));
      return goal ? asData(goal, runId !== null) : 'Nothing is to be found out: there is no active knowledge goal.';
    },
  };
}

function updateTool(research: Research): PartTool {
  const input = z.strictObject({
    goalId: z.int(),
    knowledgeLevel: z.number().min(0).max(1),
    reason: z.string().trim().min(1).max(2000),
    memoryIds: z.array(z.int()).min(1).max(50),
  });
  return {
    ...about,
    name: 'goal_update',
    displayName: 'Say what is known now',
    description:
      'Say how much of the knowledge goal that you took is known now (0 to 1), why, and by which memories that you wrote for it with memory_create.',
    input: input as z.ZodType<unknown>,
    handler: async (said, { tenantId, runId, idempotencyKey }) => {
      if (runId === null) return { content: 'Only runs research knowledge goals.', isError: true };
      try {
        const goal = await research.raise({
          ...(said as z.output<typeof input>),
          tenantId,
          runId,
          key: idempotencyKey,
        });
        return `Knowledge goal ${goal._id} is ${Math.round(goal.knowledgeLevel * 100)} % known.`;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return { content: error.text, isError: true };
      }
    },
  };
}

function asData({ _id, topic, description, knowledgeLevel, searchQueries }: GoalDoc, isTaken: boolean): string {
  const lines = [
    topic,
    shortened(description, shownCharacters),
    ...(searchQueries ?? []).map((one) => `Search for: ${one}`),
  ];
  const text = fenced(
    'goal',
    { id: _id, known: `${Math.round(knowledgeLevel * 100)} %` },
    lines.filter(Boolean).join('\n'),
  );
  const how =
    'Write each finding with memory_create, with its source, then say with goal_update what is known now and why.';
  return isTaken ? `${text}\n${how}` : text;
}
