// The tools of parts, as runs and as chats call them.
import type { ChatTool } from '../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../runtime/chat/records.ts';
import type { ToolContext, Tools } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import type { Horizon } from '../memory/facts/version.ts';
import type { Briefed, PartTool } from './part.ts';

/** For whom a part works in a run. */
const ofRun = (run: RunRecord) => ({
  tenantId: run.tenantId,
  identityId: run.identityId,
  projectId: run.projectId,
  runId: run.id,
  chatSessionId: null,
  horizon: horizonOf(run),
});

/** For whom a part works in a chat. */
const ofChat = (session: SessionRecord) => ({
  tenantId: session.tenantId,
  identityId: session.identityId,
  projectId: session.projectId,
  runId: null,
  chatSessionId: session.id,
  horizon: null,
});

/** For `combineTools`. */
export function toolsForRuns(tools: readonly PartTool[]): Tools {
  const all = tools.map(({ handler, ...spec }) => ({
    ...spec,
    handler: (input: unknown, { run, toolCallId, idempotencyKey, signal }: ToolContext) =>
      handler(input, { ...ofRun(run), rootRunId: run.rootRunId, toolCallId, idempotencyKey, signal }),
  }));
  return { forRun: () => all, all: () => all };
}

/** What one chat may call. */
export const toolsForChat = (tools: readonly PartTool[], session: SessionRecord): ChatTool[] =>
  tools.map(({ handler, ...spec }) => ({
    ...spec,
    handler: (input, { toolCallId, idempotencyKey, signal }) =>
      handler(input, { ...ofChat(session), rootRunId: null, toolCallId, idempotencyKey, signal }),
  }));

/** What a fork may know: what stood at its checkpoint, and what its own tree has written since. */
export const horizonOf = ({
  knownAt,
  rootRunId,
}: {
  knownAt?: number | null;
  rootRunId?: number | null;
}): Horizon | null => (knownAt == null ? null : { recordedBy: new Date(knownAt), rootRunId: rootRunId ?? null });

/** A run as parts brief it. */
export const briefedRun = (run: RunRecord): Briefed => ({
  ...ofRun(run),
  about: run.goal,
  userId: run.startedByUserId,
  hydrate: true,
  contextTokens: run.contextBudgetTokens,
});

/** A chat as parts brief it. */
export const briefedChat = (session: SessionRecord, lastWords: string): Briefed => ({
  ...ofChat(session),
  about: lastWords,
  userId: session.userId,
  hydrate: session.hydrate,
  contextTokens: null,
});
