// One run with all that belongs to it.
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunStore } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { eventView } from '../../../../runtime/views/run.ts';
import type { Db } from '../../../ports/db.ts';
import type { AgentEscalationDto, AgentFeedbackDto, AgentRunDetailDto, AgentRunNoteDto } from '../dto.ts';

/** What other parts keep about a run, newest first. */
export interface DetailParts {
  notes(run: RunRecord): Promise<AgentRunNoteDto[]>;
  feedback(run: RunRecord): Promise<AgentFeedbackDto[]>;
  escalations(run: RunRecord): Promise<AgentEscalationDto[]>;
  messages(run: RunRecord): Promise<unknown[]>;
  /** The chat in which the run is talked about. */
  pauseChat(run: RunRecord): Promise<number | null>;
}

const shownChildren = 100;
const shownEvents = 50;

interface Deps {
  engine: Engine;
  store: RunStore;
  detail: DetailParts;
  gather?: Db['gather'];
}

export async function toDetail(
  run: RunRecord,
  { engine, store, detail, gather = (reads) => reads() }: Deps,
): Promise<AgentRunDetailDto> {
  const childrenOf = async ({ tenantId, id }: RunRecord) => {
    const found = await store.runs.list({ tenantId, parentRunId: id, limit: shownChildren, counted: false });
    return engine.views(found.items);
  };
  const view = await engine.view(run);
  const [children, events, checkpoints, notes, feedback, escalations, interactionMessages, pauseChatSessionId] =
    await gather(() =>
      Promise.all([
        // Its tree names them all, so that a run without children asks for none.
        view.childRunCount === 0 ? [] : childrenOf(run),
        engine.events(run.id, { descending: true, limit: shownEvents }),
        engine.checkpoints(run.id, 1),
        detail.notes(run),
        detail.feedback(run),
        detail.escalations(run),
        detail.messages(run),
        detail.pauseChat(run),
      ]),
    );
  const checkpoint = checkpoints[0];
  return {
    ...view,
    planJson: run.planJson,
    checkpointJson: checkpoint
      ? JSON.stringify({ id: checkpoint.id, iteration: checkpoint.iteration, summary: checkpoint.summary })
      : null,
    lastCheckpointAtUtc: run.lastCheckpointAt === null ? null : new Date(run.lastCheckpointAt).toISOString(),
    environmentJson: run.environmentJson,
    requestToolDebrief: run.requestToolDebrief,
    pauseChatSessionId,
    interactionMessages,
    childRuns: children,
    recentEvents: events.map(eventView),
    escalations,
    feedback,
    notes,
  };
}
