// What the engine tells viewers, and where it hands it over.
import type { CouncilView, StatementView } from './council.ts';
import type { EscalationView } from './escalation.ts';
import type { BudgetView, DeltaView, EventView, QuiescedView, RunView } from './run.ts';

/** What the engine tells viewers, by type: objects as the interface names them. */
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

/** What goes to viewers. */
export type Emission = { [Type in keyof Told]: EmissionOf<Type> }[keyof Told];

export interface EmissionOf<Type extends keyof Told> {
  tenantId: number;
  topics: string[];
  type: Type;
  data: Told[Type];
  durable: boolean;
  /** Same key, same event: a sink that keeps a log may drop the second one. */
  key: string | null;
  /** Told once more after a crash: it may have arrived before. */
  again?: boolean;
  /** The run's fencing token; a sink may refuse older ones in the same run's topics. */
  fence?: { runId: number; token: number };
  /** Position among the emissions of a run's events, whichever node publishes them; a sink may drop one that is not after the newest. */
  order?: number;
}

export interface EventSink {
  /** Takes emissions in order and never blocks the engine; resolves when durable ones are safe. */
  publish(emissions: readonly Emission[]): Promise<void> | undefined;
}
