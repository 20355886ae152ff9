// Several sources of tools as one: the sandbox's, those of agents on sockets, and whatever else is plugged in.
import type { ToolDefinition, Tools } from '../ports.ts';

/** Several sources of tools as one; of two tools with one name the first counts. */
export function combineTools(...sources: readonly Tools[]): Tools {
  return {
    forRun: async (run) => distinct(await Promise.all(sources.map((one) => one.forRun(run)))),
    all: async (tenantId, identityId) =>
      distinct(await Promise.all(sources.map((one) => one.all(tenantId, identityId)))),
  };
}

function distinct(lists: readonly (readonly ToolDefinition[])[]): ToolDefinition[] {
  const named = new Map<string, ToolDefinition>();
  for (const tool of lists.flat()) if (!named.has(tool.name)) named.set(tool.name, tool);
  return [...named.values()];
}
