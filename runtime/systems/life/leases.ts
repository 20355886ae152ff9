// Lease of a node: one heartbeat covers all its runs; when the lease expires, the node stops itself before others take
// over.
import { Fault } from '../../../src/kernel/fault.ts';
import type { NodeBeat } from '../../ports.ts';
import { type Core, Stop } from '../records/core.ts';

export interface Lease {
  /** Renews the lease; called once before any run is claimed. */
  beat(): Promise<void>;
  /** Name of this node, once its lease is valid: what it takes under that name is left to it. @throws Fault STORE_UNAVAILABLE */
  hold(): Promise<string>;
  stop(): Promise<void>;
}

/** The lease of this process, renewed at a third of its duration. */
export function createLease(core: Core): Lease {
  let validUntil = 0;
  let beats = 0;
  let cancel: (() => void) | null = null;
  let ending = false;
  core.leaseValid = () => core.clock.steady() < validUntil;

  const drop = () => {
    for (const live of core.live.values()) {
      live.abort.abort(new Stop('lost'));
      // This node takes the run over again, unless another node does first.
      core.abandoned.add(live.run.id);
    }
  };
  const beat = async (isAgain = false): Promise<void> => {
    const begun = core.clock.steady();
    const name = core.node;
    try {
      // Each beat is a greater number than the one before, even when the wall clock is set back.
      beats = Math.max(beats + 1, core.clock.now());
      const kept = await core.store.nodes.beat(name, beats);
      if (ending || name !== core.node) return;
      if (kept) {
        validUntil = Math.max(validUntil, begun + core.options.leaseMs);
        // A store that stood still has answered late: this node is not dead, and the next answer says until when.
        if (!core.leaseValid() && !isAgain) return beat(true);
      } else {
        core.log.error({ node: core.node }, 'this node was declared dead: its runs are left to others');
        validUntil = 0;
        drop();
        // A new name is needed: peers ignore beats under the old one.
        core.node = `${name.split('+')[0]}+${++beats}`;
        // At once: peers take what is held under a name without a beat for that of a dead node.
        return beat();
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
    async hold() {
      if (!core.leaseValid()) await beat();
      if (core.leaseValid()) return core.node;
      throw new Fault('STORE_UNAVAILABLE', 'This server could not tell the others that it is alive.', {
        hint: 'Try again in a moment.',
        retryAfterSeconds: 2,
      });
    },
    async stop() {
      ending = true;
      cancel?.();
      await core.store.nodes.beat(core.node, goneBeat).catch(() => false);
    },
  };
}

/** Beat of a node that released its lease: peers take its runs over at once. */
const goneBeat = 0;

/**
 * Names of the living nodes: those whose beat changes within a lease's duration, measured by this process's steady
 * clock, so that clocks of different machines are never compared. The others are declared dead.
 */
export async function aliveNodes(core: Core): Promise<string[]> {
  const at = core.clock.steady();
  const beats = await core.store.nodes.beats();
  // After a pause without polls a node cannot tell a silent peer from its own silence.
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
