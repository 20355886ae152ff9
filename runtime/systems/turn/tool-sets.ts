// Tool sets that a run is offered on request: their schemas would cost tokens in each model call.
import { z } from 'zod';
import type { Briefing, ToolDefinition } from '../../ports.ts';
import type { RunRecord, ToolSet } from '../../records.ts';

/** Purpose of each set, for a model that does not have the tools yet. */
const purposes: Record<ToolSet, string> = {
  children: 'have parts of the work done by runs of their own, at the same time',
  tasks: 'keep work that others see on a board',
  council: 'have several roles deliberate on a hard judgement',
  messages: 'write to people and to other runs',
  memory: 'correct and link what you remember',
  documents: "find, read and write your project's documents",
};

const opener = 'run_tools';

const asked = z.strictObject({
  sets: z
    .array(z.enum(Object.keys(purposes) as [ToolSet, ...ToolSet[]]))
    .min(1)
    .max(20),
});

/** The tool run_tools; its description lists the sets that are not offered yet. */
export const toolSetsTool: ToolDefinition = {
  name: opener,
  category: 'run',
  source: 'Agent',
  risk: 'Safe',
  sandboxed: false,
  local: true,
  displayName: 'Tools',
  description: 'Get more tools, by the names of their sets; you have them from your next turn on.',
  input: asked as z.ZodType<unknown>,
  async handler(input, { run }) {
    const { sets } = input as z.output<typeof asked>;
    const toolSets = [...new Set([...(run.toolSets ?? []), ...sets])];
    return { content: `From your next turn on you have: ${toolSets.join(', ')}.`, set: { toolSets } };
  },
};

/**
 * Tools of the next call, of those that the run may use: sets of its role, requested sets, and tools named by its tool
 * profile; run_tools lists the others. The list changes only on request, so that the provider's prompt cache stays
 * valid.
 */
export function offeredTools(
  tools: readonly ToolDefinition[],
  { policy, toolSets = [] }: Briefing,
  run: Pick<RunRecord, 'toolSets'>,
): readonly ToolDefinition[] {
  const named = new Set([...(policy?.safe ?? []), ...(policy?.optIn ?? [])]);
  const onRequest = (tool: ToolDefinition) =>
    tool.toolSet !== undefined && !toolSets.includes(tool.toolSet) && !named.has(tool.name);
  const later = tools.filter(onRequest);
  const offered = tools.filter((tool) => !onRequest(tool) || run.toolSets?.includes(tool.toolSet!));
  return offered.flatMap((tool) => (tool.name !== opener ? tool : later.length > 0 ? openerFor(later) : []));
}

/** Instances of run_tools by the sets that they list, so that each schema is built once. */
const openers = new Map<string, ToolDefinition>();

function openerFor(later: readonly ToolDefinition[]): ToolDefinition {
  const sets = [...new Set(later.map((tool) => tool.toolSet!))];
  const lines = sets.map((set) => {
    const names = later.filter((tool) => tool.toolSet === set).map((tool) => tool.name);
    return `${set} (${names.join(', ')}): ${purposes[set]}`;
  });
  const description = `${toolSetsTool.description} ${lines.join('; ')}.`;
  let known = openers.get(description);
  if (!known) {
    const input = z.strictObject({ sets: z.array(z.enum(sets as [ToolSet, ...ToolSet[]])).min(1) });
    known = { ...toolSetsTool, description, input };
    openers.set(description, known);
  }
  return known;
}
