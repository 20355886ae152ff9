// Finds texts that say nearly the same among many, without comparing each with each: MinHash in bands (Broder 1997).
import { sameSaid } from '../../../memory/duplicates.ts';
import { wordsOf } from '../../../memory/recall/words.ts';

/** Sixteen bands of four: texts with nine words in ten in common meet in one of them with a chance of 99.999 %. */
const [bands, rows] = [16, 4];
/** Share of common words from which two texts are doubles. */
const alike = 0.9;

/** FNV-1a, of 32 bits. */
function hashOf(word: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A further hash of each word for each row, made of two (Kirsch and Mitzenmacher 2006). */
function bandsOf(text: string): string[] {
  const least = new Uint32Array(bands * rows).fill(0xffffffff);
  for (const word of new Set(wordsOf(text))) {
    const [a, b] = [hashOf(word, 0x811c9dc5), hashOf(word, 0x9747b28c) | 1];
    for (let at = 0; at < least.length; at++) {
      const hash = (a + Math.imul(at, b)) >>> 0;
      if (hash < (least[at] as number)) least[at] = hash;
    }
  }
  return Array.from({ length: bands }, (_, band) => `${band}:${least.slice(band * rows, (band + 1) * rows).join()}`);
}

/** Remembers texts; says of a further one whether something nearly the same was there. */
export function createNearness() {
  const seen = new Map<string, string[]>();
  return {
    /** True when it was new, and is remembered. */
    add(text: string): boolean {
      const keys = bandsOf(text);
      const candidates = new Set(keys.flatMap((key) => seen.get(key) ?? []));
      for (const other of candidates) if (other === text || sameSaid(other, text) >= alike) return false;
      for (const key of keys) seen.set(key, [...(seen.get(key) ?? []), text]);
      return true;
    },
  };
}
