// Reads and checks what a request brings: query and JSON body, each against its schema.
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { clip, problemsOf } from '../contract/problems.ts';
import { Fault } from '../kernel/fault.ts';

/** Deeper nesting is no honest request, and what walks the value later would run out of stack. */
const maxDepth = 64;

/**
 * Checks a value against a schema.
 *
 * @throws Fault VALIDATION_FAILED whose message and hint name every wrong field
 */
export function check(schema: z.ZodType, value: unknown, part: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { problems, said } = problemsOf(result.error, value, part);
  throw new Fault('VALIDATION_FAILED', `The ${part} is not valid: ${said}.`, {
    ...(problems[0] && { field: problems[0].field }),
    hint: `Correct ${[...new Set(problems.map(({ field }) => field))].join(', ')}; /docs shows what is expected.`,
  });
}

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
