// A pair as a line of the files that trainers read. Each line stands for itself, whatever is in its texts.
import type { DatasetFormat } from '../../../contract/enums.ts';
import type { ItemDoc } from './record.ts';

export type Flavour = 'Trl' | 'OpenAi' | 'Kto';
type Pair = Pick<
  ItemDoc,
  'pairId' | 'systemPrompt' | 'userPrompt' | 'chosenResponse' | 'rejectedResponse' | 'objective' | 'tags'
>;

const assistant = (content: string) => ({ role: 'assistant', content });
const promptOf = ({ systemPrompt, userPrompt }: Pair) => [
  ...(systemPrompt.trim() ? [{ role: 'system', content: systemPrompt }] : []),
  { role: 'user', content: userPrompt },
];

/** OpenAI's chat examples, and TRL's language modelling: a whole conversation. */
const chat = (pair: Pair) => [{ messages: [...promptOf(pair), assistant(pair.chosenResponse)] }];

/** TRL's preferences with their prompt; a pair without a rejected answer has none. */
const trlPreference = (pair: Pair) =>
  pair.rejectedResponse.trim()
    ? [
        {
          prompt: promptOf(pair),
          chosen: [assistant(pair.chosenResponse)],
          rejected: [assistant(pair.rejectedResponse)],
        },
      ]
    : [];

const openAiPreference = (pair: Pair) =>
  trlPreference(pair).map(({ prompt, chosen, rejected }) => ({
    input: { messages: prompt, tools: [], parallel_tool_calls: true },
    preferred_output: chosen,
    non_preferred_output: rejected,
  }));

/** TRL's unpaired preferences: one line for each answer. */
const unpaired = (pair: Pair) => [
  { prompt: promptOf(pair), completion: [assistant(pair.chosenResponse)], label: true },
  ...(pair.rejectedResponse.trim()
    ? [{ prompt: promptOf(pair), completion: [assistant(pair.rejectedResponse)], label: false }]
    : []),
];

function linesOf(format: Exclude<DatasetFormat, 'Csv'>, flavour: Flavour): (pair: Pair) => object[] {
  if (format !== 'Dpo') return chat;
  return flavour === 'OpenAi' ? openAiPreference : flavour === 'Kto' ? unpaired : trlPreference;
}

/** Some readers take these for ends of lines. */
const lineEnds = /[\u0085\u2028\u2029]/g;
const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Halves of characters are in no text file: readers refuse them. */
const wellFormed = (_key: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value);
const jsonLine = (value: object) => `${JSON.stringify(value, wellFormed).replaceAll(lineEnds, escaped)}\n`;

const columns = ['id', 'objective', 'system_prompt', 'user_prompt', 'chosen_response', 'rejected_response', 'tags'];

/** What programs for tables take for a formula, also behind blanks; OWASP, "CSV injection". */
const formula = /^[\s\u200B\uFEFF]*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** A cell of RFC 4180. An apostrophe in front keeps a formula from being one. */
function cell(value: string): string {
  const text = value.replaceAll('\0', '').toWellFormed();
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

const row = (cells: readonly string[]) => `${cells.map(cell).join(',')}\r\n`;
const csvLine = (pair: Pair) =>
  row([
    ...[String(pair.pairId), pair.objective, pair.systemPrompt, pair.userPrompt],
    ...[pair.chosenResponse, pair.rejectedResponse, pair.tags.join('; ')],
  ]);

/** How a file of a format begins, and what each pair adds to it. */
export function writerOf(format: DatasetFormat, flavour: Flavour = 'Trl') {
  if (format === 'Csv') return { mediaType: 'text/csv', extension: 'csv', head: row(columns), lines: csvLine } as const;
  const lines = linesOf(format, flavour);
  return {
    ...{ mediaType: 'application/jsonl', extension: 'jsonl', head: '' },
    lines: (pair: Pair) => lines(pair).map(jsonLine).join(''),
  };
}

/** Bytes that are written at once. */
const chunkBytes = 65_536;

/** The file of some pairs, in chunks. */
export async function* fileOf(pairs: AsyncIterable<Pair>, format: DatasetFormat, flavour?: Flavour) {
  const { head, lines } = writerOf(format, flavour);
  let text = head;
  for await (const pair of pairs) {
    text += lines(pair);
    if (text.length < chunkBytes) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}
