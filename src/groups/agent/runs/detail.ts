// One run with all that belongs to it.
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunStore } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { RunView } from '../../../../runtime/views/run.ts';
import { isoTime } from '../../../kernel/iso-time.ts';
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

/**
 * The parts of a detail: the run, what stands beside it, and the texts of its events and children. They become one text
 * and never one object, for which V8 would make a hidden class of its own each time.
 */
export interface ReadDetail {
  run: RunView;
  beside: Omit<AgentRunDetailDto, keyof RunView | 'recentEvents' | 'childRuns'>;
  recentEvents: string;
  childRuns: string;
}

/** JSON of the AgentRunDetailDto. */
export const detailText = ({ run, beside, recentEvents, childRuns }: ReadDetail) =>
  `${JSON.stringify(run).slice(0, -1)},"recentEvents":${recentEvents},"childRuns":${childRuns},${JSON.stringify(beside).slice(1)}`;

export async function readDetail(
  run: RunRecord,
  { engine, store, detail, gather = (reads) => reads() }: Deps,
): Promise<ReadDetail> {
  const childrenOf = async ({ tenantId, id }: RunRecord) => {
    const found = await store.runs.listTexts({ tenantId, parentRunId: id, limit: shownChildren, counted: false });
    return `[${await engine.viewTexts(found.items)}]`;
  };
  const view = await engine.view(run);
  const [childRuns, recentEvents, checkpoints, notes, feedback, escalations, interactionMessages, pauseChatSessionId] =
    await gather(() =>
      Promise.all([
        // Its tree names them all, so that a run without children asks for none.
        view.childRunCount === 0 ? '[]' : childrenOf(run),
        engine.eventTexts(run.id, { descending: true, limit: shownEvents }),
        engine.checkpoints(run.id, 1),
        detail.notes(run),
        detail.feedback(run),
        detail.escalations(run),
        detail.messages(run),
        detail.pauseChat(run),
      ]),
    );
  const checkpoint = checkpoints[0];
  const beside = {
    planJson: run.planJson,
    checkpointJson: checkpoint
      ? JSON.stringify({ id: checkpoint.id, iteration: checkpoint.iteration, summary: checkpoint.summary })
      : null,
    lastCheckpointAtUtc: run.lastCheckpointAt === null ? null : isoTime(run.lastCheckpointAt),
    environmentJson: run.environmentJson,
    requestToolDebrief: run.requestToolDebrief,
    pauseChatSessionId,
    interactionMessages,
    escalations,
    feedback,
    notes,
  };
  return { run: view, beside, recentEvents, childRuns };
}
