// The work of runs as spans: `invoke_agent` for each stretch of work, `execute_tool` for each call, also across restarts.
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
    async tool({ run, tool, callId }, work) {
      const about = {
        [genai.operation]: 'execute_tool',
        [genai.toolName]: tool,
        [genai.toolCallId]: callId,
        'rivulet.run.id': run.id,
      };
      const span = beginSpan(`execute_tool ${tool}`, about);
      let failure: unknown;
      try {
        const outcome = await span.within(work);
        if (outcome.isError) failure = new Error(outcome.content.slice(0, 200));
        return outcome;
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        span.end(failure);
      }
    },
  };
}
