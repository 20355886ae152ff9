// What happens because of routines: events that are told meanwhile were caused by them.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tools } from '../../../../runtime/ports.ts';

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
const caused = (tools: List): List =>
  tools.map((tool) => ({
    ...tool,
    handler: (input, context) =>
      // Children of a routine's run do not bear its mark.
      context.run.parentRunId !== null || context.run.tags.some((tag) => tag.startsWith('routine:'))
        ? causing({ rootRunId: context.run.rootRunId }, async () => tool.handler(input, context))
        : tool.handler(input, context),
  }));

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
