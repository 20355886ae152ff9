// Refreshes the list of model prices in a data folder, for the operator's command.
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.ts';
import { outboundFetch } from '../../kernel/outbound-fetch.ts';
import bundled from './model-prices.json' with { type: 'json' };
import { priceFile } from './price-file.ts';
import { priceSource, refreshPrices } from './refresh-prices.ts';

const timeoutMs = 60_000;

/** Names of models: new ones, those with another price, and those that the source lacks. */
export interface RefreshedPrices {
  path: string;
  added: readonly string[];
  changed: readonly string[];
  kept: readonly string[];
}

/**
 * Writes `model-prices.json` into a data folder and answers what changed beside the list of this version.
 *
 * @param source address or file of a list in LiteLLM's format; LiteLLM's own by default
 * @throws Fault NOT_FOUND without that folder, NOT_CONFIGURED when the source cannot be read, or names no model that Rivulet calls; nothing is written
 */
export async function refreshPriceFile(dataFolder: string, source = priceSource): Promise<RefreshedPrices> {
  const path = join(dataFolder, priceFile);
  // A name that is mistyped would become a folder that no server reads.
  if (!(await stat(dataFolder).catch(() => null))?.isDirectory())
    throw new Fault('NOT_FOUND', `There is no folder ${dataFolder}.`, {
      hint: 'Name the folder of the server in RIVULET_DATA, as it has it; the first start makes it.',
    });
  const { text, added, changed, kept } = await readSource(source)
    .then((found) => refreshPrices(JSON.parse(found), bundled))
    .catch((cause: Error) => {
      throw new Fault('NOT_CONFIGURED', `${source} gave no list of prices: ${reasonOf(cause)}`, {
        hint: "Name an address or a file in LiteLLM's format: npm run prices -- SOURCE",
        cause,
      });
    });
  // A server that starts meanwhile reads the list before or the list after.
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  return { path, added, changed, kept };
}

async function readSource(source: string): Promise<string> {
  if (!/^https?:/.test(source)) return readFile(source, 'utf8');
  const response = await outboundFetch(source, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`it answered with HTTP ${response.status}`);
  return response.text();
}

const reasonOf = ({ message, cause }: Error) => (cause instanceof Error ? `${message} (${cause.message})` : message);
