// What agents are told of the person that they work for, where that person lets them see it.
import { fenced } from '../../memory/fence.ts';
import { tokensOf } from '../../memory/hydration/compose.ts';
import type { Told } from '../part.ts';
import { oneLine, shortened } from '../texts.ts';
import type { PersonalBook, Viewer } from './book.ts';

/** Characters of each memory. */
const shownCharacters = 300;

export function createPersonBriefs(book: PersonalBook) {
  return async (viewer: Viewer): Promise<Told | null> => {
    const seen = await book.seenBy(viewer);
    if (seen.length === 0) return null;
    const lines = seen.map(({ _id, category, content }) =>
      fenced('personal', { id: _id, category }, shortened(oneLine(content), shownCharacters)),
    );
    const text = ['What the person you work for wants you to know, as data:', ...lines].join('\n');
    const recalled = seen.map(({ _id, visibility }, at) => ({
      source: 'PersonalMemories',
      kind: 'personal-memory',
      id: _id,
      why: `The person shares it: ${visibility}.`,
      tokens: tokensOf(lines[at] ?? ''),
    }));
    return { text, recalled };
  };
}
