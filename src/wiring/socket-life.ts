// What sockets mean for runs and identities: presence, progress that agents publish, and names that their tools can't have.
import { createFindRun } from '../groups/agent/runs/find-run.ts';
import { createSocketProgress } from '../groups/agent/runs/socket-progress.ts';
import { createPresence } from '../groups/identities/presence.ts';
import { createPresenceStates } from '../groups/identities/presence-states.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { OpenEngine } from './engine.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams, SocketHooks } from './streams.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  agents: OpenEngine;
  clock: Clock;
  log: Logger;
  nodeId: string;
  tenantId: number;
}

export type SocketLife = SocketHooks & { close(): Promise<void> };

export async function openSocketLife({ storage, streams, agents, clock, log, nodeId, tenantId }: Deps) {
  const { publisher } = streams;
  const { db } = storage;
  const states = createPresenceStates({ db, identities: agents.identities, publisher, clock });
  const presence = createPresence({ db, states, clock, log, nodeId });
  await presence.sweep();
  // No agent has offered any yet: these are the server's own.
  const own = new Set((await agents.engine.listTools(tenantId)).map(({ name }) => name));
  const life: SocketLife = {
    onPublish: createSocketProgress({
      findRun: createFindRun((id) => storage.runs.runs.get(id)),
      addEvents: agents.engine.addEvents,
      publisher,
    }),
    onPresence: presence.changed,
    isToolName: (name) => own.has(name),
    close: presence.close,
  };
  return life;
}
