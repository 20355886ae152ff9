// Connections while the machine's clock is set: heartbeats go on, who reads is kept, and commands are counted by time that passed.
import { expect, it } from 'vitest';
import type { Caller } from '../../contract/caller.ts';
import { silentLogger as log } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createNodes } from '../brokers/nodes.ts';
import { Conversation } from '../transports/conversation.ts';
import { Connections, type ConnectionsDeps } from './connections.ts';

const hour = 3_600_000;
const jumps = [-24 * hour, -hour, 24 * hour];

function open() {
  const clock = new SimulatedClock();
  const viewer = { blockedSince: 0, close() {} };
  const hub = { metrics: { opened: 0, closed: 0, stalled: 0, limited: 0 }, attach: () => viewer };
  const principals = { enter: (one: Caller) => one, count: () => 1, quotaOf: () => null, leave() {} };
  const caller = { tenantId: 1, identityId: null, expiresAt: null } as unknown as Caller;
  const connections = new Connections({
    ...{ hub, clock, log, nodeId: 'a', principals, authorise: async () => {}, refresh: async () => caller },
    limits: { perPrincipal: 9, stallMs: 30_000, commandBurst: 3, commandsPerSecond: 2, subscriptionsPerConnection: 9 },
  } as unknown as ConnectionsDeps);
  const told = { beats: 0, closed: 0 };
  const link = { beat: () => void told.beats++, close: () => void told.closed++ };
  const connection = connections.open(link as never, {
    ...{ transport: 'WebSocket', caller, allowed: null, ip: '', userAgent: null, heartbeatMs: 10_000 },
  });
  const seconds = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await clock.advance(1000);
      connections.sweep();
    }
  };
  return { clock, viewer, connections, connection, told, seconds };
}

it.each(jumps)('a connection is sent its heartbeats, the clock set by %d ms', async (jump) => {
  const { clock, told, seconds } = open();
  await seconds(5);
  clock.jump(jump);
  await seconds(4);
  expect(told.beats).toBe(0);
  await seconds(21);
  expect(told).toEqual({ beats: 3, closed: 0 });
});

it.each(jumps)('a client that stopped reading is closed in its time, the clock set by %d ms', async (jump) => {
  const { clock, viewer, told, seconds } = open();
  viewer.blockedSince = clock.steady();
  clock.jump(jump);
  await seconds(30);
  expect(told.closed).toBe(0);
  await seconds(1);
  expect(told.closed).toBe(1);
});

it.each(jumps)('a socket may send as many commands as before, the clock set by %d ms', async (jump) => {
  const { clock, connections, connection } = open();
  let tooMany = 0;
  const conversation = new Conversation({ connections, log } as never, connection, () => void tooMany++);
  const send = () => conversation.take(undefined, () => {});
  send();
  clock.jump(jump);
  send();
  send();
  expect(tooMany).toBe(0);
  send();
  expect(tooMany).toBe(1);
  expect(connection.lastSeenAt).toBe(clock.now());
});

it.each(jumps)('a silent node is gone in its time, and one that beats stays, the clock set by %d ms', async (jump) => {
  const clock = new SimulatedClock();
  let hear = (_: { kind: string; nodeId: string; here: boolean }) => {};
  const onSignal = (listener: typeof hear) => {
    hear = listener;
    return () => {};
  };
  const nodes = createNodes({ broker: { shared: true, signal() {}, onSignal } as never, clock, nodeId: 'a' });
  for (const nodeId of ['b', 'c']) hear({ kind: 'node', nodeId, here: true });
  clock.jump(jump);
  await clock.advance(2000);
  expect(nodes.others()).toEqual(['b', 'c']);
  hear({ kind: 'node', nodeId: 'b', here: true });
  await clock.advance(7000);
  expect(nodes.others()).toEqual(['b']);
});
