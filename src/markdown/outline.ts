// What a text is made of: its sections in words, for indexes, and the addresses that it links to.
import { longest, oneLine, parser, wordsIn } from './render.ts';

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
  let isHeading = false;
  for (const token of parser.parse(markdown, {})) {
    if (token.type === 'heading_close') isHeading = false;
    if (token.type === 'heading_open') {
      isHeading = true;
      sections.push({ heading: '', words: [] });
    }
    const section = sections.at(-1) as { heading: string; words: string[] };
    const words = wordsIn(token);
    if (isHeading) section.heading += words;
    else section.words.push(words, ' ');
    for (const child of token.children ?? []) {
      const href = child.type === 'link_open' ? child.attrGet('href') : null;
      if (href) links.add(String(href));
    }
  }
  return {
    sections: sections
      .map(({ heading, words }) => ({ heading: oneLine(heading), text: oneLine(words.join('')) }))
      .filter(({ heading, text }) => heading !== '' || text !== ''),
    links: [...links],
  };
}
