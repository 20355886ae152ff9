// Says what a schema has against a value in plain words, the same over HTTP and over sockets.
import type { z } from 'zod';

export interface Problem {
  /** Where it is, e.g. `tools.0.name`. */
  field: string;
  message: string;
}

/** Fields named in a refusal at most. */
const namedFields = 8;

/**
 * What is wrong with a value, at most eight of its fields, and how many more there are.
 *
 * `whole` is what the value itself is called; `within` is put before the names of its fields.
 */
export function problemsOf(
  { issues }: z.ZodError,
  value: unknown,
  whole: string,
  within = '',
): { problems: Problem[]; said: string } {
  const all = issues.flatMap((issue) => describe(issue, whole, within, value));
  const problems = all.slice(0, namedFields);
  const more = all.length > problems.length ? ` and ${all.length - problems.length} more` : '';
  return { problems, said: problems.map(({ field, message }) => `${field}: ${message}`).join('; ') + more };
}

function describe(issue: z.core.$ZodIssue, whole: string, within: string, value: unknown): Problem[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: clip(within + (at ? `${at}.${key}` : key || '""')),
      message: 'is not a known field',
    }));
  const message = isMissing(issue, value) ? missing(issue.message) : bounded(issue.message);
  return [{ field: clip(at ? within + at : whole), message: clip(message, 200) }];
}

const isMissing = ({ path }: z.core.$ZodIssue, value: unknown): boolean =>
  path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], value) === undefined;

const bounds: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

/** `Too small: expected string to have >=1 characters`, in words. */
function bounded(message: string): string {
  const found = /^Too (?:small|big): expected \w+ to (be|have) ([<>]=?)(\S+)(?: (\w+?)s?)?$/.exec(message);
  if (!found) return message;
  const [, verb, sign = '', bound, unit] = found;
  return `must ${verb} ${bounds[sign]} ${bound}${unit ? ` ${unit}${bound === '1' ? '' : 's'}` : ''}`;
}

/** What a schema says of `undefined`, in words; texts of our own schemas stay. */
function missing(message: string): string {
  if (!/^Invalid (input|option|discriminator value)\b/.test(message)) return message;
  const [, choice] = /expected (one of .+|".*")$/.exec(message) ?? [];
  return choice ? `is missing (expected ${choice})` : 'is missing';
}

/** A text that is cut where it is longer. */
export const clip = (text: string, length = 60) => (text.length > length ? `${text.slice(0, length)}…` : text);
