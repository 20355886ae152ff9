// Words of a search, marked wherever they stand on the page without touching what draws it: the CSS Custom Highlight API.
import { useEffect } from 'react';

/** Texts that are looked through; a page that shows more marks the first of them. */
const mostTexts = 4000;

/** Words of a search; those between quotation marks are one. */
export const wordsOf = (q: string): string[] =>
  Array.from(q.matchAll(/"([^"]*)"|[^\s"]+/g), ([whole, quoted]) => (quoted?.trim() ?? whole).toLowerCase()).filter(
    (word) => word !== '',
  );

function rangesIn(place: Element, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < mostTexts && texts.nextNode(); count++) {
    const node = texts.currentNode as Text;
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length) continue;
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

/** Marks the words in what a selector names, also in what is drawn later. A browser without highlights shows none. */
export function useMarkedWords(selector: string, q: string) {
  useEffect(() => {
    const highlights = globalThis.CSS?.highlights;
    const words = wordsOf(q);
    const root = document.querySelector('.run-body');
    if (!highlights || words.length === 0 || !root) return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      const places = [...document.querySelectorAll(selector)];
      highlights.set('found', new Highlight(...places.flatMap((place) => rangesIn(place, words))));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(mark);
    };
    soon();
    const changes = new MutationObserver(soon);
    changes.observe(root, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      cancelAnimationFrame(frame);
      highlights.delete('found');
    };
  }, [selector, q]);
}
