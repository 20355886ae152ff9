// Fills the variables of a prompt's text in, within bounds.
import { Fault } from '../../kernel/fault.ts';
import { piecesOf, type Variable, variablesIn } from '../../prompts/variables.ts';

/** Variables of a text. */
const mostVariables = 20;
/** Characters of a filled text. */
const longestFilled = 200_000;

/** @throws Fault VALIDATION_FAILED */
export function checkText(text: string): string {
  const count = variablesIn(text).length;
  if (count <= mostVariables) return text;
  throw new Fault('VALIDATION_FAILED', `The text has ${count} variables, and may have ${mostVariables}.`, {
    field: 'text',
    hint: 'Put some of them together, or make two prompts.',
  });
}

/** @throws Fault VALIDATION_FAILED, which names what is wrong or missing */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  const variables = variablesIn(text);
  const names = variables.map(({ name }) => name);
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrong(`The prompt has no variable "${unknown}".`, `It has ${names.join(', ') || 'none'}.`);
  const filled = new Map(variables.map((one) => [one.name, filledWith(one, values)]));
  const missing = names.filter((name) => filled.get(name) === null);
  if (missing.length > 0)
    throw wrong(`The prompt needs ${missing.join(', ')}.`, `Send values: { "${missing[0]}": "…" }.`);
  const pieces = piecesOf(text).map((piece) => ('text' in piece ? piece.text : (filled.get(piece.variable) ?? '')));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > longestFilled)
    throw wrong(`The filled text has ${length} characters, and may have ${longestFilled}.`, 'Fill in less.');
  return pieces.join('');
}

function filledWith(
  { name, choices, default: usual }: Variable,
  values: Readonly<Record<string, string>>,
): string | null {
  const value = Object.hasOwn(values, name) ? (values[name] as string) : usual;
  if (value !== null && choices.length > 0 && !choices.includes(value))
    throw wrong(`"${value.slice(0, 100)}" is no choice of ${name}.`, `Choose one of ${choices.join(', ')}.`);
  return value;
}

const wrong = (message: string, hint: string) => new Fault('VALIDATION_FAILED', message, { field: 'values', hint });
