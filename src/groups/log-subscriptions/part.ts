// Log subscriptions as a part of the server; their service tells who publishes lines, and stands in the wiring.
import { part, sampleOf } from '../part.ts';
import { logSubscriptions } from './contract.ts';
import { logSubscriptionRecord } from './record.ts';

export const logSubscriptionsPart = part({
  records: [logSubscriptionRecord],
  contracts: [],
  serve: () => [],
  samples: [
    sampleOf(logSubscriptions, () => ({ domain: 'Webhook' as const, minLevel: 'Error' as const }), {
      replace: () => ({ domain: 'Webhook' as const, minLevel: 'Critical' as const, isActive: false }),
    }),
  ],
});
