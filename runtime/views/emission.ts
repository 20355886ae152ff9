// Emissions of the engine for viewers, and the sink that takes them.
import type { CouncilView, StatementView } from './council.ts';
import type { EscalationView } from './escalation.ts';
import type { BudgetView, DeltaView, EventView, QuiescedView, RunView } from './run.ts';

/** Payloads by type, as the interface names them. */
export interface Told {
  'run.created': RunView;
  'run.updated': RunView;
  'run.status': RunView;
  'run.completed': RunView;
  'run.failed': RunView;
  'run.ended': RunView;
  'run.event': EventView;
  'run.delta': DeltaView;
  'run.budget': BudgetView;
  'tree.quiesced': QuiescedView;
  'escalation.raised': EscalationView;
  'escalation.updated': EscalationView;
  'escalation.resolved': EscalationView;
  'council.updated': CouncilView;
  'council.statement': StatementView;
}

/** One emission. */
export type Emission = { [Type in keyof Told]: EmissionOf<Type> }[keyof Told];

export interface EmissionOf<Type extends keyof Told> {
  tenantId: number;
  topics: string[];
  type: Type;
  data: Told[Type];
  durable: boolean;
  /** Idempotency key: a sink that keeps a log may drop a repeated one. */
  key: string | null;
  /** True for a repetition after a crash: it may have been published before. */
  again?: boolean;
  /** The run's fencing token; a sink may refuse older ones in the same run's topics. */
  fence?: { runId: number; token: number };
  /**
   * Position among the emissions of a run's events, the same on every node; a sink may drop one that is not after
   * the newest.
   */
  order?: number;
}

export interface EventSink {
  /** Takes emissions in order and never blocks the engine; resolves when durable ones are safe. */
  publish(emissions: readonly Emission[]): Promise<void> | undefined;
}
