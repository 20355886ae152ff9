// Bots as a part of the server; their services stand beside chats and identities, in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { pruneChats } from '../chat/retention.ts';
import { part } from '../part.ts';
import { visitorClient } from './book.ts';
import { botMeterRecord, botProfileRecord } from './record.ts';

const dayMs = 86_400_000;

export const botProfilesPart = part({
  records: [botProfileRecord, botMeterRecord],
  contracts: [],
  serve: () => [],
  retention: (base) => ({
    rules: [
      {
        name: 'meters of bots',
        keptMs: 2 * dayMs,
        prune: (before) => pruneByDate(base.db, botMeterRecord.spec, before),
      },
      {
        name: 'chats of visitors',
        keptMs: 30 * dayMs,
        prune: (before) => pruneChats(base, before, { clientId: visitorClient }),
      },
    ],
  }),
  samples: [],
});
