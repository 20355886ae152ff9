// Counts of connections over several nodes: each node publishes its larger ones, and adds what the others published.
import type { Clock } from '../../kernel/clock.ts';
import type { Broker } from '../brokers/broker.ts';
import type { Nodes } from '../brokers/nodes.ts';

interface Deps {
  /** This node's count of a name. */
  own: (name: string) => number;
  /** The limit that the counts are checked against. */
  limit: number;
  broker: Pick<Broker, 'shared' | 'signal' | 'onSignal'>;
  nodes: Pick<Nodes, 'others' | 'watch'>;
  clock: Clock;
  nodeId: string;
}

export interface SharedCounts {
  /** Publishes a changed count of this node soon, where others need it. */
  changed(name: string, count: number): void;
  /** The sum of the other nodes' counts of a name. */
  elsewhere(name: string): number;
  stop(): void;
}

/** Delay in ms after which changes are published together. */
const tellAfterMs = 100;
/** Interval in ms at which all counts are published again, in case a message was lost. */
const tellAllEveryMs = 10_000;
/** Counts below limit / untoldShare are not published. */
const untoldShare = 100;

export function shareCounts({ own, limit, broker, nodes, clock, nodeId }: Deps): SharedCounts {
  const elsewhere = new Map<string, Map<string, number>>();
  const floor = Math.max(1, Math.floor(limit / untoldShare));
  /** Names whose count was published. */
  const told = new Set<string>();
  const news = new Set<string>();
  let stopTelling: (() => void) | null = null;

  const tell = (names: Iterable<string>, all: boolean) => {
    const counts: Record<string, number> = {};
    for (const name of names) {
      const count = own(name);
      counts[name] = count < floor ? 0 : count;
      if (count < floor) told.delete(name);
      else told.add(name);
    }
    broker.signal({ kind: 'principals', nodeId, counts, all });
  };
  const tellNews = () => {
    stopTelling = null;
    tell(news, false);
    news.clear();
  };
  const changed = (name: string, count: number) => {
    if (!broker.shared || (count < floor && !told.has(name))) return;
    news.add(name);
    stopTelling ??= clock.after(tellAfterMs, tellNews);
  };
  const tellAll = () => {
    if (broker.shared && told.size > 0) tell([...told], true);
  };

  const stopSignals = broker.onSignal(({ kind, nodeId: from, counts, all }) => {
    if (kind !== 'principals' || from === nodeId) return;
    const known = (all ? null : elsewhere.get(String(from))) ?? new Map<string, number>();
    for (const [name, count] of Object.entries(counts as Record<string, number>)) {
      if (count > 0) known.set(name, count);
      else known.delete(name);
    }
    elsewhere.set(String(from), known);
  });
  const stopTellingAll = clock.every(tellAllEveryMs, () => {
    // A node that died before its first heartbeat is never reported as gone.
    const alive = new Set(nodes.others());
    for (const from of elsewhere.keys()) if (!alive.has(from)) elsewhere.delete(from);
    tellAll();
  });
  nodes.watch(({ nodeId: other, here: present }) => {
    if (present) tellAll();
    else elsewhere.delete(other);
  });

  return {
    changed,
    elsewhere: (name) => {
      let count = 0;
      for (const counts of elsewhere.values()) count += counts.get(name) ?? 0;
      return count;
    },
    stop: () => {
      stopTelling?.();
      stopTellingAll();
      stopSignals();
    },
  };
}
