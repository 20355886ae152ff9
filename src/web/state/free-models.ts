// Which models are free, for the pages that show costs: a price of 0 that was set is not an unknown one.
import { useEffect } from 'react';
import { useStore } from '../base/store.ts';
import { client, may } from './app.ts';
import { freeModels } from './run-figures.ts';

const pageSize = 200;
let asked = false;

async function load() {
  const free = new Set<string>();
  for (let page = 1, more = true; more; page++) {
    const { items, hasNextPage } = await client.aiModels.list({ query: { pageSize, page } });
    for (const { modelId, priceKnown, inputPricePerMTok, outputPricePerMTok } of items)
      if (priceKnown && inputPricePerMTok === 0 && outputPricePerMTok === 0) free.add(modelId);
    more = hasNextPage;
  }
  freeModels.set(free);
}

/** Has the caller drawn again once they are known. They are asked for once, after what the page shows first. */
export function useFreeModels(): void {
  useStore(freeModels);
  useEffect(() => {
    if (asked || !may('AiRouterRead')) return;
    asked = true;
    const timer = setTimeout(() => load().catch(() => (asked = false)), 1500);
    return () => {
      clearTimeout(timer);
      if (freeModels.get().size === 0) asked = false;
    };
  }, []);
}
