// A run as it stood at a moment: its record with the status and figures that its events up to then add up to.
import type { AgentEventDto, AgentEventType, AgentRunDto, AgentRunStatus } from '../../client/index.ts';
import { payloadOf } from '../river/track.ts';

/** Types of events that the engine writes for a change of status; others may carry a payload of the same form. */
const moves: ReadonlySet<AgentEventType> = new Set([
  'RunQueued',
  'RunStarted',
  'RunPaused',
  'RunResumed',
  'RunRestarted',
  'RunRecovered',
  'RunCompleted',
  'RunFailed',
  'RunTimedOut',
  'RunCancelled',
  'BudgetExhausted',
  'StatusChanged',
]);

const ended: ReadonlySet<AgentRunStatus> = new Set(['Completed', 'Failed', 'Cancelled', 'TimedOut']);
/** Statuses whose time does not count as active. */
const resting: ReadonlySet<AgentRunStatus> = new Set([...ended, 'Pending', 'Paused', 'BudgetExhausted']);

/** What model calls of a run, or of a run with all below it, have used. */
export interface Used {
  iterations: number;
  tokens: number;
  costUsd: number;
}

export interface RunFold {
  /** Takes the next event of the run, in order. */
  push(event: AgentEventDto): void;
  used(): Used;
  /**
   * The run's record at a moment.
   *
   * @param at - ms since 1970, not before the last event
   * @param inTree - use of the run with all runs below it
   */
  record(run: AgentRunDto, at: number, inTree: Used): AgentRunDto;
}

class EventFold implements RunFold {
  #status: AgentRunStatus = 'Pending';
  #startedAt: string | null = null;
  #endedAt: string | null = null;
  #endMessage: string | null = null;
  #summary: string | null = null;
  #activeMs = 0;
  #activeSince: number | null = null;
  #context = 0;
  #events = 0;
  readonly #used: Used = { iterations: 0, tokens: 0, costUsd: 0 };

  push(event: AgentEventDto): void {
    this.#events = event.seq;
    this.#use(event);
    if (event.type === 'ProgressUpdated' || event.type === 'RunCompleted') this.#summary = event.message;
    if (!moves.has(event.type)) return;
    const { to } = payloadOf(event);
    if (typeof to === 'string') this.#move(to as AgentRunStatus, event);
  }

  #use({ type, iteration, promptTokens, completionTokens, costUsd }: AgentEventDto): void {
    if (iteration !== null) this.#used.iterations = Math.max(this.#used.iterations, iteration);
    if (type !== 'ModelCallCompleted') return;
    this.#used.tokens += (promptTokens ?? 0) + (completionTokens ?? 0);
    this.#used.costUsd += costUsd ?? 0;
    this.#context = (promptTokens ?? 0) + (completionTokens ?? 0);
  }

  #move(status: AgentRunStatus, { type, message, createdAtUtc }: AgentEventDto): void {
    const at = Date.parse(createdAtUtc);
    if (this.#activeSince !== null) this.#activeMs += at - this.#activeSince;
    this.#status = status;
    if (type === 'RunStarted') this.#startedAt ??= createdAtUtc;
    this.#activeSince = this.#startedAt === null || resting.has(status) ? null : at;
    const isEnd = ended.has(status);
    this.#endedAt = isEnd ? createdAtUtc : null;
    this.#endMessage = isEnd && status !== 'Completed' ? message : null;
  }

  used(): Used {
    return { ...this.#used };
  }

  record(run: AgentRunDto, at: number, inTree: Used): AgentRunDto {
    return {
      ...run,
      status: this.#status,
      eventCount: this.#events,
      startedAtUtc: this.#startedAt,
      completedAtUtc: this.#endedAt,
      failureReason: this.#endMessage,
      progressSummary: this.#summary,
      exhaustedBy: this.#status === 'BudgetExhausted' ? run.exhaustedBy : null,
      iterationsUsed: this.#used.iterations,
      tokensUsed: this.#used.tokens,
      costUsd: this.#used.costUsd,
      contextUsedTokens: this.#context,
      totalTokensWithChildren: inTree.tokens,
      totalCostWithChildren: inTree.costUsd,
      poolTokensUsed: run.poolTokenBudget > 0 ? inTree.tokens : 0,
      poolIterationsUsed: run.poolIterationBudget > 0 ? inTree.iterations : 0,
      poolCostUsedUsd: inTree.costUsd,
      activeMs: this.#activeMs + (this.#activeSince === null ? 0 : Math.max(0, at - this.#activeSince)),
      activeSinceUtc: null,
    };
  }
}

export const createRunFold = (): RunFold => new EventFold();
