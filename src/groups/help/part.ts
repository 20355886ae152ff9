// The help as a part of the server.
import { createKeeper } from '../../ports/keeper.ts';
import { type PartDeps, part } from '../part.ts';
import { createAnswers } from './answers.ts';
import { help } from './contract.ts';
import { openLibrary } from './library.ts';
import { voteRecord } from './record.ts';
import { createHelpSearch } from './search.ts';
import { helpService, type OpenHelp } from './service.ts';

export const helpPart = part({
  records: [voteRecord],
  contracts: [help],
  serve: (deps) => {
    let opened: OpenHelp | null = null;
    // Reading and indexing the documents takes a tenth of a second, which a start need not wait for.
    const open = () => {
      opened ??= openHelp(deps.model);
      return opened;
    };
    return [helpService({ open, votes: createKeeper(voteRecord, deps) })];
  },
  samples: [],
});

function openHelp(model: PartDeps['model']): OpenHelp {
  const library = openLibrary();
  const search = createHelpSearch(library);
  return { library, search, answers: createAnswers({ search, model }) };
}
