// Deltas: streams a model's words to viewers, the first at once, the rest gathered for a moment to keep bursts cheap.
import type { RunRecord } from '../../records.ts';
import type { DeltaView } from '../../views/run.ts';
import { emit } from '../records/announce.ts';
import type { Core } from '../records/core.ts';

/** Interval in ms over which words are gathered. */
const gatherMs = 30;
/** Number of characters that are sent without waiting. */
const fullAt = 1024;

export type DeltaKind = DeltaView['kind'];

export interface Deltas {
  push(kind: DeltaKind, text: string, toolCallId?: string): void;
  /** Sends what is gathered. */
  end(): void;
}

/** A sender of run.delta for one model call. */
export function createDeltas(core: Core, run: RunRecord, iteration: number, modelId: string): Deltas {
  let index = 0;
  let kind: DeltaKind = 'Content';
  let toolCallId: string | null = null;
  let text = '';
  let cancelTimer: (() => void) | null = null;

  const flush = () => {
    cancelTimer?.();
    cancelTimer = null;
    if (text === '') return;
    const delta = {
      runId: run.id,
      rootRunId: run.rootRunId,
      iteration,
      index: index++,
      kind,
      delta: text,
      toolCallId,
      modelId,
    };
    text = '';
    emit(core, run, 'run.delta', delta);
  };

  return {
    push(nextKind, nextText, nextCallId) {
      const callId = nextCallId ?? null;
      if (text !== '' && (kind !== nextKind || toolCallId !== callId)) flush();
      kind = nextKind;
      toolCallId = callId;
      text += nextText;
      if (index === 0 || text.length >= fullAt) flush();
      else cancelTimer ??= core.clock.after(gatherMs, flush);
    },
    end: flush,
  };
}
