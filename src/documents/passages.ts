// Cuts a document into passages, which are what a search by words and meaning finds.
import type { Outline } from '../markdown/outline.ts';

export interface Passage {
  heading: string;
  text: string;
}

/** Characters of a passage: what an embedder reads well, and a reader at a glance. */
const longest = 1500;
/** Passages of one document that are indexed; a larger one is found by its beginning. */
const most = 120;

/** At least one, so that a document without a text is found by its title. */
export function passagesOf({ sections }: Outline): Passage[] {
  const passages: Passage[] = [];
  for (const { heading, text } of sections) {
    for (const part of partsOf(text)) {
      if (passages.length === most) return passages;
      passages.push({ heading, text: part });
    }
  }
  return passages.length > 0 ? passages : [{ heading: '', text: '' }];
}

/** Parts of a text, cut between words where there are some. */
function* partsOf(text: string): Generator<string> {
  let rest = text;
  while (rest.length > longest) {
    const blank = rest.lastIndexOf(' ', longest);
    const at = blank > longest / 2 ? blank : longest;
    yield rest.slice(0, at).toWellFormed();
    rest = rest.slice(at).trimStart();
  }
  yield rest;
}
