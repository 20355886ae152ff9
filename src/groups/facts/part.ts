// Facts as a part of the server.
import { createLedger } from '../../memory/facts/ledger.ts';
import { createFactReading } from '../../memory/facts/reading.ts';
import { factRecord, versionRecord } from '../../memory/facts/records.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { type PartBase, part } from '../part.ts';
import { createFactBriefs } from './briefs.ts';
import { facts } from './contract.ts';
import { factsService } from './service.ts';
import { isCurrentOf, toVersionDto } from './show.ts';
import { createFactTools } from './tools.ts';

/** Milliseconds between two looks for what dead writers left, and how old that is at least. */
const repairEveryMs = 30_000;

export const factsPart = part({
  records: [factRecord, versionRecord],
  contracts: [facts],
  serve: (deps) => [
    factsService({
      ...bookOf(deps),
      facts: createKeeper(factRecord, deps),
      versions: createKeeper(versionRecord, deps),
    }),
  ],
  tools: (base) => createFactTools({ ...bookOf(base), clock: base.clock }),
  tells: (base) => createFactBriefs({ ...bookOf(base), clock: base.clock }),
  rounds: (base) => {
    const { ledger } = bookOf(base);
    const work = () => ledger.repair(new Date(base.clock.now() - repairEveryMs));
    return [{ name: 'facts whose writers died', everyMs: repairEveryMs, work }];
  },
  samples: [],
});

function bookOf(base: PartBase) {
  const { db, ids, clock, publisher, indexes } = base;
  const ledger = createLedger({
    ...{ db, ids, clock, words: indexes.words },
    told: async ({ fact, version }) => {
      const data = toVersionDto(version, isCurrentOf(fact, version));
      const topics = [`project:${fact.projectId}`];
      await publisher.publish({ tenantId: fact.tenantId, topics, type: 'fact.written', data });
    },
  });
  return { ledger, reading: createFactReading({ ledger, words: indexes.words }) };
}
