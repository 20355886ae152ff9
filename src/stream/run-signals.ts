// What engines on several nodes tell each other, over the broker that they share.
import type { RunSignal, Signals } from '../../runtime/ports.ts';
import type { Broker } from './broker.ts';

const prefix = 'engine.';

/** Signals between this node's engine and those of other nodes; each node hears only the others. */
export function createRunSignals({
  broker,
  nodeId,
}: {
  broker: Pick<Broker, 'signal' | 'onSignal'>;
  nodeId: string;
}): Signals {
  return {
    send: ({ kind, runId }) => broker.signal({ kind: `${prefix}${kind}`, runId, nodeId }),
    listen: (handler) =>
      broker.onSignal(({ kind, runId, nodeId: from }) => {
        if (from === nodeId || typeof kind !== 'string' || !kind.startsWith(prefix)) return;
        handler({ kind: kind.slice(prefix.length) as RunSignal['kind'], runId: Number(runId) });
      }),
  };
}
