// Opens webhooks: the outbox that events go into, the courier that sends, and what tells the owner of a dead receiver.

import type { Config } from '../config.ts';
import type { Caller } from '../contract/caller.ts';
import { findPeopleFor } from '../groups/agent/desk/people.ts';
import { createMakers } from '../groups/agent/routines/makers.ts';
import { createWarning } from '../groups/switched-off.ts';
import { createWebhookBook } from '../groups/webhooks/book.ts';
import { createWebhookCourier } from '../groups/webhooks/courier.ts';
import { createOutbox } from '../groups/webhooks/outbox.ts';
import { deliveryRecord, webhookRecord } from '../groups/webhooks/record.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { guardedSends } from '../kernel/reach.ts';
import { createRounds } from '../kernel/rounds.ts';
import { createVault } from '../kernel/vault.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Gate } from '../ports/queues.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { createProjectAccess } from '../projects/access.ts';
import { reachOf } from './models.ts';
import type { OpenRoutines } from './routines.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  config: Config;
  storage: Storage;
  streams: OpenStreams;
  runtime: OpenRuntime;
  policies: Policies;
  routines: Pick<OpenRoutines, 'wakes'>;
  gate: Gate;
  tenantId: number;
  nodeId: string;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for deliveries that are due. */
const lookEveryMs = 1000;

export type OpenWebhooks = ReturnType<typeof openWebhooks>;

export function openWebhooks(deps: Deps) {
  const { config, storage, streams, runtime, policies } = deps;
  const { gate, tenantId, nodeId, clock } = deps;
  const log = deps.log.child({ domain: 'Webhook' });
  const { db, ids, auth } = storage;
  const { publisher } = streams;
  const { acting, identities, users, inbox } = runtime;
  const vault = createVault({ ...config, purpose: 'webhooks' });
  const reach = reachOf(config, tenantId, policies);
  const access = createProjectAccess({ db, clock });
  const makers = createMakers({ auth, access, acting, roleDefaults: runtime.roleDefaults, workRole: runtime.workRole });
  const mayFollow = (caller: Caller, topic: string) =>
    streams.authorise(caller, topic).then(
      () => true,
      () => false,
    );
  const book = createWebhookBook({ db, clock, publisher, signals: streams.readySignals('webhooks') });
  const outbox = createOutbox({
    book,
    ids,
    makerOf: makers.makerOf,
    mayFollow,
    lineageOf: deps.routines.wakes.lineageOf,
    poke: () => courier.poke(),
  });
  const courier = createWebhookCourier({
    ...{ book, clock, log, vault, nodeId, gate, maySend: outbox.maySend },
    alone: storage.kind !== 'MongoDB',
    sendOf: guardedSends(reach),
    disabling: createWarning('webhook', { inbox, publisher, clock, people: findPeopleFor({ identities, users }) }),
  });
  const rounds = createRounds({ clock, log });
  return {
    outbox,
    /** Deliveries under way. */
    active: courier.active,
    poke: courier.poke,
    service: {
      ...{ book, vault, clock, mayFollow, reachOf: reach, poke: courier.poke },
      webhooks: createKeeper(webhookRecord, { db, ids, clock }),
      deliveries: createKeeper(deliveryRecord, { db, ids, clock }),
    },
    async run(): Promise<void> {
      await courier.takeUp();
      rounds.start({ name: 'the deliveries of webhooks', everyMs: lookEveryMs, work: courier.round });
    },
    async close(): Promise<void> {
      await rounds.close();
      await courier.close();
    },
  };
}
