// Facts that a person told in conversations, found as the graph finds relations in memories: names with a plain verb
// between them.
import { extract, nameKey } from '../../memory/graph/extract.ts';

/** A fact as it was told, the last time in one conversation. */
export interface ToldFact {
  key: string;
  value: string;
  /** Grows with the number of times it was told. */
  confidence: number;
  conversationId: number;
}

export interface Telling {
  text: string;
  /** Null where the archive does not say. */
  at: Date | null;
  conversationId: number;
}

/** Relations that hold with one thing at a time: the last one told counts. Of the others all things are listed. */
const single = new Set(['located_in', 'works_for', 'is_a', 'part_of', 'runs_on']);
/** Limits that keep the memory of a reading flat. */
const mostKeys = 5000;
const mostValues = 20;
const valueLength = 8000;
const keyLength = 200;

const fences = /```[\s\S]*?(?:```|$)/g;
const quotes = /^[ \t]*>.*$/gm;
const sentences = /[^.!?\n]+(?:[.!?]+(?=\s|$)|[.!?]|\n|$)/g;
/** What is asked or supposed is not told. */
const supposed =
  /\?\s*$|^\W*(?:if|suppose|supposing|imagine|assume|assuming|pretend|what if|let[’']s say|act as|say|unless|maybe|perhaps|whether)\b/i;

/** What a message states: without code, quotations, questions and suppositions; its writer is called User. */
function statedIn(text: string): string {
  const plain = text.replace(fences, '\n').replace(quotes, '');
  const stated = (plain.match(sentences) ?? []).filter((one) => !supposed.test(one.trim()));
  return stated
    .join(' ')
    .replace(/\b(?:I am|I[’']m)\b/g, 'User is')
    .replace(/\bI\b(?![’'/.-])/g, 'User');
}

interface Value {
  name: string;
  at: number;
  times: number;
  conversationId: number;
}

/** Gathers facts from messages in any order; `facts` answers what they told. */
export function createToldFacts() {
  const keys = new Map<string, Map<string, Value>>();
  let order = 0;

  const note = (key: string, name: string, { at, conversationId }: Telling) => {
    const values = keys.get(key) ?? new Map<string, Value>();
    if (!keys.has(key) && keys.size >= mostKeys) return;
    keys.set(key, values);
    const same = values.get(nameKey(name));
    if (!same && values.size >= mostValues) return;
    // Messages without a time count as told in the order in which they are read, before all that have one.
    const value = { name, at: at?.getTime() ?? ++order, times: (same?.times ?? 0) + 1, conversationId };
    values.set(nameKey(name), same && same.at > value.at ? { ...same, times: value.times } : value);
  };

  return {
    read(telling: Telling): void {
      for (const { from, relation, to } of extract(statedIn(telling.text)).relations) {
        const key = `${nameKey(from).replaceAll(' ', '-')}.${relation}`;
        if (key.length <= keyLength) note(key, to, telling);
      }
    },
    *facts(): Generator<ToldFact> {
      for (const [key, values] of keys) {
        const all = [...values.values()].sort((one, other) => one.at - other.at);
        const last = all.at(-1) as Value;
        const kept = single.has(key.slice(key.lastIndexOf('.') + 1)) ? [last] : all;
        // The same things are the same value, in whatever order they were told.
        const names = kept.map(({ name }) => name).sort((one, other) => (one < other ? -1 : 1));
        const value = names.join(', ');
        const times = Math.max(...kept.map((one) => one.times));
        const confidence = Math.min(0.9, 0.4 + 0.1 * times);
        if (value.length <= valueLength) yield { key, value, confidence, conversationId: last.conversationId };
      }
    },
  };
}
