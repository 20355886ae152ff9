// What the nodes have at work for each tenant: they tell each other, so that a tenant's limit holds for all together.
import type { WorkElsewhere } from '../../runtime/state/tenant-limits.ts';
import type { Clock } from '../kernel/clock.ts';

export interface AtWork {
  node: string;
  /** Runs at work, by tenant; all that the node has. */
  runs: [tenantId: number, count: number][];
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
  const own = new Map<number, number>();
  const others = new Map<string, { runs: Map<number, number>; until: number }>();
  const retries: (() => void)[] = [];
  let isNew = false;
  let waiting: (() => void) | null = null;
  const send = () => signals.send({ node: nodeId, runs: [...own] });
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
  const stopListening = signals.listen(({ node, runs }) => {
    others.set(node, { runs: new Map(runs), until: clock.steady() + silentMs });
    retry();
  });
  const stopBeat = clock.every(beatMs, () => {
    if (own.size > 0) send();
    for (const [node, { until }] of others) if (until <= clock.steady()) others.delete(node);
    retry();
  });
  return {
    of: (tenantId) => {
      let count = 0;
      for (const { runs, until } of others.values()) if (until > clock.steady()) count += runs.get(tenantId) ?? 0;
      return count;
    },
    tell: (tenantId, atWork) => {
      if ((own.get(tenantId) ?? 0) === atWork) return;
      if (atWork > 0) own.set(tenantId, atWork);
      else own.delete(tenantId);
      sendSoon();
    },
    onLess: (again) => void retries.push(again),
    close: async () => {
      stopListening();
      stopBeat();
      waiting?.();
    },
  };
}
