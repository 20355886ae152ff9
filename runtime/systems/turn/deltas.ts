// Streams a model's words to viewers: the first at once, the rest gathered for a moment so that bursts cost little.
import type { RunRecord } from '../../records.ts';
import type { DeltaView } from '../../views/run.ts';
import { emit } from '../records/announce.ts';
import type { Core } from '../records/core.ts';

/** Milliseconds that words are gathered for. */
const gatherMs = 30;
/** Characters that are sent without waiting. */
const fullAt = 1024;

export type DeltaKind = DeltaView['kind'];

export interface Deltas {
  push(kind: DeltaKind, text: string, toolCallId?: string): void;
  /** Sends what is left. */
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
