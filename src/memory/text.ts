// Text of a memory for the indexes, with a header on its subject and date.
import type { Remembered } from './ports.ts';

const months = 'January February March April May June July August September October November December'.split(' ');

/** Date as people write it, e.g. `7 May 2023`. */
export const dayOf = (at: Date) => `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;

/** Text to embed and index. The title names the subject; the day is in words, since questions name days. */
export function indexedText({
  title,
  content,
  createdAt,
}: Pick<Remembered, 'title' | 'content' | 'createdAt'>): string {
  return `${title}, ${dayOf(createdAt)}: ${content}`;
}
