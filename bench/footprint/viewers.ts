// People who look at runs and leave again: event streams of single runs, and sockets that follow many for a while.
import { setMaxListeners } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import WebSocket from 'ws';

const agent = new Agent({ keepAlive: false });

export interface Viewers {
  /** Tells of a run that may be looked at. */
  started(id: number): void;
  /** Looks so far, by kind. */
  counts(): { streams: number; sockets: number; events: number };
  stop(): Promise<void>;
}

/** Viewers of a server, some at a time; each comes, looks, goes, and comes again. */
export function startViewers(
  { url, token }: { url: string; token: string },
  { streams, sockets }: { streams: number; sockets: number },
): Viewers {
  const headers = { authorization: `Bearer ${token}` };
  const counts = { streams: 0, sockets: 0, events: 0 };
  const recent: number[] = [];
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const stopped = () => ended.signal.aborted;
  const pause = (ms: number) => after(ms, undefined, { signal: ended.signal }).catch(() => undefined);
  const anyRun = () => recent[Math.floor(Math.random() * recent.length)];

  /** One look at a run's event stream, from its first event; half of them are cut before its end. */
  function lookAtRun(id: number): Promise<void> {
    return new Promise((resolve) => {
      const path = `${url}/api/agent/runs/${id}/events?lastEventId=0`;
      const request = get(path, { agent, headers: { ...headers, accept: 'text/event-stream' } }, (response) => {
        response.on('data', () => counts.events++);
        response.on('close', resolve);
      });
      request.on('error', () => resolve());
      const left = setTimeout(() => request.destroy(), Math.random() < 0.5 ? 20 : 2000);
      request.on('close', () => clearTimeout(left));
      counts.streams++;
    });
  }

  /** One socket that follows the list and some runs, for up to five seconds. */
  async function lookAtMany(): Promise<void> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, { headers });
    const gone = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.on('message', () => counts.events++);
    socket.on('open', () => {
      const topics = ['runs', ...new Set(Array.from({ length: 20 }, () => `run:${anyRun()}`))];
      socket.send(JSON.stringify({ op: 'Subscribe', id: '1', topics }));
    });
    counts.sockets++;
    await pause(Math.random() * 5000);
    socket.terminate();
    await gone;
  }

  const looking = [
    ...Array.from({ length: streams }, async () => {
      while (!stopped()) {
        const id = anyRun();
        if (id !== undefined) await lookAtRun(id);
        await pause(50);
      }
    }),
    ...Array.from({ length: sockets }, async () => {
      while (!stopped()) await (recent.length > 0 ? lookAtMany() : pause(50));
    }),
  ];
  return {
    started(id) {
      if (recent.push(id) > 200) recent.shift();
    },
    counts: () => ({ ...counts }),
    async stop() {
      ended.abort();
      await Promise.all(looking);
    },
  };
}
