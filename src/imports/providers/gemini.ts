// Gemini: the activity that Takeout exports, a list of what was asked with its answers, the newest first. Activities have
// no conversation, so those that follow each other soon are one.

import { type Dict, dictOf, isDict, listOf, textOf, timeOf } from '../fields.ts';
import { htmlText } from '../html-text.ts';
import type { Format } from '../shapes.ts';
import { createSittings, promptOf } from '../sittings.ts';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) && 'header' in value && 'title' in value && 'time' in value;
const isGemini = (value: Dict) => /gemini|bard/i.test([value.header, ...listOf(value.products)].join(' '));

export const gemini: Format = {
  provider: 'Gemini',
  name: 'gemini-takeout-json',
  takes: ({ key, value }) => key === null && isOwn(value) && isGemini(value),
  open: () => {
    const sittings = createSittings();
    return {
      *read({ value }) {
        if (!isOwn(value)) return;
        const [prompt, at] = [promptOf(textOf(value.title) ?? ''), timeOf(value.time)];
        const html = listOf(value.safeHtmlItem).map((one) => textOf(dictOf(one).html) ?? '');
        const attached = [value.imageFile, value.attachedFiles].flat().filter(Boolean).length > 0 ? '\n[file]' : '';
        yield* sittings.add({ prompt: prompt + attached, answer: htmlText(html.join('\n')), at });
      },
      end: () => sittings.end(),
    };
  },
};
