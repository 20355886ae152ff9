// What happens because of routines: events that are told meanwhile were caused by them.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolDefinition, Tools } from '../../../../runtime/ports.ts';

/** A run whose tool is carried out, by the root of its tree, or the routines that led to it, oldest first. */
export type Cause = { rootRunId: number } | { lineage: readonly number[] };

const causes = new AsyncLocalStorage<Cause>();
let open = 0;

/** What causes what happens now; null where no routine does. */
export const causeNow = (): Cause | null => (open === 0 ? null : (causes.getStore() ?? null));

/** Tools whose calls are known as what causes the events that come of them. */
export function withCause(tools: Tools): Tools {
  return { ...tools, forRun: async (run) => caused(await tools.forRun(run)) };
}

type List = Awaited<ReturnType<Tools['forRun']>>;
/** Lists and tools are wrapped once: each turn asks for them, and a tool's schema is kept by the tool. */
const wrappedLists = new WeakMap<List, List>();
const wrappedTools = new WeakMap<ToolDefinition, ToolDefinition>();

const caused = (tools: List): List => once(wrappedLists, tools, () => tools.map(causedTool));

const causedTool = (tool: ToolDefinition): ToolDefinition =>
  once(wrappedTools, tool, () => ({
    ...tool,
    handler: (input, context) =>
      // Children of a routine's run do not bear its mark.
      context.run.parentRunId !== null || context.run.tags.some((tag) => tag.startsWith('routine:'))
        ? causing({ rootRunId: context.run.rootRunId }, async () => tool.handler(input, context))
        : tool.handler(input, context),
  }));

function once<K extends object>(made: WeakMap<K, K>, key: K, make: () => K): K {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

/** Does work of which events may come that a routine has caused. */
export async function causing<R>(cause: Cause, work: () => Promise<R>): Promise<R> {
  open++;
  try {
    return await causes.run(cause, work);
  } finally {
    open--;
    // Tracking the context slows every promise of the process a little.
    if (open === 0) causes.disable();
  }
}
