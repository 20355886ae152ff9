// A TCP proxy whose connections can be cut, so that tests lose the network at will.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  port: number;
  /** Destroys every open connection; new ones are let through. */
  cut(): void;
  /** Destroys about this share of the open connections. */
  cutSome(share: number, random: () => number): void;
  /** Holds back what comes on about this share of the open connections. */
  hold(share: number, ms: number, random: () => number): void;
  /** Sends new connections to another port, as a balancer does. */
  retarget(port: number): void;
  /** Cuts made so far. */
  readonly cuts: number;
  /** Cuts by itself after each `bytes` from the server, `times` times. */
  cutEvery(bytes: number, times: number): void;
  close(): Promise<void>;
}

export async function createCuttingProxy(first: { port: number; host?: string }): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let target = first;
  let cuts = 0;
  let budget = Number.POSITIVE_INFINITY;
  let cutsLeft = 0;
  let every = 0;

  const cut = () => {
    cuts++;
    for (const socket of open) socket.destroy();
    open.clear();
  };
  const count = (bytes: number) => {
    budget -= bytes;
    if (budget > 0 || cutsLeft === 0) return;
    cutsLeft--;
    budget = cutsLeft > 0 ? every : Number.POSITIVE_INFINITY;
    cut();
  };

  const server = createServer((client) => {
    const upstream = connect(target.port, target.host ?? '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause();
        if (from === upstream) count(chunk.length);
      });
      to.on('drain', () => from.resume());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    cutSome: (share, random) => {
      cuts++;
      for (const socket of [...open]) if (random() < share) socket.destroy();
    },
    hold: (share, ms, random) => {
      for (const socket of open) {
        if (random() >= share) continue;
        socket.pause();
        setTimeout(() => socket.resume(), ms);
      }
    },
    retarget: (port) => {
      target = { ...target, port };
    },
    get cuts() {
      return cuts;
    },
    cutEvery: (bytes, times) => {
      every = bytes;
      budget = bytes;
      cutsLeft = times;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
