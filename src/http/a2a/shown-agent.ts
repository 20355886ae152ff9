// Agents as the door of A2A needs them.
import type { AgentCard } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Caller } from '../../contract/caller.ts';

/** A published bot; `src/groups/a2a/agents.ts` makes them. */
export interface ShownAgent {
  tenantId: number;
  updatedAt: Date;
  card(at: string): AgentCard;
  answer(visit: {
    caller: Caller;
    ask(method: string, path: string, body: object, key?: string): Promise<unknown>;
    key: string | null;
    signal: AbortSignal;
  }): A2ARequestHandler;
}
