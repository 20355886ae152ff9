// The work of agents as spans: `invoke_agent` for each stretch of a run, `execute_tool` for each call, also across restarts.
import type { Attributes } from '@opentelemetry/api';
import type { Tracing } from '../../runtime/ports.ts';
import { genai } from './genai.ts';
import { beginSpan, currentParent } from './tracing.ts';

/**
 * A run's spans are children of the one that it was made in: of the request that made it, or of the call by which its
 * parent has spawned it. A run that rests and goes on, here or on another node, has one span for each stretch.
 */
export function traceRuns(): Tracing {
  return {
    parent: currentParent,
    async run(run, work) {
      const about = {
        [genai.operation]: 'invoke_agent',
        [genai.agentName]: run.role,
        [genai.agentId]: String(run.identityId),
        [genai.conversation]: `run:${run.id}`,
        'rivulet.run.id': run.id,
        'rivulet.run.root_id': run.rootRunId,
        'rivulet.tenant.id': run.tenantId,
      };
      const parent = run.traceparent ? { traceparent: run.traceparent } : null;
      const span = beginSpan(`invoke_agent ${run.role}`, about, 'internal', parent);
      try {
        return await span.within(work);
      } finally {
        span.end();
      }
    },
    tool: ({ run, tool, callId }, work) => executeTool({ tool, callId, more: { 'rivulet.run.id': run.id } }, work),
  };
}

/** As a chat sees its tools. */
interface ChatTool {
  name: string;
  handler(
    input: unknown,
    context: { session: { id: number }; toolCallId: string },
  ): Promise<string | { content: string; isError?: boolean }>;
}

/** A tool of chats whose calls are spans. */
export const traceChatTool = <Tool extends ChatTool>(tool: Tool): Tool => ({
  ...tool,
  handler: (input, context) => {
    const more = { [genai.conversation]: `chat:${context.session.id}` };
    return executeTool({ tool: tool.name, callId: context.toolCallId, more }, () => tool.handler(input, context));
  },
});

/** One call of a tool; what it answers as an error is one of the span, too. */
async function executeTool<Outcome extends string | { content: string; isError?: boolean }>(
  { tool, callId, more }: { tool: string; callId: string; more: Attributes },
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const about = { [genai.operation]: 'execute_tool', [genai.toolName]: tool, [genai.toolCallId]: callId, ...more };
  const span = beginSpan(`execute_tool ${tool}`, about);
  let failure: unknown;
  try {
    const outcome = await span.within(work);
    if (typeof outcome === 'object' && outcome.isError) failure = new Error(outcome.content.slice(0, 200));
    return outcome;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    span.end(failure);
  }
}
