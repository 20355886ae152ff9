// Work that makes much garbage, done in little memory: V8 alone would let the heap grow to several times of what is live
// before it collects.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Percent that the heap may grow by after a collection; 0 leaves it to V8. */
const tight = 40;
let working = 0;

interface Tightness {
  /** Collect before the work begins: V8 takes the flag up with its next collection, which may be 200 MB away. */
  atOnce: boolean;
}

/** Does the work; while any such work goes on, this process collects garbage early. Flags of V8 are the process's. */
export async function withTightHeap<T>(work: () => Promise<T>, { atOnce }: Tightness): Promise<T> {
  if (working++ === 0) setFlagsFromString(`--heap-growing-percent=${tight}`);
  if (atOnce) collect();
  try {
    return await work();
  } finally {
    if (--working === 0) setFlagsFromString('--heap-growing-percent=0');
  }
}

/** One whole collection, of a tenth of a second or so. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  gc();
}
