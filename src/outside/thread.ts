// A thread for work that a stranger's text steers: one piece at a time, ended when it takes too long.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { Fault } from '../kernel/fault.ts';

export interface Thread {
  /** @throws Fault CONNECTOR_TIMEOUT, RATE_LIMITED when too much waits; an Error with the thread's own message */
  ask(work: unknown, timeoutMs: number): Promise<unknown>;
}

const mostWaiting = 256;
/** Megabytes that the work may hold. */
const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

/**
 * Makes a thread that is started when it is needed, and anew after work that was ended.
 *
 * @param program - CommonJS text that declares `async function work(library, given)`; what goes in and out is JSON
 * @param library - package that it is handed
 */
export function createThread(program: string, library: string): Thread {
  const text = `
    const { parentPort, workerData } = require('node:worker_threads');
    const library = require(workerData);
    ${program}
    parentPort.on('message', async (given) => {
      try {
        parentPort.postMessage({ json: JSON.stringify(await work(library, JSON.parse(given))) });
      } catch (error) {
        parentPort.postMessage({ error: String((error && error.message) || error).slice(0, 1000) });
      }
    });`;
  let worker: Worker | null = null;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const end = (one: Worker) => {
    if (worker === one) worker = null;
    void one.terminate();
  };
  const once = (work: unknown, timeoutMs: number) =>
    new Promise((resolve, reject) => {
      const path = createRequire(import.meta.url).resolve(library);
      worker ??= new Worker(text, { eval: true, workerData: path, execArgv: [], env: {}, resourceLimits: limits });
      const one = worker;
      const settle = (act: () => void) => {
        clearTimeout(timer);
        one.removeAllListeners();
        one.on('error', () => undefined);
        one.unref();
        act();
      };
      const timer = setTimeout(() => {
        settle(() => reject(new Fault('CONNECTOR_TIMEOUT', `This took longer than ${timeoutMs} ms.`)));
        end(one);
      }, timeoutMs);
      one.ref();
      one.removeAllListeners();
      one.once('message', ({ json, error }: { json?: string; error?: string }) =>
        settle(() =>
          error === undefined ? resolve(json === undefined ? undefined : JSON.parse(json)) : reject(new Error(error)),
        ),
      );
      one.once('error', (error) => {
        settle(() => reject(new Error(`It was ended: ${error.message}`)));
        end(one);
      });
      one.postMessage(JSON.stringify(work));
    });

  return {
    ask: async (work, timeoutMs) => {
      if (waiting >= mostWaiting)
        throw new Fault('RATE_LIMITED', 'Too many calls of connectors wait.', { retryAfterSeconds: 2 });
      waiting++;
      const turn = last.then(() => once(work, timeoutMs));
      last = turn.catch(() => undefined);
      return turn.finally(() => waiting--);
    },
  };
}
