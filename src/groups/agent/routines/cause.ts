// The run of a routine whose tool is being carried out: what is told meanwhile was caused by it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tools } from '../../../../runtime/ports.ts';

const cause = new AsyncLocalStorage<number>();
let open = 0;

/** The root of the run that causes what happens now; null where no run of a routine does. */
export const causingRun = (): number | null => (open === 0 ? null : (cause.getStore() ?? null));

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
        ? causing(context.run.rootRunId, async () => tool.handler(input, context))
        : tool.handler(input, context),
  }));

async function causing<R>(rootRunId: number, work: () => Promise<R>): Promise<R> {
  open++;
  try {
    return await cause.run(rootRunId, work);
  } finally {
    open--;
    // Tracking the context slows every promise of the process a little.
    if (open === 0) cause.disable();
  }
}
