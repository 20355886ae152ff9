// Numbering of events: a draft becomes the event that is stored.
import { randomUUID } from 'node:crypto';
import type { AgentEvent, ChangeEvent, RunRecord } from '../records.ts';

/** The event with its id and seq, as of the run's state after the change. */
export function numberEvent(run: RunRecord, draft: ChangeEvent, id: number, seq: number): AgentEvent {
  return {
    id,
    guid: randomUUID(),
    tenantId: run.tenantId,
    runId: run.id,
    rootRunId: run.rootRunId,
    parentRunId: run.parentRunId,
    seq,
    type: draft.type,
    level: draft.level ?? 'Information',
    iteration: draft.iteration ?? (run.iterationsUsed || null),
    title: draft.title,
    message: draft.message ?? null,
    toolName: draft.toolName ?? null,
    toolCallId: draft.toolCallId ?? null,
    modelId: draft.modelId ?? null,
    promptTokens: draft.promptTokens ?? null,
    completionTokens: draft.completionTokens ?? null,
    costUsd: draft.costUsd ?? null,
    durationMs: draft.durationMs ?? null,
    payloadJson: draft.payload === undefined ? null : JSON.stringify(draft.payload),
    ...(draft.movedTo ? { movedTo: draft.movedTo } : {}),
    createdAt: run.updatedAt,
  };
}
