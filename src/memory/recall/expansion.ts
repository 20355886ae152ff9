// Expansion of hits along links: lent scores, and memories that no leg found.
import { lending } from '../constants.ts';
import type { Documents, Link, Looks, Ranked } from '../ports.ts';
import type { Fused } from './fuse.ts';
import { type Lent, lend } from './neighbours.ts';

interface Hits extends Looks {
  /** Memories that may be shown, by id; those found by a link are added. */
  found: Map<number, Ranked>;
  fused: ReadonlyMap<number, Fused>;
  allowed(memory: Ranked): boolean;
  /** How memories are read that were not found. */
  read: Documents['ranked'];
  /** Number of steps along links. */
  depth: number;
  share?: number | undefined;
}

export function createExpansion(documents: Pick<Documents, 'links'>) {
  /** Links within that many steps of the ids. */
  async function linksAround(looks: Looks, ids: Iterable<number>, depth: number): Promise<Link[]> {
    const links = new Map<string, Link>();
    const seen = new Set(ids);
    for (let step = 0, edge = [...seen]; step < depth && edge.length > 0; step++) {
      const some = await documents.links(looks, edge, lending.mostLinks);
      for (const link of some) links.set(`${link.fromMemoryId} ${link.toMemoryId} ${link.type}`, link);
      edge = [...new Set(some.flatMap((one) => [one.fromMemoryId, one.toMemoryId]))].filter((id) => !seen.has(id));
      for (const id of edge) seen.add(id);
    }
    return [...links.values()];
  }

  /** Lent scores; memories that may not be shown lend nothing further. */
  return async function expand({
    tenantId,
    identityId,
    found,
    fused,
    allowed,
    read,
    depth,
    share,
  }: Hits): Promise<Map<number, Lent>> {
    if (depth < 1 || fused.size === 0) return new Map();
    const seeds = [...fused.values()].sort((a, b) => b.score - a.score).slice(0, lending.seeds);
    const scores = new Map(seeds.map(({ id, score }) => [id, score]));
    const links = await linksAround({ tenantId, identityId }, scores.keys(), depth);
    const near = new Set(links.flatMap((one) => [one.fromMemoryId, one.toMemoryId]));
    const missing = [...near].filter((id) => !found.has(id));
    for (const memory of await read(tenantId, missing)) if (allowed(memory)) found.set(memory._id, memory);
    const open = links.filter((one) => found.has(one.fromMemoryId) && found.has(one.toMemoryId));
    return lend(scores, open, depth, share);
  };
}
