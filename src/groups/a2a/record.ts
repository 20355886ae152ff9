// Tasks of A2A clients, the addresses that hear of them, and what waits to be sent there. A task is a run.
import type { Waiting } from '../../outside/deliveries/outbox.ts';
import { defineCollection, type Entity } from '../../ports/db.ts';

/** What the bot and the request say of a task's run, besides its goal. */
export interface A2aRunDraft {
  modelId: string | null;
  reasoningEffort: string | null;
  /** False where a receiver has to be there first. */
  autoStart: boolean;
}

export interface A2aTaskDoc extends Entity {
  /** The task's name: a UUID. */
  _id: string;
  tenantId: number;
  /** Of the profile of the bot. */
  botId: number;
  identityId: number;
  contextId: string;
  /** Null until its run has been made. */
  runId: number | null;
  /** How its run is made, as the bot was then: a repeat asks for the very same. Absent in tasks of before. */
  runDraft?: A2aRunDraft;
  /** Unique in the tenant: names the request that began it. */
  key: string;
  /** What was said, oldest first, each a Message as JSON text. */
  messages: string[];
  createdAt: Date;
}

export const a2aTaskSpec = defineCollection<A2aTaskDoc>({
  name: 'a2a_tasks',
  indexes: [
    { keys: { tenantId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, botId: 1, contextId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, botId: 1, createdAt: -1 } },
    { keys: { runId: 1 } },
  ],
});

export interface A2aReceiverDoc extends Entity {
  /** `<task>/<name of the client>`. */
  _id: string;
  tenantId: number;
  taskId: string;
  runId: number;
  name: string;
  url: string;
  sealedToken: string | null;
  scheme: string | null;
  sealedCredentials: string | null;
  createdByUserId: number | null;
  createdByIdentityId: number | null;
  createdAt: Date;
}

export const a2aReceiverSpec = defineCollection<A2aReceiverDoc>({
  name: 'a2a_receivers',
  indexes: [{ keys: { tenantId: 1, taskId: 1 } }, { keys: { runId: 1 } }],
});

export interface A2aDeliveryDoc extends Waiting {
  receiverId: string;
  taskId: string;
  runId: number;
  /** Unique for the receiver. */
  key: string;
  body: string;
  createdAt: Date;
}

export const a2aDeliverySpec = defineCollection<A2aDeliveryDoc>({
  name: 'a2a_deliveries',
  indexes: [
    { keys: { receiverId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { due: 1 } },
    { keys: { runId: 1 } },
    { keys: { createdAt: 1 } },
  ],
});
