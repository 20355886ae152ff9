// The help as a part of the server.
import { createKeeper } from '../../ports/keeper.ts';
import { type PartDeps, part } from '../part.ts';
import { createAnswers } from './answers.ts';
import { help } from './contract.ts';
import { openLibrary } from './library.ts';
import { voteRecord } from './record.ts';
import { createHelpSearch } from './search.ts';
import { topicSearch } from './searched.ts';
import { helpService, type OpenHelp } from './service.ts';

export const helpPart = part({
  records: [voteRecord],
  contracts: [help],
  serve: (deps) => [helpService({ open: opening(deps), votes: createKeeper(voteRecord, deps) })],
  searches: (deps) => [topicSearch(opening(deps))],
  samples: [],
});

const opened = new WeakMap<PartDeps['model'], OpenHelp>();

/** Reading and indexing the documents takes a tenth of a second, which a start need not wait for; it is done once. */
function opening({ model }: Pick<PartDeps, 'model'>): () => OpenHelp {
  return () => {
    const open = opened.get(model) ?? openHelp(model);
    opened.set(model, open);
    return open;
  };
}

function openHelp(model: PartDeps['model']): OpenHelp {
  const library = openLibrary();
  const search = createHelpSearch(library);
  return { library, search, answers: createAnswers({ search, model }) };
}
