// The tools of parts, as runs and as chats call them.
import type { ChatTool } from '../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../runtime/chat/records.ts';
import type { ToolContext, Tools } from '../../runtime/ports.ts';
import type { PartTool } from './part.ts';

/** For `combineTools`. */
export function toolsForRuns(tools: readonly PartTool[]): Tools {
  const all = tools.map(({ handler, ...spec }) => ({
    ...spec,
    handler: (input: unknown, { run, toolCallId, idempotencyKey, signal }: ToolContext) =>
      handler(input, {
        tenantId: run.tenantId,
        identityId: run.identityId,
        projectId: run.projectId,
        runId: run.id,
        chatSessionId: null,
        toolCallId,
        idempotencyKey,
        signal,
      }),
  }));
  return { forRun: () => all, all: () => all };
}

/** What one chat may call. */
export const toolsForChat = (tools: readonly PartTool[], session: SessionRecord): ChatTool[] =>
  tools.map(({ handler, ...spec }) => ({
    ...spec,
    handler: (input, { toolCallId, idempotencyKey, signal }) =>
      handler(input, {
        tenantId: session.tenantId,
        identityId: session.identityId,
        projectId: session.projectId,
        runId: null,
        chatSessionId: session.id,
        toolCallId,
        idempotencyKey,
        signal,
      }),
  }));
