// Projections on decoded documents, and sorting of documents in memory.
import type { ProjectionPlan } from '../subset/read.ts';
import { compareValues, isPlainObject, type PlainObject } from '../subset/values.ts';
import { reach } from './paths.ts';

type Tree = Map<string, Tree | null>;

/** A function that keeps or leaves out what the plan names. */
export function compileProjection(plan: ProjectionPlan | null): (document: PlainObject) => PlainObject {
  if (!plan) return (document) => document;
  const tree = treeOf(plan.paths);
  if (!plan.keep) {
    if (!plan.withId) tree.set('_id', null);
    return (document) => without(document, tree) as PlainObject;
  }
  if (plan.withId) tree.set('_id', null);
  return (document) => only(document, tree) as PlainObject;
}

function treeOf(paths: readonly string[]): Tree {
  const tree: Tree = new Map();
  for (const path of paths) {
    const parts = path.split('.');
    const last = parts.pop()!;
    let node = tree;
    for (const part of parts) {
      const next = node.get(part) ?? new Map();
      node.set(part, next);
      node = next;
    }
    node.set(last, null);
  }
  return tree;
}

function only(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === 'object' && item !== null).map((item) => only(item, tree));
  }
  if (!isPlainObject(value)) return undefined;
  const kept: PlainObject = {};
  for (const [key, item] of Object.entries(value)) {
    const branch = tree.get(key);
    const part = branch === undefined ? undefined : branch === null ? item : only(item, branch);
    if (part !== undefined) kept[key] = part;
  }
  return kept;
}

function without(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, tree));
  if (!isPlainObject(value)) return value;
  const kept: PlainObject = {};
  for (const [key, item] of Object.entries(value)) {
    const branch = tree.get(key);
    if (branch !== null) kept[key] = branch ? without(item, branch) : item;
  }
  return kept;
}

/** Orders documents by the keys; equal ones keep their order. */
export function sortDocuments<T extends PlainObject>(documents: T[], keys: readonly [string, 1 | -1][]): T[] {
  const paths = keys.map(([path, direction]) => ({ parts: path.split('.'), direction }));
  const rows = documents.map((document) => ({
    document,
    keys: paths.map(({ parts, direction }) => sortValue(document, parts, direction)),
  }));
  rows.sort((a, b) => {
    for (const [at, { direction }] of paths.entries()) {
      const difference = compareValues(a.keys[at], b.keys[at]);
      if (difference !== 0) return difference * direction;
    }
    return 0;
  });
  return rows.map((row) => row.document);
}

/** Of an array, the least element counts when ascending, the greatest when descending. */
function sortValue(document: PlainObject, parts: readonly string[], direction: 1 | -1): unknown {
  const reached = reach(document, parts);
  if (!reached.many) return reached.value;
  return reached.values.reduce(
    (best, value) => (compareValues(value, best) * direction < 0 ? value : best),
    reached.values[0],
  );
}
