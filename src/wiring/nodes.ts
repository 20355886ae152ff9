// The nodes of the server and how they are: each tells the others at every beat, and what it says is held here.
import type { InfraNodeDto } from '../groups/system/dto.ts';
import type { Clock } from '../kernel/clock.ts';

export interface NodeSignal {
  report: InfraNodeDto | null;
  nodeId: string;
}

interface Deps {
  nodeId: string;
  clock: Clock;
  /** Null where this is the only node. */
  signals: { send(message: NodeSignal): void; listen(handler: (message: NodeSignal) => void): () => void } | null;
}

/** A node that said nothing for so long is stale, and after the longer time forgotten. In ms. */
const staleMs = 15_000;
const forgottenMs = 24 * 3_600_000;

export type KnownNode = InfraNodeDto & { stale: boolean };

export function createNodeBook({ nodeId, clock, signals }: Deps) {
  const heard = new Map<string, { report: InfraNodeDto; at: number }>();
  const stopListening = signals?.listen(({ nodeId: from, report }) => {
    if (report) heard.set(from, { report, at: clock.steady() });
    else heard.delete(from);
  });
  return {
    /** Called at each beat of this node. */
    report(report: InfraNodeDto): void {
      heard.set(nodeId, { report, at: clock.steady() });
      signals?.send({ nodeId, report });
    },
    /** This node first. */
    list(): KnownNode[] {
      const known: KnownNode[] = [];
      for (const [id, { report, at }] of heard) {
        const silentMs = clock.steady() - at;
        if (silentMs > forgottenMs) heard.delete(id);
        else if (silentMs > staleMs) known.push({ ...report, state: 'Unknown', stale: true });
        else known.push({ ...report, stale: false });
      }
      return known.sort((a, b) => Number(b.nodeId === nodeId) - Number(a.nodeId === nodeId));
    },
    close: async (): Promise<void> => {
      signals?.send({ nodeId, report: null });
      stopListening?.();
    },
  };
}
export type NodeBook = ReturnType<typeof createNodeBook>;
