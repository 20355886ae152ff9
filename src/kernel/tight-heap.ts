// Work that makes much garbage, done in little memory: V8 alone would let the heap grow to several times of what is live
// before it collects.
import { setFlagsFromString } from 'node:v8';

/** Percent that the heap may grow by after a collection; 0 leaves it to V8. */
const tight = 40;
let working = 0;

/** Does the work; while any such work goes on, this process collects garbage early. Flags of V8 are the process's. */
export async function withTightHeap<T>(work: () => Promise<T>): Promise<T> {
  if (working++ === 0) setFlagsFromString(`--heap-growing-percent=${tight}`);
  try {
    return await work();
  } finally {
    if (--working === 0) setFlagsFromString('--heap-growing-percent=0');
  }
}
