// A node's lease: one heartbeat keeps all its runs; when it runs out, the node stops itself before others take over.
import type { NodeBeat } from '../../ports.ts';
import { type Bag, Stop } from '../records/core.ts';

export interface Lease {
  /** Renews it; called once before any run is claimed. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

/** The lease of this process, renewed three times as often as it would run out. */
export function createLease(bag: Bag): Lease {
  let validUntil = 0;
  let beats = 0;
  let cancel: (() => void) | null = null;
  let ending = false;
  bag.leaseValid = () => bag.clock.steady() < validUntil;

  const drop = () => {
    for (const live of bag.live.values()) {
      live.abort.abort(new Stop('lost'));
      // Where nobody has taken it over meanwhile, this node does.
      bag.abandoned.add(live.run.id);
    }
  };
  const beat = async () => {
    const begun = bag.clock.steady();
    try {
      // Whatever comes after, however the wall clock is set: each beat is a greater number than the one before.
      beats = Math.max(beats + 1, bag.clock.now());
      const kept = await bag.store.nodes.beat(bag.node, beats);
      if (ending) return;
      if (kept) validUntil = Math.max(validUntil, begun + bag.options.leaseMs);
      else {
        bag.log.error({ node: bag.node }, 'this node was declared dead: its runs are left to others');
        validUntil = 0;
        drop();
        // A new name: under the old one nothing is believed any more.
        bag.node = `${bag.node.split('+')[0]}+${++beats}`;
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
      await bag.store.nodes.beat(bag.node, goneBeat).catch(() => false);
    },
  };
}

/** A node that says so is gone at once. */
const goneBeat = 0;

/**
 * Names of the nodes that live: whose beat changes within the time of a lease, as this process sees it. Clocks of
 * machines are not compared, and one that is set says nothing about anybody. The others are declared dead.
 */
export async function aliveNodes(bag: Bag): Promise<string[]> {
  const at = bag.clock.steady();
  const beats = await bag.store.nodes.beats();
  // Who did not look for a while, or could not, has not seen that nobody beat.
  const wasAway = at - bag.heardAt > bag.options.leaseMs / 2;
  bag.heardAt = bag.clock.steady();
  const gone: NodeBeat[] = [];
  const seen: Bag['heard'] = new Map();
  for (const { node, beat } of beats) {
    const before = bag.heard.get(node);
    const since = before?.beat === beat && !wasAway ? before.since : at;
    if (beat !== goneBeat && at - since < bag.options.leaseMs) seen.set(node, { beat, since });
    else gone.push({ node, beat });
  }
  bag.heard = seen;
  if (gone.length > 0) await bag.store.nodes.bury(gone);
  return [...seen.keys()];
}
