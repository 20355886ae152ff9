// List prices of models, from a file in LiteLLM's format: the one that comes with Rivulet, or a newer one of the
// operator.
import { z } from 'zod';
import bundled from './model-prices.json' with { type: 'json' };
import type { Price, Rates } from './pricing.ts';

/** Prices by name. */
export interface PriceList {
  /** The list price of `provider:model`, also when the name carries a release date; null when unknown. */
  find(modelId: string): Price | null;
  /** Model ids with a price, for tests and reports. */
  ids(): string[];
}

/** Providers of the file whose names are also prefixes of our model ids, with that prefix. */
const prefixes: Record<string, string> = { openai: 'openai', anthropic: 'anthropic', gemini: 'google' };

/** One model of the file, as far as it is read: US dollars a token. Other fields are left as they are. */
const Entry = z.looseObject({
  litellm_provider: z.string(),
  mode: z.string().optional(),
  input_cost_per_token: z.number().nonnegative(),
  output_cost_per_token: z.number().nonnegative().optional(),
  cache_read_input_token_cost: z.number().nonnegative().optional(),
  cache_creation_input_token_cost: z.number().nonnegative().optional(),
});
type Entry = z.infer<typeof Entry>;

const modes = new Set(['chat', 'responses', 'completion', 'embedding']);
const aboveKey = /^input_cost_per_token_above_(\d+)k_tokens$/;

/** The models of a file that Rivulet can call, by their names there. Entries that cannot be read are left out. */
export function callableEntries(file: unknown): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const [name, value] of Object.entries(z.record(z.string(), z.unknown()).parse(file))) {
    const parsed = Entry.safeParse(value);
    if (parsed.success && isCallable(name, parsed.data)) found.set(name, parsed.data);
  }
  return found;
}

function isCallable(name: string, entry: Entry): boolean {
  // LiteLLM lists experimental models with zeros: their price is unknown, not free.
  const isPriced = entry.input_cost_per_token > 0 || (entry.output_cost_per_token ?? 0) > 0;
  // Names with more slashes are other regions and resellers.
  const isDirect = prefixes[entry.litellm_provider] !== undefined && !modelIdOf(name, entry).includes('/');
  return isPriced && isDirect && modes.has(entry.mode ?? 'chat');
}

/** @throws ZodError when it is no JSON object */
export function readPriceList(file: unknown): PriceList {
  const prices = new Map<string, Price>();
  for (const [name, entry] of callableEntries(file)) prices.set(modelIdOf(name, entry), priceOf(entry));
  return {
    find(modelId) {
      const undated = modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '');
      return prices.get(modelId) ?? prices.get(undated) ?? null;
    },
    ids: () => [...prices.keys()],
  };
}

const modelIdOf = (name: string, { litellm_provider: provider }: Entry) =>
  `${prefixes[provider]}:${name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name}`;

function priceOf(entry: Entry): Price {
  const thresholds = Object.keys(entry).flatMap((key) => aboveKey.exec(key)?.[1] ?? []);
  const [first] = thresholds.map(Number).sort((a, b) => a - b);
  const rates = ratesOf(entry, '');
  if (first === undefined) return rates;
  return { ...rates, above: { ...rates, ...ratesOf(entry, `_above_${first}k_tokens`), tokens: first * 1000 } };
}

function ratesOf(entry: Entry, suffix: string): Rates {
  const cacheRead = perMillion(entry[`cache_read_input_token_cost${suffix}`]);
  const cacheWrite = perMillion(entry[`cache_creation_input_token_cost${suffix}`]);
  return {
    input: perMillion(entry[`input_cost_per_token${suffix}`]) ?? 0,
    output: perMillion(entry[`output_cost_per_token${suffix}`]) ?? 0,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

/** Dollars for a million tokens, without what binary fractions add. */
const perMillion = (dollars: unknown) =>
  typeof dollars === 'number' ? Number((dollars * 1_000_000).toPrecision(12)) : undefined;

/** The list that comes with this version. */
export const bundledPrices = readPriceList(bundled);
