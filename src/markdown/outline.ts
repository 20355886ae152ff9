// What a text is made of: its sections in words, for indexes, and the addresses that it links to.
import { longest } from './limits.ts';
import { isElement, isWithinLine, type Node, wordsOf } from './nodes.ts';
import { oneLine } from './render.ts';
import { treeOf } from './tree.ts';

export interface Section {
  /** The heading above it; empty before the first one. */
  heading: string;
  /** Its words without their signs. */
  text: string;
}

export interface Outline {
  sections: Section[];
  /** As they are written, each once. */
  links: string[];
}

/** Characters of a text that is too long to be parsed, of which the words are still worth finding. */
const looked = 200_000;

/** @example outlineOf('# A\n\nb [c](d.md)') // { sections: [{ heading: 'A', text: 'b c' }], links: ['d.md'] } */
export function outlineOf(markdown: string): Outline {
  if (markdown.length > longest)
    return { sections: [{ heading: '', text: oneLine(markdown.slice(0, looked).toWellFormed()) }], links: [] };
  const sections: { heading: string; words: string[] }[] = [{ heading: '', words: [] }];
  const links = new Set<string>();
  const inSection = (words: string) => sections.at(-1)?.words.push(words);
  const walk = (nodes: readonly Node[], put: (words: string) => unknown): void => {
    for (const node of nodes) {
      if (!isElement(node)) {
        put(wordsOf([node]));
        continue;
      }
      if (node.href && !node.isImage) links.add(node.href);
      if (/^h[1-6]$/.test(node.tag)) {
        const section = { heading: '', words: [] };
        sections.push(section);
        walk(node.children, (words) => {
          section.heading += words;
        });
      } else {
        walk(node.children, put);
        if (!isWithinLine(node)) put(' ');
      }
    }
  };
  walk(treeOf(markdown), inSection);
  return {
    sections: sections
      .map(({ heading, words }) => ({ heading: oneLine(heading), text: oneLine(words.join('')) }))
      .filter(({ heading, text }) => heading !== '' || text !== ''),
    links: [...links],
  };
}
