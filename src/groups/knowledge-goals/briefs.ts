// What a run is told of the knowledge goals around it.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { oneLine, shortened } from '../texts.ts';
import type { GoalDoc } from './record.ts';

/** Goals that a run is told of, and characters of each description. */
const shownGoals = 5;
const shownCharacters = 300;

/** The most important open goals of a run's project and of everybody, as text; null where there are none. */
export function createGoalBriefs({ goals }: { goals: Keeper<GoalDoc> }) {
  return async ({ tenantId, projectId }: Pick<RunRecord, 'tenantId' | 'projectId'>): Promise<string | null> => {
    const places = projectId === null ? [null] : [null, projectId];
    const open = await goals
      .of(tenantId)
      .find(
        { projectId: { $in: places }, status: { $in: ['Active', 'Researching'] } },
        { sort: { priority: -1, _id: 1 }, limit: shownGoals },
      )
      .toArray();
    if (open.length === 0) return null;
    return `What is still to be found out here; note what you learn of it on the way:\n${open.map(lineOf).join('\n')}`;
  };
}

function lineOf({ _id, topic, description, knowledgeLevel }: GoalDoc): string {
  const known = `${Math.round(knowledgeLevel * 100)} % known`;
  const text = shortened(oneLine(description), shownCharacters);
  return `- knowledge goal #${_id}: ${topic} (${known})${text && `: ${text}`}`;
}
