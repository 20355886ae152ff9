// Tools of a turn: those that the run may use, and those that its model is told of.
import type { ModelTool } from '../../model.ts';
import type { Briefing, ToolDefinition } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { toolSchema } from '../../tool-schema.ts';
import { standingOf } from './tool-policy.ts';
import { offeredTools } from './tool-sets.ts';

export interface TurnTools {
  /** Tools that the run may use: blocked ones are left out. */
  allowed: readonly ToolDefinition[];
  /** Tools of those that a model may be told of. */
  shown: readonly ToolDefinition[];
  /** Tools that the model's request describes. */
  offered: readonly ModelTool[];
  /** Names of shown tools that are offered on request. */
  onRequest: readonly string[];
}

interface Known {
  policy: Briefing['policy'];
  toolSets: Briefing['toolSets'];
  requested: RunRecord['toolSets'];
  tools: TurnTools;
}

/** Tools of the last turn with each list: most turns have the list, the policy and the sets of the one before. */
const known = new WeakMap<readonly ToolDefinition[], Known>();

/** Tools of the next turn, of all that the run might use. Lists are compared by identity, so callers never change one. */
export function turnTools(
  all: readonly ToolDefinition[],
  briefing: Briefing,
  run: Pick<RunRecord, 'toolSets'>,
): TurnTools {
  const { policy, toolSets } = briefing;
  const last = known.get(all);
  if (last && last.policy === policy && last.toolSets === toolSets && last.requested === run.toolSets)
    return last.tools;
  const allowed = all.filter((tool) => standingOf(tool, policy) !== 'blocked');
  const shown = allowed.filter((tool) => tool.shown !== false);
  const described = offeredTools(shown, briefing, run);
  const names = new Set(described.map(({ name }) => name));
  const onRequest = shown.map(({ name }) => name).filter((name) => !names.has(name));
  const tools = { allowed, shown, offered: described.map(toolSchema), onRequest };
  known.set(all, { policy, toolSets, requested: run.toolSets, tools });
  return tools;
}
