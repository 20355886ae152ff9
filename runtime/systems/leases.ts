// A node's lease: one heartbeat keeps all its runs; when it runs out, the node stops itself before others take over.
import { type Bag, Stop } from './bag.ts';

export interface Lease {
  /** Renews it; called once before any run is claimed. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

/** The lease of this process, renewed three times as often as it would run out. */
export function createLease(bag: Bag): Lease {
  let validUntil = 0;
  let cancel: (() => void) | null = null;
  let ending = false;
  bag.leaseValid = () => bag.clock.now() < validUntil;

  const drop = () => {
    for (const live of bag.live.values()) live.abort.abort(new Stop('lost'));
  };
  const beat = async () => {
    const expiresAt = bag.clock.now() + bag.options.leaseMs;
    try {
      const kept = await bag.store.nodes.beat(bag.node, expiresAt);
      if (ending) return;
      if (kept) validUntil = Math.max(validUntil, expiresAt);
      else {
        bag.log.error({ node: bag.node }, 'this node was declared dead: its runs are left to others');
        validUntil = 0;
        drop();
        // A new name: under the old one nothing is believed any more.
        bag.node = `${bag.node.split('+')[0]}+${bag.clock.now()}`;
      }
    } catch (error) {
      bag.log.warn({ err: error }, 'the heartbeat failed');
    }
    if (!bag.leaseValid() && !ending) drop();
  };

  return {
    async beat() {
      await beat();
      cancel ??= bag.clock.every(Math.max(50, bag.options.leaseMs / 3), () => void beat());
    },
    async stop() {
      ending = true;
      cancel?.();
      await bag.store.nodes.beat(bag.node, 0).catch(() => false);
    },
  };
}
