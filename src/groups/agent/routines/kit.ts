// What the operations of routines share.
import type { Acting } from '../../../auth/acting.ts';
import type { Handlers } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import type { RoutineBook } from './book.ts';
import type { agentRoutines } from './contract.ts';
import type { Cover } from './cover.ts';
import type { RowLife } from './life.ts';
import type { LedgerDoc, RoutineDoc, TriggerDoc } from './record.ts';

export interface RoutineServiceDeps {
  routines: Keeper<RoutineDoc>;
  ledger: Keeper<LedgerDoc>;
  triggers: Keeper<TriggerDoc>;
  book: RoutineBook;
  cover: Cover;
  life: RowLife;
  acting: Acting;
  clock: Clock;
  /** The name of a role that is there and switched on. @throws Fault */
  roleName(tenantId: number, roleDefinitionId: number): Promise<string>;
  cancelRun(runId: number, reason: string): Promise<unknown>;
  /** Called after something is due at another time: the alarm follows. */
  changed(): void;
  /** Called after triggers of a tenant have changed. */
  triggersChanged(tenantId: number): void;
}

export type RoutineHandlers = Handlers<typeof agentRoutines>;
