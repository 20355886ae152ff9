// Walking a dotted path through documents and arrays, as MongoDB does.
import { isPlainObject, type PlainObject } from '../subset/values.ts';

const index = /^(?:0|[1-9]\d{0,8})$/;

/** The array position that a path part names, or -1. */
export function indexOf(part: string): number {
  return index.test(part) ? Number(part) : -1;
}

export function child(object: PlainObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Whether any value that the path reaches passes `test`. Arrays on the way are entered; a missing field counts as one
 * value, undefined. An array at the end is tested itself and, where `expand`, by its elements.
 */
export function someAt(
  node: unknown,
  parts: readonly string[],
  test: (value: unknown) => boolean,
  expand = true,
  at = 0,
): boolean {
  if (at === parts.length) {
    if (test(node)) return true;
    return expand && Array.isArray(node) && node.some(test);
  }
  if (Array.isArray(node)) {
    const position = indexOf(parts[at]!);
    if (position >= 0 && position < node.length && someAt(node[position], parts, test, expand, at + 1)) return true;
    return node.some((item) => isPlainObject(item) && someAt(item, parts, test, expand, at));
  }
  if (!isPlainObject(node)) return test(undefined);
  return someAt(child(node, parts[at]!), parts, test, expand, at + 1);
}

/** What a path reaches: one value, or several where an array is on the way or at the end. */
export type Reached = { many: false; value: unknown } | { many: true; values: unknown[] };

export function reach(document: PlainObject, parts: readonly string[]): Reached {
  let many = false;
  const values: unknown[] = [];
  const walk = (node: unknown, at: number): void => {
    if (Array.isArray(node)) {
      many = true;
      if (at === parts.length) {
        values.push(...node);
        return;
      }
      const position = indexOf(parts[at]!);
      if (position >= 0 && position < node.length) walk(node[position], at + 1);
      for (const item of node) if (isPlainObject(item)) walk(item, at);
    } else if (at === parts.length) values.push(node);
    else walk(isPlainObject(node) ? child(node, parts[at]!) : undefined, isPlainObject(node) ? at + 1 : parts.length);
  };
  walk(document, 0);
  return many ? { many, values } : { many, value: values[0] };
}
