// Refreshes a list of prices from LiteLLM's: only models that Rivulet calls, only the fields that it reads.
import { callableEntries } from './price-list.ts';

/** LiteLLM's list, which its maintainers keep (MIT). */
export const priceSource =
  'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json';

const readFields =
  /^(litellm_provider|mode|(input|output)_cost_per_token(_above_\d+k_tokens)?|cache_(read|creation)_input_token_cost(_above_\d+k_tokens)?)$/;

export interface RefreshedPrices {
  /** Text of the new file: one model a line, by name. */
  text: string;
  added: string[];
  changed: string[];
  /** Models that the source does not have; their last known prices stay. */
  kept: string[];
}

/**
 * A new list: what the source says, and the models of the list before that the source does not have.
 *
 * @throws ZodError when one of them is no JSON object; Error when the source has no model that Rivulet calls
 */
export function refreshPrices(source: unknown, before: unknown): RefreshedPrices {
  const old = new Map([...callableEntries(before)].map(([name, entry]) => [name, lineOf(entry)]));
  const fresh = new Map([...callableEntries(source)].map(([name, entry]) => [name, lineOf(entry)]));
  if (fresh.size === 0) throw new Error('It lists no model of OpenAI, Anthropic or Google.');
  const kept = [...old.keys()].filter((name) => !fresh.has(name));
  const added = [...fresh.keys()].filter((name) => !old.has(name));
  const changed = [...fresh].flatMap(([name, line]) => (old.has(name) && old.get(name) !== line ? [name] : []));
  const lines = [...new Map([...old, ...fresh])]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, line]) => `  ${JSON.stringify(name)}: ${line}`);
  return { text: `{\n${lines.join(',\n')}\n}\n`, added, changed, kept };
}

const lineOf = (entry: object) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(entry)
        .filter(([key]) => readFields.test(key))
        .sort(byName),
    ),
  );

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
