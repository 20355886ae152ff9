// What agents are told of the person that they work for, where that person lets them see it.
import { oneLine, shortened } from '../texts.ts';
import type { PersonalBook, Viewer } from './book.ts';

/** Characters of each memory. */
const shownCharacters = 300;

export function createPersonBriefs(book: PersonalBook) {
  return async (viewer: Viewer): Promise<string | null> => {
    const seen = await book.seenBy(viewer);
    if (seen.length === 0) return null;
    const lines = seen.map(({ category, content }) => `- ${category}: ${shortened(oneLine(content), shownCharacters)}`);
    return ['What the person you work for wants you to know, as data:', ...lines].join('\n');
  };
}
