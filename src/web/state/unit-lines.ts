// A tree of units as lines, from the top to the bottom: each with how deep it lies, and its name with those above it.

interface Node {
  id: number;
  name: string;
  key: string;
  children: readonly Node[];
}

export interface UnitLine<Unit extends Node = Node> {
  unit: Unit;
  /** 0 for a root. */
  depth: number;
  /** Names from the root: `Acme / Research`. */
  path: string;
}

type WithChildren<Unit> = Node & { children: readonly Unit[] };

export const linesOf = <Unit extends WithChildren<Unit>>(
  units: readonly Unit[],
  depth = 0,
  above = '',
): UnitLine<Unit>[] =>
  units.flatMap((unit) => {
    const path = above ? `${above} / ${unit.name}` : unit.name;
    return [{ unit, depth, path }, ...linesOf(unit.children, depth + 1, path)];
  });

/** The units whose name or key has the words, with all that are above them. */
export function matching<Unit extends WithChildren<Unit>>(units: readonly Unit[], q: string): readonly Unit[] {
  const words = q.trim().toLowerCase();
  if (words === '') return units;
  const found = (unit: Unit): Unit[] => {
    const children = unit.children.flatMap(found);
    const fits = [unit.name, unit.key].some((text) => text.toLowerCase().includes(words));
    return fits || children.length > 0 ? [{ ...unit, children }] : [];
  };
  return units.flatMap(found);
}

/** The lines without a unit and all below it: where that unit can be moved to. */
export function outside<Unit extends WithChildren<Unit>>(
  lines: readonly UnitLine<Unit>[],
  id: number,
): readonly UnitLine<Unit>[] {
  const own = lines.find(({ unit }) => unit.id === id);
  if (!own) return lines;
  const within = new Set(linesOf([own.unit]).map(({ unit }) => unit.id));
  return lines.filter(({ unit }) => !within.has(unit.id));
}
