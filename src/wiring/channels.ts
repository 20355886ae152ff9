// Opens channels: the outbox that events go into, the courier that carries both ways, and what becomes of what comes in.
import type { Config } from '../config.ts';
import type { Caller } from '../contract/caller.ts';
import { findPeopleFor } from '../groups/agent/desk/people.ts';
import { createMakers } from '../groups/agent/routines/makers.ts';
import { createFindRun } from '../groups/agent/runs/find-run.ts';
import { createChannelBook } from '../groups/channels/book.ts';
import { createChannelCourier } from '../groups/channels/courier.ts';
import { createChannelOutbox } from '../groups/channels/outbox.ts';
import { createReceiving } from '../groups/channels/receiving.ts';
import { channelDeliveryRecord, channelRecord } from '../groups/channels/record.ts';
import { add, newSession } from '../groups/chat/sessions.ts';
import { createWarning } from '../groups/switched-off.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { guardedSends } from '../kernel/reach.ts';
import { createRounds } from '../kernel/rounds.ts';
import { createVault } from '../kernel/vault.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Mailer } from '../ports/mail.ts';
import type { Gate } from '../ports/queues.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { createProjectAccess } from '../projects/access.ts';
import type { OpenChat } from './chat.ts';
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
  chats: OpenChat;
  policies: Policies;
  routines: Pick<OpenRoutines, 'wakes'>;
  mailer: Mailer;
  gate: Gate;
  tenantId: number;
  nodeId: string;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for what is due. */
const lookEveryMs = 1000;

export type OpenChannels = ReturnType<typeof openChannels>;

export function openChannels(deps: Deps) {
  const { config, storage, streams, runtime, chats, policies, gate, nodeId, clock } = deps;
  const log = deps.log.child({ domain: 'Channel' });
  const { db, ids, auth } = storage;
  const { publisher } = streams;
  const { acting, identities, users, inbox, engine } = runtime;
  const vault = createVault({ ...config, purpose: 'channels' });
  const reach = reachOf(config, deps.tenantId, policies);
  const access = createProjectAccess({ db, clock });
  const { makerOf } = createMakers({
    auth,
    access,
    acting,
    roleDefaults: runtime.roleDefaults,
    workRole: runtime.workRole,
  });
  const mayFollow = (caller: Caller, topic: string) =>
    streams.authorise(caller, topic).then(
      () => true,
      () => false,
    );
  const people = findPeopleFor({ identities, users });
  const book = createChannelBook({
    ...{ db, ids, clock, publisher, vault, publicUrl: config.publicUrl },
    signals: streams.readySignals('channels'),
  });
  const { lineageOf } = deps.routines.wakes;
  const outbox = createChannelOutbox({ db, book, makerOf, mayFollow, lineageOf, poke: () => courier.poke() });
  const { settle } = createReceiving({
    ...{ book, outbox, clock, makerOf, people, identities, acting, inbox, engine },
    ...{ chat: chats.chat, messages: chats.messages, escalations: storage.runs.escalations },
    beginChat: async (caller, about) => {
      const session = { ...newSession(caller, await ids.next('chat_sessions'), clock.now()), ...about, titled: true };
      await add(chats, session);
      return session.id;
    },
  });
  const courier = createChannelCourier({
    ...{ book, clock, log, nodeId, gate, mailer: deps.mailer, maySend: outbox.maySend, settle },
    ...{ alone: storage.kind !== 'MongoDB', sendOf: guardedSends(reach), policyOf: policies.ofWork },
    disabling: createWarning('channel', { inbox, publisher, clock, people }),
  });
  const rounds = createRounds({ clock, log });
  return {
    outbox,
    /** Deliveries under way. */
    active: courier.active,
    poke: courier.poke,
    service: {
      ...{ book, courier, vault, clock, acting, identities, mayFollow, reachOf: reach, policyOf: policies.ofWork },
      findRun: createFindRun(storage.runs.runs.get),
      channels: createKeeper(channelRecord, { db, ids, clock }),
      deliveries: createKeeper(channelDeliveryRecord, { db, ids, clock }),
    },
    async run(): Promise<void> {
      await courier.takeUp();
      rounds.start({ name: 'the deliveries of channels', everyMs: lookEveryMs, work: courier.round });
    },
    async close(): Promise<void> {
      await rounds.close();
      await courier.close();
    },
  };
}
