// Channels as a part of the server; their service needs the courier, and stands in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { part, sampleOf } from '../part.ts';
import { channels } from './contract.ts';
import { channelDeliveryRecord, channelRecord, channelThreadSpec } from './record.ts';

/** Milliseconds that deliveries stay, as those of webhooks do: a callback of the same id is known for so long. */
const keptMs = 30 * 86_400_000;

export const channelsPart = part({
  records: [channelRecord, channelDeliveryRecord, { spec: channelThreadSpec }],
  contracts: [],
  serve: () => [],
  retention: ({ db }) => ({
    rules: [
      { name: 'channel deliveries', keptMs, prune: (before) => pruneByDate(db, channelDeliveryRecord.spec, before) },
    ],
  }),
  samples: [
    sampleOf(
      channels,
      (name) => ({ name, kind: 'Webhook', url: 'https://receiver.invalid/hook', eventTypes: ['routine.updated'] }),
      {
        patch: () => ({ minPriority: 'High' as const }),
        test: () => ({ text: 'Hello' }),
        send: () => ({ text: 'Hello' }),
        inbound: () => ({ text: 'Hello' }),
      },
    ),
  ],
});
