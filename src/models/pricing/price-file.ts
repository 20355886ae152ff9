// Opens the list of model prices: the operator's refreshed one, else the one that comes with this version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.ts';
import { bundledPrices, type PriceList, readPriceList } from './price-list.ts';

/** In the data folder; `npm run prices` writes it. */
export const priceFile = 'model-prices.json';

/** @throws Fault NOT_CONFIGURED when the operator's list cannot be read */
export function openPrices(dataFolder: string): PriceList {
  const path = join(dataFolder, priceFile);
  try {
    return readPriceList(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return bundledPrices;
    throw new Fault('NOT_CONFIGURED', `The model prices in ${path} cannot be read.`, {
      hint: 'Write the file anew with `npm run prices`, or delete it to use the prices that come with Rivulet.',
      cause: error,
    });
  }
}
