// Support requests as a part of the server; their service needs the whole of it, and stands in the wiring.
import { deleteInBatches } from '../../ports/retention.ts';
import { part, sampleOf } from '../part.ts';
import { support } from './contract.ts';
import { bundleParts, supportRequestRecord } from './record.ts';

/** Milliseconds that bundles stay; the requests themselves stay with the tenant. */
const keptMs = 30 * 86_400_000;

export const supportPart = part({
  records: [supportRequestRecord, { spec: bundleParts }],
  contracts: [],
  serve: () => [],
  retention: ({ db }) => ({
    rules: [
      {
        name: 'support bundles',
        keptMs,
        async *prune(before) {
          yield await deleteInBatches(db.collection(bundleParts), { createdAt: { $lt: new Date(before) } });
        },
      },
    ],
  }),
  samples: [sampleOf(support, (name) => ({ subject: name, description: 'Nothing works.' }), {})],
});
