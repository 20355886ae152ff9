// Webhooks as a part of the server; their service needs mail and the courier, and stands in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { part, sampleOf } from '../part.ts';
import { webhooks } from './contract.ts';
import { deliveryRecord, webhookRecord } from './record.ts';

/** Milliseconds that deliveries stay, the longest retry many times over. */
const keptMs = 30 * 86_400_000;

export const webhooksPart = part({
  records: [webhookRecord, deliveryRecord],
  contracts: [],
  serve: () => [],
  retention: ({ db }) => ({
    rules: [{ name: 'webhook deliveries', keptMs, prune: (before) => pruneByDate(db, deliveryRecord.spec, before) }],
  }),
  samples: [
    sampleOf(
      webhooks,
      (name) => ({ name, url: 'https://receiver.invalid/hook', eventTypes: ['routine.updated'], enabled: true }),
      { patch: () => ({ description: 'changed' }), send: () => ({ payload: { ok: true } }) },
    ),
  ],
});
