// Messages as a part of the server; their service needs the inbox and stands in the wiring.
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { entrySpec, messageSpec, threadSpec } from './documents.ts';
import { createReads } from './reads.ts';
import { messageRetention } from './retention.ts';
import { messageSearch } from './searched.ts';

export const messagesPart = part({
  // Their collections stand before the engine does.
  records: [],
  contracts: [],
  serve: () => [],
  searches: ({ db }) => [
    messageSearch(
      createReads({
        messages: perTenant(db.collection(messageSpec)),
        entries: perTenant(db.collection(entrySpec)),
        threads: perTenant(db.collection(threadSpec)),
      }),
    ),
  ],
  retention: messageRetention,
  samples: [],
});
