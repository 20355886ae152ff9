// Combination of several sources of tools: the sandbox, agents on sockets, and other plug-ins.
import type { ToolDefinition, Tools } from '../ports.ts';

/** Combines sources of tools; of two tools with one name the first counts. */
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
