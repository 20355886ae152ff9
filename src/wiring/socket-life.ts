// What sockets mean for runs and identities: presence, progress that agents publish, and names that their tools can't have.
import { createFindRun } from '../groups/agent/runs/find-run.ts';
import { createSocketProgress } from '../groups/agent/runs/socket-progress.ts';
import { createPresence } from '../groups/identities/presence.ts';
import { createPresenceStates } from '../groups/identities/presence-states.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams, SocketHooks } from './streams.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  runtime: OpenRuntime;
  clock: Clock;
  log: Logger;
  nodeId: string;
  tenantId: number;
}

export type SocketLife = SocketHooks & { close(): Promise<void> };

export async function openSocketLife({ storage, streams, runtime, clock, log: all, nodeId, tenantId }: Deps) {
  const log = all.child({ domain: 'Realtime' });
  const { publisher } = streams;
  const { db } = storage;
  const states = createPresenceStates({ db, identities: runtime.identities, publisher, clock });
  const presence = createPresence({ db, states, clock, log, nodeId });
  await presence.sweep();
  // No agent has offered tools yet: these names are the server's own.
  const own = new Set((await runtime.engine.listTools(tenantId)).map(({ name }) => name));
  const life: SocketLife = {
    onPublish: createSocketProgress({
      findRun: createFindRun(storage.runs.runs.get),
      addEvents: runtime.engine.addEvents,
      publisher,
    }),
    onPresence: presence.changed,
    isToolName: (name) => own.has(name),
    close: presence.close,
  };
  return life;
}
