// Folders of chats as a tree, made of the paths that chats have.
import type { ChatLabelDto } from '../../../client/index.ts';

export interface Folder {
  path: string;
  /** The last name of its path. */
  name: string;
  /** Chats that lie in it itself. */
  own: number;
  /** Chats of the folder and of all folders below. */
  all: number;
  below: Folder[];
}

export function folderTree(labels: readonly ChatLabelDto[]): Folder[] {
  const roots: Folder[] = [];
  for (const { name: path, count } of labels) {
    let siblings = roots;
    const names = path.split('/');
    for (const [depth, name] of names.entries()) {
      let found = siblings.find((one) => one.name === name);
      if (!found) {
        found = { path: names.slice(0, depth + 1).join('/'), name, own: 0, all: 0, below: [] };
        siblings.push(found);
      }
      found.all += count;
      if (depth === names.length - 1) found.own += count;
      siblings = found.below;
    }
  }
  return sorted(roots);
}

const sorted = (folders: Folder[]): Folder[] =>
  folders.sort((a, b) => a.name.localeCompare(b.name)).map((one) => ({ ...one, below: sorted(one.below) }));
