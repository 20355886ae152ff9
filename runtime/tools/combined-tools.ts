// Combination of several sources of tools: the sandbox, agents on sockets, and other plug-ins.
import type { ToolDefinition, Tools } from '../ports.ts';

type Lists = readonly (readonly ToolDefinition[])[];

/** Combines sources of tools; of two tools with one name the first counts. */
export function combineTools(...sources: readonly Tools[]): Tools {
  const forRun = createJoin();
  const all = createJoin();
  return {
    forRun: async (run) => forRun(await Promise.all(sources.map((one) => one.forRun(run)))),
    all: async (tenantId, identityId) => all(await Promise.all(sources.map((one) => one.all(tenantId, identityId)))),
  };
}

/** Joins lists. The lists of the last time give the same list again, so that what follows from it is known. */
function createJoin(): (lists: Lists) => readonly ToolDefinition[] {
  let last: { lists: Lists; joined: readonly ToolDefinition[] } = { lists: [], joined: [] };
  return (lists) => {
    const isSame = lists.length === last.lists.length && lists.every((list, at) => list === last.lists[at]);
    if (!isSame) last = { lists, joined: distinct(lists) };
    return last.joined;
  };
}

function distinct(lists: Lists): ToolDefinition[] {
  const named = new Map<string, ToolDefinition>();
  for (const tool of lists.flat()) if (!named.has(tool.name)) named.set(tool.name, tool);
  return [...named.values()];
}
