// The tree of a tenant's units: paths, what is below one, and depths. Pure over a list of units.
import type { OrgUnitDoc } from './record.ts';

export type Node = Pick<OrgUnitDoc, '_id' | 'parentId' | 'key' | 'isActive'>;

/** Levels below a root. */
export const mostLevels = 20;

export interface UnitTree<Unit extends Node> {
  units: ReadonlyMap<number, Unit>;
  /** The unit and those above it, the nearest first; empty for one that is not there. */
  pathOf(id: number | null | undefined): Unit[];
  /** The unit and all below it; empty for one that is not there. */
  subtreeOf(id: number): Unit[];
  idsBelow(id: number): number[];
  childrenOf(id: number | null): Unit[];
  /** Keys from the root to the unit, e.g. `acme/engineering/platform`. */
  textOf(id: number): string;
  /** Whether the unit and all above it are active. */
  isLive(id: number): boolean;
}

export function treeOf<Unit extends Node>(all: readonly Unit[]): UnitTree<Unit> {
  const units = new Map(all.map((unit) => [unit._id, unit]));
  const children = new Map<number | null, Unit[]>();
  for (const unit of all) {
    // A unit whose parent is gone is a root.
    const parent = unit.parentId !== null && units.has(unit.parentId) ? unit.parentId : null;
    children.set(parent, [...(children.get(parent) ?? []), unit]);
  }
  const childrenOf = (id: number | null) => children.get(id) ?? [];
  const pathOf = (id: number | null | undefined): Unit[] => {
    const path: Unit[] = [];
    // Two moves at the same moment might close a circle, until the later one takes itself back.
    for (let at = id == null ? undefined : units.get(id); at && !path.includes(at); ) {
      path.push(at);
      at = at.parentId === null ? undefined : units.get(at.parentId);
    }
    return path;
  };
  const subtreeOf = (id: number): Unit[] => {
    const root = units.get(id);
    const found = new Set<Unit>(root ? [root] : []);
    for (const unit of found) for (const child of childrenOf(unit._id)) found.add(child);
    return [...found];
  };
  return {
    units,
    pathOf,
    childrenOf,
    subtreeOf,
    idsBelow: (id) => subtreeOf(id).map(({ _id }) => _id),
    textOf: (id) =>
      pathOf(id)
        .map(({ key }) => key)
        .reverse()
        .join('/'),
    isLive: (id) => pathOf(id).every(({ isActive }) => isActive),
  };
}
