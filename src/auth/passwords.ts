// Passwords as argon2id hashes, computed in a separate thread: the pool of async hashing is the one that disk writes
// use.
// -
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { hashSync, verifySync } from '@node-rs/argon2';
import { Fault } from '../kernel/fault.ts';

/** OWASP's second recommended setting for argon2id: 19 MiB, 2 passes, 1 lane (Password Storage Cheat Sheet). */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Limit of hashes that wait for the thread, a second or two of its work; further sign-ins get RATE_LIMITED. */
const mostWaiting = 64;

/** PHC string of a new hash. @throws Fault RATE_LIMITED when too many are waiting */
export async function hashPassword(password: string): Promise<string> {
  return (await ask('hashSync', [password, cost])) as ReturnType<typeof hashSync>;
}

/**
 * Whether the password is right; takes as long without a stored hash, so that timing does not reveal users.
 *
 * @throws Fault RATE_LIMITED when too many are waiting
 */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  if (stored === null) {
    await hashPassword(password);
    return false;
  }
  return (await ask('verifySync', [stored, password])) as ReturnType<typeof verifySync>;
}

interface Answer {
  id: number;
  value?: unknown;
  error?: Error;
}

/** Program of the thread; it loads the library from this module's path. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const argon2 = require(workerData);
  parentPort.on('message', ({ id, call, args }) => {
    try {
      parentPort.postMessage({ id, value: argon2[call](...args) });
    } catch (error) {
      parentPort.postMessage({ id, error });
    }
  });
`;

let thread: Worker | null = null;
let asked = 0;
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();

function ask(call: 'hashSync' | 'verifySync', args: unknown[]): Promise<unknown> {
  if (waiting.size >= mostWaiting)
    return Promise.reject(
      new Fault('RATE_LIMITED', 'Too many passwords are being checked at this moment.', {
        hint: 'Try again in a few seconds.',
        retryAfterSeconds: 2,
      }),
    );
  return new Promise((resolve, reject) => {
    const id = asked++;
    waiting.set(id, { resolve, reject });
    thread ??= start();
    // The thread keeps the process alive only while a hash is awaited.
    thread.ref();
    thread.postMessage({ id, call, args });
  });
}

function start(): Worker {
  const library = createRequire(import.meta.url).resolve('@node-rs/argon2');
  const worker = new Worker(program, { eval: true, workerData: library, execArgv: [] });
  const settle = (id: number) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return one;
  };
  worker.on('message', ({ id, value, error }: Answer) => {
    if (error) settle(id)?.reject(error);
    else settle(id)?.resolve(value);
  });
  worker.on('error', (error) => {
    if (thread === worker) thread = null;
    for (const id of [...waiting.keys()]) settle(id)?.reject(error);
  });
  return worker;
}
