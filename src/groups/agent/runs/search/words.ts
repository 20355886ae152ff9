// Words that are looked for in an event: where they stand, in its texts and in what its payload says.
import type { AgentEvent } from '../../../../../runtime/records.ts';
import { Fault } from '../../../../kernel/fault.ts';
import type { AgentEventHitDto } from './dto.ts';

type Excerpt = AgentEventHitDto['excerpts'][number];

const mostWords = 8;
/** Length of an excerpt in characters, and how many of them stand before its first word. */
const excerptChars = 200;
const lead = 60;
/** Objects and lists in one another, and JSON as text within JSON, up to which a payload is read. */
const deepest = 8;

/**
 * The words of a query in lower case; those between quotation marks are one. Every one of them must be in an event.
 *
 * @throws Fault VALIDATION_FAILED for none, too many, and a mark without a second one
 */
export function soughtWords(q: string): string[] {
  const refuse = (message: string, hint: string) => new Fault('VALIDATION_FAILED', message, { hint });
  if ((q.match(/"/g)?.length ?? 0) % 2 === 1)
    throw refuse('q has a quotation mark without a second one.', 'Put both around the words that stand together.');
  const words = Array.from(q.matchAll(/"([^"]*)"|[^\s"]+/g), ([whole, quoted]) => folded(quoted?.trim() ?? whole));
  const found = [...new Set(words)].filter((word) => word !== '');
  if (found.length === 0) throw refuse('q has no words.', 'Leave q out to look for types and times alone.');
  if (found.length > mostWords)
    throw refuse(`q has ${found.length} words, of ${mostWords} at most.`, 'Leave some out, or put a phrase in quotes.');
  return found;
}

/** In lower case, with each character where it was. */
function folded(text: string): string {
  const low = text.toLowerCase();
  if (low.length === text.length) return low;
  return Array.from(text, (one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join('');
}

/** Excerpts that show every word once, or null where a word is missing. */
export function excerptsOf(event: AgentEvent, words: readonly string[]): Excerpt[] | null {
  const missing = new Set(words);
  const excerpts: Excerpt[] = [];
  for (const [field, text] of textsOf(event)) {
    const low = folded(text);
    const places = [...missing].map((word) => low.indexOf(word)).filter((at) => at >= 0);
    if (places.length === 0) continue;
    const from = Math.max(0, Math.min(...places) - lead);
    const to = Math.min(text.length, from + excerptChars);
    const marks = marksIn(low, words, from, to);
    const seen = new Set(marks.map(({ at, length }) => low.slice(at, at + length)));
    // A word that stands further on is in the event all the same.
    for (const word of missing) if (seen.has(word) || low.includes(word)) missing.delete(word);
    excerpts.push({
      field,
      text: `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`,
      marks: marks.map(({ at, length }) => ({ at: at - from + (from > 0 ? 1 : 0), length })),
    });
    if (missing.size === 0) return excerpts;
  }
  return missing.size === 0 ? excerpts : null;
}

/** Places of the words between two places, none over another. */
function marksIn(low: string, words: readonly string[], from: number, to: number) {
  const all = words.flatMap((word) => {
    const found: { at: number; length: number }[] = [];
    for (let at = low.indexOf(word, from); at >= 0 && at + word.length <= to; at = low.indexOf(word, at + word.length))
      found.push({ at, length: word.length });
    return found;
  });
  all.sort((a, b) => a.at - b.at || b.length - a.length);
  let end = from;
  return all.filter(({ at, length }) => {
    if (at < end) return false;
    end = at + length;
    return true;
  });
}

/** What an event says, by name: what is shown of it first. */
function* textsOf(event: AgentEvent): Generator<[field: string, text: string]> {
  yield ['title', event.title];
  if (event.message !== null) yield ['message', event.message];
  if (event.toolName !== null) yield ['tool', event.toolName];
  if (event.modelId !== null) yield ['model', event.modelId];
  if (event.payloadJson !== null) yield* leaves('payload', event.payloadJson, 0);
}

/** Values of a payload by the name of their field; JSON that is kept as text is read, too. */
function* leaves(field: string, value: unknown, depth: number): Generator<[field: string, text: string]> {
  if (value === null || value === undefined) return;
  if (typeof value === 'string') {
    const inner = depth < deepest ? parsed(value) : undefined;
    if (inner === undefined) yield [field, value];
    else yield* leaves(field, inner, depth + 1);
  } else if (typeof value !== 'object') yield [field, String(value)];
  else if (depth >= deepest) yield [field, JSON.stringify(value)];
  else if (Array.isArray(value)) for (const one of value) yield* leaves(field, one, depth + 1);
  else for (const [name, one] of Object.entries(value)) yield* leaves(name, one, depth + 1);
}

/** The object or list that a text is as JSON; undefined for any other text. */
function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
