// Which nodes share the broker: each says at a steady beat that it lives, and one that falls silent is gone.
import type { Clock } from '../../kernel/clock.ts';
import type { Broker } from './broker.ts';

const beatMs = 2000;
/** Milliseconds of silence after which a node counts as gone. */
const goneMs = 3.5 * beatMs;

export interface Nodes {
  /** The other nodes that live. */
  others(): readonly string[];
  /** Called for each node that comes, or is gone. */
  watch(listener: (change: { nodeId: string; here: boolean }) => void): void;
  /** Takes leave of the others. */
  stop(): void;
}

/** The nodes of a broker; none but this one where it is not shared. */
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
    heard.set(name, clock.now());
    if (known) return;
    // A newcomer shall know of this one at once.
    beat();
    tell({ nodeId: name, here: true });
  });
  const stopBeat = clock.every(beatMs, () => {
    beat();
    for (const [name, at] of heard) if (clock.now() - at > goneMs) leave(name);
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
