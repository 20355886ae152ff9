// Nodes that share the broker: each sends heartbeats, and a silent one is declared gone.
import type { Clock } from '../../kernel/clock.ts';
import type { Broker } from './broker.ts';

const beatMs = 2000;
/** Time in ms without a heartbeat after which a node counts as gone. */
const goneMs = 3.5 * beatMs;

export interface Nodes {
  /** Names of the other living nodes. */
  others(): readonly string[];
  /** Calls the listener for each node that joins or leaves. */
  watch(listener: (change: { nodeId: string; here: boolean }) => void): void;
  /** Announces this node's departure. */
  stop(): void;
}

/** Nodes of a broker; only this one where the broker is not shared. */
export function createNodes({ broker, clock, nodeId }: { broker: Broker; clock: Clock; nodeId: string }): Nodes {
  const heard = new Map<string, number>();
  const listeners = new Set<(change: { nodeId: string; here: boolean }) => void>();
  const tell = (change: { nodeId: string; here: boolean }) => {
    for (const listener of listeners) listener(change);
  };
  const beat = (here = true) => {
    if (broker.shared) broker.signal({ kind: 'node', nodeId, here });
  };
  const leave = (name: string) => {
    if (heard.delete(name)) tell({ nodeId: name, here: false });
  };

  const stopSignals = broker.onSignal(({ kind, nodeId: from, here }) => {
    if (kind !== 'node' || from === nodeId) return;
    const name = String(from);
    if (!here) return leave(name);
    const known = heard.has(name);
    heard.set(name, clock.steady());
    if (known) return;
    // A new node must learn of this one at once.
    beat();
    tell({ nodeId: name, here: true });
  });
  const stopBeat = clock.every(beatMs, () => {
    beat();
    for (const [name, at] of heard) if (clock.steady() - at > goneMs) leave(name);
  });
  beat();

  return {
    others: () => [...heard.keys()],
    watch: (listener) => void listeners.add(listener),
    stop: () => {
      stopBeat();
      stopSignals();
      beat(false);
    },
  };
}
