// Documents as a part of the server.
import { openIndexing } from '../../memory/open-indexing.ts';
import { part } from '../part.ts';
import { docs } from './contract.ts';
import { docRecord, type PassageDoc, passageKind, passageRecord, versionRecord } from './record.ts';
import { docSearch } from './searched.ts';
import { docsService } from './service.ts';
import { shelfOf } from './shelf.ts';
import { createDocTools } from './tools.ts';

/** Milliseconds between two looks for what dead writers left, and how old that is at least. */
const repairEveryMs = 30_000;

export const docsPart = part({
  records: [docRecord, versionRecord, passageRecord],
  contracts: [docs],
  serve: (deps) => [docsService(shelfOf(deps))],
  searches: (deps) => [docSearch(shelfOf(deps))],
  tools: (base) => createDocTools(shelfOf(base)),
  rounds: (base) => {
    const { library } = shelfOf(base);
    const { settling, repairing } = openIndexing<PassageDoc>(base, passageKind, passageRecord.spec, 'passages');
    const repair = () => library.repair(new Date(base.clock.now() - repairEveryMs));
    return [settling, repairing, { name: 'documents whose writers died', everyMs: repairEveryMs, work: repair }];
  },
  samples: [],
});
