// Declaration of the agent's built-in tools.
import type { z } from 'zod';
import type { ToolDefinition } from '../ports.ts';

/** A built-in tool of the agent's own domain. */
export function builtIn<Input>(
  tool: Pick<ToolDefinition<Input>, 'name' | 'displayName' | 'description' | 'handler'> & {
    input: z.ZodType<Input>;
    category?: string;
    whenInterrupted?: 'retry' | 'report';
    local?: boolean;
    toolSet?: ToolDefinition['toolSet'];
    spawns?: boolean;
  },
): ToolDefinition {
  return {
    category: tool.name.split('_')[0]!,
    source: 'Agent',
    risk: 'Safe',
    sandboxed: false,
    ...tool,
  } as ToolDefinition;
}
