// Opens the agents that A2A clients talk to: published bots, their tasks, and what is sent to those who wait for them.

import { createAgents } from '../groups/a2a/agents.ts';
import { createA2aBook } from '../groups/a2a/book.ts';
import { createFollowing } from '../groups/a2a/following.ts';
import { createMadeFiles } from '../groups/a2a/made-files.ts';
import { createA2aOutbox } from '../groups/a2a/outbox.ts';
import { createReceivers } from '../groups/a2a/receivers.ts';
import { createMakers } from '../groups/agent/routines/makers.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import type { Outside } from '../outside/outside.ts';
import type { Gate } from '../ports/queues.ts';
import { createProjectAccess } from '../projects/access.ts';
import { createRunFiles } from '../run-places/run-files.ts';
import { version } from '../version.ts';
import type { OpenChat } from './chat.ts';
import type { OpenRuntime } from './runtime.ts';
import type { OpenSandboxes } from './sandboxes.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  storage: Storage;
  streams: Pick<OpenStreams, 'follower' | 'readySignals'>;
  runtime: OpenRuntime;
  chats: Pick<OpenChat, 'bots'>;
  outside: Outside;
  sandboxes: OpenSandboxes;
  publicUrl(): string;
  gate: Gate;
  nodeId: string;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for what is due. */
const lookEveryMs = 1000;

export type OpenA2a = ReturnType<typeof openA2a>;

export function openA2a({
  storage,
  streams,
  runtime,
  chats,
  outside,
  gate,
  nodeId,
  clock,
  log: server,
  ...deps
}: Deps) {
  const { db, ids, auth, runs } = storage;
  const log = server.child({ domain: 'A2a' });
  const { door, vault } = outside;
  const { acting, roleDefaults, workRole } = runtime;
  const madeFiles = createMadeFiles({ files: createRunFiles(deps.sandboxes.sandboxes), publicUrl: deps.publicUrl });
  const book = createA2aBook({
    db,
    clock,
    vault,
    getRun: runs.runs.get,
    escalationsOf: runs.escalations.ofRun,
    madeFiles,
    signals: {
      tenants: streams.readySignals('tenants with A2A receivers'),
      runs: streams.readySignals('runs with A2A receivers'),
    },
  });
  const { makerOf } = createMakers({
    auth,
    access: createProjectAccess({ db, clock }),
    acting,
    roleDefaults,
    workRole,
  });
  const alone = storage.kind !== 'MongoDB';
  const { courier, ear } = createA2aOutbox({ book, ids, clock, log, door, makerOf, nodeId, alone, gate });
  const rounds = createRounds({ clock, log });
  return {
    ear,
    agents: createAgents({
      ...{ book, bots: chats.bots, clock, version, manyRuns: runs.runs.many },
      following: createFollowing({ book, follower: streams.follower }),
      receivers: createReceivers({ book, clock }),
    }),
    /** Deliveries under way. */
    active: courier.active,
    async run(): Promise<void> {
      await courier.takeUp();
      rounds.start({ name: 'notifications of A2A tasks', everyMs: lookEveryMs, work: courier.round });
    },
    async close(): Promise<void> {
      await rounds.close();
      await courier.close();
    },
  };
}
