// Path templates: their segments and the reading of parameters from a request's path.
import { Fault } from '../kernel/fault.ts';
import { restParams, textParams } from './operation.ts';

export type Segment = { kind: 'literal'; text: string } | { kind: 'int64' | 'text' | 'rest'; name: string };

const texts: ReadonlySet<string> = new Set(textParams);
const rests: ReadonlySet<string> = new Set(restParams);
/** Characters of a path parameter that is text. */
export const maxTextLength = 500;

/** Segments of a template such as `/api/agent/runs/{id}`. */
export function segmentsOf(template: string): Segment[] {
  return template
    .split('/')
    .slice(1)
    .map((text) => {
      const name = /^\{(\w+)\}$/.exec(text)?.[1];
      if (name) return { kind: rests.has(name) ? 'rest' : texts.has(name) ? 'text' : 'int64', name };
      if (/[{}]/.test(text) || text === '') throw new Error(`${template}: a segment is empty or half a parameter`);
      return { kind: 'literal', text };
    });
}

/** True for text that an int64 parameter can match: digits only. */
export function isDigits(text: string): boolean {
  if (text.length === 0 || text.length > 19) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/**
 * The value of one path parameter.
 *
 * @throws Fault VALIDATION_FAILED for an integer beyond 2^53 or over-long text, BAD_REQUEST for broken percent-encoding
 */
export function readParam(name: string, kind: 'int64' | 'text' | 'rest', raw: string): number | string {
  if (kind === 'int64') {
    const value = Number(raw);
    if (Number.isSafeInteger(value)) return value;
    throw new Fault('VALIDATION_FAILED', `${name} is too large.`, { hint: `${name}: a whole number up to 2^53 - 1.` });
  }
  const value = decode(name, raw);
  if (value.length > maxTextLength || value.includes('\0'))
    throw new Fault('VALIDATION_FAILED', `${name} is not usable.`, {
      hint: `${name}: at most ${maxTextLength} characters, none of them NUL.`,
    });
  return value;
}

function decode(name: string, raw: string): string {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch (cause) {
    throw new Fault('BAD_REQUEST', `${name} in the path is not valid percent-encoded UTF-8.`, {
      hint: 'Encode path segments as encodeURIComponent does.',
      cause,
    });
  }
}
