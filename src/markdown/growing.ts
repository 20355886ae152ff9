// A text that grows, as a reply does while it streams: what is whole is kept, and only its last blocks are parsed again.
import type { TreeOptions } from './build.ts';
import type { Node } from './nodes.ts';
import { blocksOf } from './tree.ts';

/** Makes trees of one text as it grows: blocks that are whole are the same objects as before. */
export function growingTree(options: TreeOptions = {}): (text: string) => readonly Node[] {
  /** The beginning that is not parsed again, and what it is. */
  let kept = '';
  let before: readonly Node[] = [];
  let known: { text: string; nodes: readonly Node[] } = { text: '', nodes: [] };
  return (text) => {
    if (known.text === text) return known.nodes;
    if (!text.startsWith(kept)) {
      kept = '';
      before = [];
    }
    const { nodes, whole } = blocksOf(text.slice(kept.length), options);
    known = { text, nodes: [...before, ...nodes] };
    before = [...before, ...nodes.slice(0, whole.count)];
    kept = text.slice(0, kept.length + whole.end);
    return known.nodes;
  };
}
