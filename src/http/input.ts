// Reads and checks what a request brings: query and JSON body, each against its schema.
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { Fault } from '../kernel/fault.ts';

/** Deeper nesting is no honest request, and what walks the value later would run out of stack. */
const maxDepth = 64;
/** Fields named in a refusal at most. */
const namedFields = 8;

/**
 * Checks a value against a schema.
 *
 * @throws Fault VALIDATION_FAILED whose message and hint name every wrong field
 */
export function check(schema: z.ZodType, value: unknown, part: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describe(issue, part, value));
  const shown = problems.slice(0, namedFields);
  const more = problems.length > shown.length ? ` and ${problems.length - shown.length} more` : '';
  throw new Fault(
    'VALIDATION_FAILED',
    `The ${part} is not valid: ${shown.map(({ field, message }) => `${field}: ${message}`).join('; ')}${more}.`,
    {
      ...(shown[0] && { field: shown[0].field }),
      hint: `Correct ${[...new Set(shown.map(({ field }) => field))].join(', ')}; /docs shows what is expected.`,
    },
  );
}

function describe(issue: z.core.$ZodIssue, part: string, value: unknown): { field: string; message: string }[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: clip(at ? `${at}.${key}` : key || '""'),
      message: 'is not a known field',
    }));
  const message = isMissing(issue, value) ? missing(issue.message) : bounded(issue.message);
  return [{ field: clip(at || part), message: clip(message, 200) }];
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

const clip = (text: string, length = 60) => (text.length > length ? `${text.slice(0, length)}…` : text);

/**
 * Parses a JSON body; an empty one is undefined.
 *
 * @throws Fault BAD_REQUEST for text that is not JSON, UNSUPPORTED_MEDIA_TYPE for another type
 */
export function parseJson(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (contentType !== undefined && !/^application\/([\w.-]+\+)?json\b/i.test(contentType))
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', `${clip(contentType)} is not accepted here.`, {
      hint: 'Send JSON with Content-Type: application/json.',
    });
  // Otherwise bytes that are no UTF-8 would silently become replacement characters.
  if (!isUtf8(bytes)) throw new Fault('BAD_REQUEST', 'The body is not valid UTF-8.', { hint: 'Encode JSON as UTF-8.' });
  const value = parsed(bytes);
  if (isDeep(value, maxDepth))
    throw new Fault('BAD_REQUEST', `The body is nested more than ${maxDepth} levels deep.`, { hint: 'Flatten it.' });
  return value;
}

/** A body comes as it is: unpacked it could be far larger than what was sent. @throws Fault UNSUPPORTED_MEDIA_TYPE */
export function refuseCompressed(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || /^\s*(identity)?\s*$/i.test(contentEncoding)) return;
  throw new Fault('UNSUPPORTED_MEDIA_TYPE', `A body in ${clip(contentEncoding)} is not accepted here.`, {
    hint: 'Send it uncompressed, without Content-Encoding.',
  });
}

export const isForm = (contentType: string | undefined): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '');

/**
 * Parses a form body; every field is a text.
 *
 * @throws Fault BAD_REQUEST for bytes that are no UTF-8, and for a field that comes twice
 */
export function parseForm(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) throw new Fault('BAD_REQUEST', 'The body is not valid UTF-8.', { hint: 'Encode it as UTF-8.' });
  const pairs = [...new URLSearchParams(bytes.toString('utf8'))];
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length)
    throw new Fault('BAD_REQUEST', 'A field comes twice in the body.', { hint: 'Send each field once.' });
  return Object.fromEntries(pairs);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new Fault('BAD_REQUEST', 'The body is not valid JSON.', { hint: 'Check quotes and commas.', cause });
  }
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}
