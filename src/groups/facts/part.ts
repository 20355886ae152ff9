// Facts as a part of the server.
import { createLedger, type Ledger } from '../../memory/facts/ledger.ts';
import { createFactReading } from '../../memory/facts/reading.ts';
import { type FactDoc, factRecord, versionRecord } from '../../memory/facts/records.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { createProjectAccess } from '../../projects/access.ts';
import type { GraphBook } from '../graph/book.ts';
import { readFact } from '../graph/facts.ts';
import { graphOf } from '../graph/shelf.ts';
import { createMemoryGate } from '../memory-gate.ts';
import { type PartBase, part } from '../part.ts';
import { createFactBriefs } from './briefs.ts';
import { facts } from './contract.ts';
import { factSearch } from './searched.ts';
import { factsService } from './service.ts';
import { isCurrentOf, toVersionDto } from './show.ts';
import { createFactTools } from './tools.ts';

/** Versions of a fact that the graph follows. */
const shownVersions = 20;
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
  searches: (deps) => [factSearch({ ...bookOf(deps), projects: createProjectAccess(deps) })],
  tools: (base) => createFactTools({ ...bookOf(base), clock: base.clock, gate: createMemoryGate(base) }),
  tells: (base) => createFactBriefs({ ...bookOf(base), clock: base.clock }),
  rounds: (base) => {
    const { ledger } = bookOf(base);
    const work = () => ledger.repair(new Date(base.clock.now() - repairEveryMs));
    return [{ name: 'facts whose writers died', everyMs: repairEveryMs, work }];
  },
  samples: [],
});

/** Versions of a fact that its newest change may have closed or opened, in the graph. */
async function readFacts(book: GraphBook, ledger: Ledger, { tenantId, _id }: FactDoc): Promise<void> {
  const newest = ledger.versions(tenantId).find({ factId: _id }, { sort: { seq: -1 }, limit: shownVersions });
  for (const version of await newest.toArray()) await readFact(book, { tenantId }, version);
}

function bookOf(base: PartBase) {
  const { book } = graphOf(base);
  const { db, ids, clock, publisher, indexes } = base;
  const ledger: Ledger = createLedger({
    db,
    ids,
    clock,
    words: indexes.words,
    told: async ({ fact, version }) => {
      await readFacts(book, ledger, fact);
      const data = toVersionDto(version, isCurrentOf(fact, version));
      const topics = [`project:${fact.projectId}`];
      await publisher.publish({ tenantId: fact.tenantId, topics, type: 'fact.written', data });
    },
  });
  return { ledger, reading: createFactReading({ ledger, words: indexes.words }) };
}
