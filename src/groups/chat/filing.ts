// How chats are filed: folders and tags from elsewhere, and what becomes of a folder when one has another name.
import { contains } from '../../ports/db.ts';
import { folder, mostTags, tag } from './contract.ts';

/** Tags as they are kept, each between ends of lines. */
export const tagText = (names: readonly string[]): string => (names.length > 0 ? `\n${names.join('\n')}\n` : '');

export const tagsIn = (text: string | undefined): string[] => text?.split('\n').filter((name) => name !== '') ?? [];

/** What chats with a tag meet. */
export const hasTag = (name: string) => ({ tagText: { $regex: contains(tagText([name])), $options: 'i' as const } });

/** A folder and tags from elsewhere, as far as they are within the limits. */
export function filedAs(said: { folder: string | null; tags: readonly string[] }) {
  const path = folder.safeParse(said.folder ?? '').data;
  const names = said.tags.flatMap((one) => tag.safeParse(one).data ?? []);
  return { folder: path || null, tagText: tagText([...new Set(names)].slice(0, mostTags)) };
}

/** The path of a folder after another one, it or one above it, has got another name; none by an empty name. */
export function movedFolder(path: string, from: string, to: string): string | null {
  if (path !== from && !path.startsWith(`${from}/`)) return path;
  return to === '' ? null : `${to}${path.slice(from.length)}`;
}
