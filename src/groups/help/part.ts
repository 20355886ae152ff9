// The help as a part of the server.
import { createKeeper } from '../../ports/keeper.ts';
import { type PartDeps, part } from '../part.ts';
import { createAnswers } from './answers.ts';
import { help } from './contract.ts';
import { openLibrary } from './library.ts';
import { voteRecord } from './record.ts';
import { createHelpSearch, type HelpSearch } from './search.ts';
import { topicSearch } from './searched.ts';
import { helpService, type OpenHelp } from './service.ts';

export const helpPart = part({
  records: [voteRecord],
  contracts: [help],
  serve: (deps) => [helpService({ open: opening(deps), votes: createKeeper(voteRecord, deps) })],
  searches: (deps) => [topicSearch(opening(deps))],
  samples: [],
});

const opened = new WeakMap<PartDeps['model'], Promise<OpenHelp>>();

/** A start need not wait for the documents: they are read once, when somebody first asks. */
function opening({ model }: Pick<PartDeps, 'model'>): () => Promise<OpenHelp> {
  return () => {
    const known = opened.get(model);
    if (known) return known;
    const open = openHelp(model);
    opened.set(model, open);
    // What could not be read is read again when somebody asks again.
    open.catch(() => opened.delete(model));
    return open;
  };
}

async function openHelp(model: PartDeps['model']): Promise<OpenHelp> {
  const library = await openLibrary();
  let indexing: Promise<HelpSearch> | undefined;
  const search = () => {
    indexing ??= createHelpSearch(library);
    return indexing;
  };
  return { library, search, answers: createAnswers({ open: search, model }) };
}
