// Finds tokens in the long unbroken runs of a text: keys of known vendors, JWTs, and what looks drawn by lot.
import { bitsPerCharacter, looksDrawn, turnsOf } from './checks.ts';
import { type Finding, finding } from './findings.ts';
import { shapes } from './vendors.ts';

/**
 * Runs of what tokens are made of; the shortest token of the shapes has 16 characters. One that is too short is looked at
 * once, not from each of its characters again.
 */
const runs = /(?<![A-Za-z0-9_.+/=~$:%-])[A-Za-z0-9_.+/=~$:%-]{16,}/g;
/** A token begins where no letter or digit is before it, but for those of `%3D`. */
const boundary = '(?<=^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2})';
/** A JWT begins a run: each run is read once in search of its dots. */
const jwt =
  '(?<![A-Za-z0-9_-]{2})eyJ[A-Za-z0-9_-]{8,4096}\\.(?:eyJ[A-Za-z0-9_-]{6,}(?:\\.[A-Za-z0-9_-]*)?|[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]+){3})';
/** All shapes in one expression: the group that matched says which. */
const sources = shapes.map(({ source }) => `(${source})`).join('|');

export function createTokenFinder(): (text: string) => Finding[] {
  const known = new RegExp(`${boundary}(?:(${jwt})|${sources})`, 'g');
  return (text) => {
    const found: Finding[] = [];
    for (const { index, 0: run } of text.matchAll(runs))
      if (!readKnown(known, text, index, index + run.length, found))
        found.push(...unknownIn(text, index, index + run.length));
    return found;
  };
}

/** Finds tokens of known vendors in one run; what is before it belongs to its boundary. */
function readKnown(known: RegExp, text: string, start: number, end: number, found: Finding[]): boolean {
  const offset = Math.max(0, start - 3);
  let any = false;
  for (const match of text.slice(offset, end).matchAll(known)) {
    const [token, asJwt] = match;
    const at = offset + match.index;
    if (asJwt !== undefined) found.push(finding('Jwt', at, at + token.length));
    else {
      const which = match.findIndex((group, index) => index > 1 && group !== undefined) - 2;
      const shape = shapes[which];
      if (!shape || (shape.drawn && !looksDrawn(token.slice(3)))) continue;
      found.push(finding('ApiKey', at, at + token.length, shape.label));
    }
    any = true;
  }
  return any;
}

/** A token of no known vendor, as text has it: between blanks, quotes and brackets, or a value after `=` and `:`. */
const unknown = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{28,160}={0,2}(?![A-Za-z0-9+/_=-])/g;

function* unknownIn(text: string, start: number, end: number): Generator<Finding> {
  for (const match of text.slice(start, end).matchAll(unknown)) {
    const from = start + match.index;
    if (/^sha\d{1,3}-/i.test(match[0]) || isDigest(text, from) || !isRandom(match[0])) continue;
    yield finding('UnknownSecret', from, from + match[0].length);
  }
}

/** Digests of packages and files, and data that stands inside of a text, are no secrets. */
const digestBefore = /(?:sha\d{1,3}[-:]|base64,|integrity["']?[:=] ?["']?|https?:\/\/\S{0,200})$/i;
const isDigest = (text: string, at: number) => digestBefore.test(text.slice(Math.max(0, at - 64), at));

function isRandom(token: string): boolean {
  if (!/[a-z]/.test(token) || !/[A-Z]/.test(token)) return false;
  // Paths and names are words with marks between them.
  const letters = token.replace(/[^A-Za-z0-9]/g, '');
  const digits = token.replace(/\D/g, '').length;
  if (digits < 2 || letters.length < 26 || token.split('/').length > 4 || token.split(/[-_]/).length > 5) return false;
  return turnsOf(letters) > 0.38 && bitsPerCharacter(letters) > 3.8;
}
