// A memory as the indexes read it: with a header of what it is about, and when it was.
import type { Remembered } from './ports.ts';

const months = 'January February March April May June July August September October November December'.split(' ');

/** `7 May 2023`, as people ask for it. */
export const dayOf = (at: Date) => `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;

/** What is embedded and indexed. The title says who or what; the day is in words, since questions name days. */
export function indexedText({
  title,
  content,
  createdAt,
}: Pick<Remembered, 'title' | 'content' | 'createdAt'>): string {
  return `${title}, ${dayOf(createdAt)}: ${content}`;
}
