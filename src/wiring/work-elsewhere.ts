// What the nodes have at work for each tenant and each organisation unit: they tell each other, so that a limit holds for
// all together.
import type { WorkElsewhere } from '../../runtime/state/tenant-limits.ts';
import type { Clock } from '../kernel/clock.ts';

export interface AtWork {
  node: string;
  /** Runs at work, by tenant; all that the node has. */
  runs: [tenantId: number, count: number][];
  /** The same by organisation unit; earlier versions do not say it. */
  units?: [unitId: number, count: number][];
}

interface Deps {
  signals: { send(message: AtWork): void; listen(handler: (message: AtWork) => void): () => void };
  nodeId: string;
  clock: Clock;
}

/** Milliseconds between two messages while much changes, and between two while nothing does. */
const oftenMs = 50;
const beatMs = 1000;
/** A node that said nothing for so long has nothing at work. */
const silentMs = 5000;

export function createWorkElsewhere({ signals, nodeId, clock }: Deps): WorkElsewhere & { close(): Promise<void> } {
  const own = { runs: new Map<number, number>(), units: new Map<number, number>() };
  const others = new Map<string, { runs: Map<number, number>; units: Map<number, number>; until: number }>();
  const retries: (() => void)[] = [];
  let isNew = false;
  let waiting: (() => void) | null = null;
  const send = () => signals.send({ node: nodeId, runs: [...own.runs], units: [...own.units] });
  const sendSoon = () => {
    isNew = true;
    if (waiting) return;
    send();
    isNew = false;
    waiting = clock.after(oftenMs, () => {
      waiting = null;
      if (isNew) sendSoon();
    });
  };
  const retry = () => {
    for (const one of retries) one();
  };
  const stopListening = signals.listen(({ node, runs, units }) => {
    others.set(node, { runs: new Map(runs), units: new Map(units), until: clock.steady() + silentMs });
    retry();
  });
  const stopBeat = clock.every(beatMs, () => {
    if (own.runs.size > 0) send();
    for (const [node, { until }] of others) if (until <= clock.steady()) others.delete(node);
    retry();
  });
  const elsewhere = (what: keyof typeof own) => (id: number) => {
    let count = 0;
    for (const one of others.values()) if (one.until > clock.steady()) count += one[what].get(id) ?? 0;
    return count;
  };
  const tell = (what: keyof typeof own) => (id: number, atWork: number) => {
    if ((own[what].get(id) ?? 0) === atWork) return;
    if (atWork > 0) own[what].set(id, atWork);
    else own[what].delete(id);
    sendSoon();
  };
  return {
    of: elsewhere('runs'),
    ofUnit: elsewhere('units'),
    tell: tell('runs'),
    tellUnit: tell('units'),
    onLess: (again) => void retries.push(again),
    close: async () => {
      stopListening();
      stopBeat();
      waiting?.();
    },
  };
}
