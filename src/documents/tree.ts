// The tree of a project's documents from a flat list, whatever state the list is in.

export interface Leaf {
  _id: number;
  parentDocId: number | null;
  orderKey: string;
}

export type Branch<Doc> = { doc: Doc; children: Branch<Doc>[] };

/** By place, then by id: the one order that everybody sees. */
export const inOrder = (a: Leaf, b: Leaf): number =>
  a.orderKey < b.orderKey ? -1 : a.orderKey > b.orderKey ? 1 : a._id - b._id;

/**
 * Roots with their children, in order. What stands below something that is not in the list, because the reader may not
 * see it or it is gone, comes to the top, and so does one of a circle: nothing is lost and nothing repeats.
 */
export function treeOf<Doc extends Leaf>(docs: readonly Doc[]): Branch<Doc>[] {
  const branches = new Map(docs.map((doc) => [doc._id, { doc, children: [] as Branch<Doc>[] }]));
  const roots: Branch<Doc>[] = [];
  for (const branch of [...branches.values()].sort((a, b) => inOrder(a.doc, b.doc))) {
    const parent = branch.doc.parentDocId === null ? undefined : branches.get(branch.doc.parentDocId);
    if (parent && !isBelow(branch.doc, branch.doc.parentDocId as number, branches)) parent.children.push(branch);
    else roots.push(branch);
  }
  return roots;
}

/** Whether the way up from `id` comes by the document itself, or in a circle. */
function isBelow<Doc extends Leaf>(doc: Doc, id: number, branches: ReadonlyMap<number, Branch<Doc>>): boolean {
  const seen = new Set<number>();
  for (let at: number | null = id; at !== null && branches.has(at); ) {
    if (at === doc._id || seen.has(at)) return true;
    seen.add(at);
    at = branches.get(at)?.doc.parentDocId ?? null;
  }
  return false;
}
