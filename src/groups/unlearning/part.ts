// Taking back what runs have learned, as a part of the server.
import { createLedger } from '../../memory/facts/ledger.ts';
import { createFindRun } from '../agent/runs/find-run.ts';
import { lessonsOf } from '../agent-memories/part.ts';
import { graphOf } from '../graph/shelf.ts';
import { shelfOf } from '../memories/shelf.ts';
import { part } from '../part.ts';
import { unlearning } from './contract.ts';
import { unlearningService } from './service.ts';

export const unlearningPart = part({
  records: [],
  contracts: [unlearning],
  serve: (deps) => {
    const { db, ids, clock, indexes, acting } = deps;
    const findRun = createFindRun(deps.findRun);
    const { library } = shelfOf(deps);
    const ledger = createLedger({ db, ids, clock, words: indexes.words });
    const graph = graphOf(deps).book;
    return [unlearningService({ findRun, acting, library, ledger, graph, ...lessonsOf(deps) })];
  },
  samples: [],
});
