// The help as a part of the server.
import { createKeeper } from '../../ports/keeper.ts';
import { part } from '../part.ts';
import { createAnswers } from './answers.ts';
import { help } from './contract.ts';
import { openLibrary } from './library.ts';
import { voteRecord } from './record.ts';
import { createHelpSearch } from './search.ts';
import { helpService } from './service.ts';

export const helpPart = part({
  records: [voteRecord],
  contracts: [help],
  serve: (deps) => {
    const library = openLibrary();
    const search = createHelpSearch(library);
    const answers = createAnswers({ search, model: deps.model });
    return [helpService({ library, search, answers, votes: createKeeper(voteRecord, deps) })];
  },
  samples: [],
});
