// A node's lease: one heartbeat keeps all its runs; when it runs out, the node stops itself before others take over.
import type { NodeBeat } from '../../ports.ts';
import { type Core, Stop } from '../records/core.ts';

export interface Lease {
  /** Renews it; called once before any run is claimed. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

/** The lease of this process, renewed three times as often as it would run out. */
export function createLease(core: Core): Lease {
  let validUntil = 0;
  let beats = 0;
  let cancel: (() => void) | null = null;
  let ending = false;
  core.leaseValid = () => core.clock.steady() < validUntil;

  const drop = () => {
    for (const live of core.live.values()) {
      live.abort.abort(new Stop('lost'));
      // Where no other node has taken the run over meanwhile, this node does.
      core.abandoned.add(live.run.id);
    }
  };
  const beat = async () => {
    const begun = core.clock.steady();
    try {
      // Whatever comes after, however the wall clock is set: each beat is a greater number than the one before.
      beats = Math.max(beats + 1, core.clock.now());
      const kept = await core.store.nodes.beat(core.node, beats);
      if (ending) return;
      if (kept) validUntil = Math.max(validUntil, begun + core.options.leaseMs);
      else {
        core.log.error({ node: core.node }, 'this node was declared dead: its runs are left to others');
        validUntil = 0;
        drop();
        // A new name: under the old one nothing is believed any more.
        core.node = `${core.node.split('+')[0]}+${++beats}`;
      }
    } catch (error) {
      core.log.warn({ err: error }, 'the heartbeat failed');
    }
    if (!core.leaseValid() && !ending) drop();
  };

  return {
    async beat() {
      await beat();
      cancel ??= core.clock.every(Math.max(50, core.options.leaseMs / 3), () => void beat());
    },
    async stop() {
      ending = true;
      cancel?.();
      await core.store.nodes.beat(core.node, goneBeat).catch(() => false);
    },
  };
}

/** The beat of a node that has given up its lease: peers take its runs over at once. */
const goneBeat = 0;

/**
 * Names of the nodes that live: whose beat changes within the time of a lease, as this process sees it. Clocks of
 * machines are not compared, and one that is set says nothing about anybody. The others are declared dead.
 */
export async function aliveNodes(core: Core): Promise<string[]> {
  const at = core.clock.steady();
  const beats = await core.store.nodes.beats();
  // A node that has not polled for a while cannot tell a silent peer from its own silence.
  const wasAway = at - core.heardAt > core.options.leaseMs / 2;
  core.heardAt = core.clock.steady();
  const gone: NodeBeat[] = [];
  const seen: Core['heard'] = new Map();
  for (const { node, beat } of beats) {
    const before = core.heard.get(node);
    const since = before?.beat === beat && !wasAway ? before.since : at;
    if (beat !== goneBeat && at - since < core.options.leaseMs) seen.set(node, { beat, since });
    else gone.push({ node, beat });
  }
  core.heard = seen;
  if (gone.length > 0) await core.store.nodes.bury(gone);
  return [...seen.keys()];
}
