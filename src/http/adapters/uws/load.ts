// Loads uWebSockets.js, an optional package whose binaries are for certain platforms.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadForOlderGlibc } from './older-glibc.ts';

export type Uws = typeof import('uWebSockets.js');

// Not `import`: Node counts a module that throws in there as a rejection that nobody handled.
const require = createRequire(import.meta.url);
let loading: Promise<Uws> | undefined;

/** Rejects with the reason where no binary loads. Once a thread: each copy for an older glibc is a binary of its own. */
export function loadUws(): Promise<Uws> {
  loading ??= load();
  return loading;
}

/** Bytes of a request's head, as node:http takes them; 4,096 unless the binary finds this in the environment. */
const maxHeadBytes = 16_384;

async function load(): Promise<Uws> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(maxHeadBytes);
  try {
    return require('uWebSockets.js');
  } catch (reason) {
    if (process.platform !== 'linux' || !(reason as Error).message.includes('GLIBC_')) throw reason;
    const folder = dirname(require.resolve('uWebSockets.js'));
    const binary = `uws_linux_${process.arch}_${process.versions.modules}.node`;
    return loadForOlderGlibc<Uws>(join(folder, binary));
  }
}
