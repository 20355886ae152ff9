// Finds the operation of a request: literal segments beat int64 parameters, which beat text, which beats the rest of a path.
import type { AnyOperation, AnyService, Group, Method } from '../contract/operation.ts';
import { isDigits, readParam, segmentsOf } from '../contract/path.ts';
import { Fault } from '../kernel/fault.ts';

export interface Route<Extra> {
  /** `<group id>_<verb>`. */
  id: string;
  /** Path template, e.g. `/api/agent/runs/{id}`. */
  template: string;
  group: Group;
  operation: AnyOperation;
  handler: (input: never) => unknown;
  extra: Extra;
}

export interface Match<Extra> {
  route: Route<Extra>;
  params: Record<string, number | string>;
}

export interface Router<Extra> {
  /**
   * @throws Fault ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED (its hint names the methods), VALIDATION_FAILED for a bad parameter
   */
  find(method: string, path: string): Match<Extra>;
  /** Methods that a path has; empty for an unknown path. */
  methods(path: string): string[];
}

interface Leaf<Extra> {
  route: Route<Extra>;
  params: { name: string; kind: 'int64' | 'text' | 'rest'; at: number }[];
}

interface Node<Extra> {
  literals: Map<string, Node<Extra>>;
  int64: Node<Extra> | null;
  text: Node<Extra> | null;
  /** For all segments that follow, however many. */
  rest: Node<Extra> | null;
  leaves: Map<Method, Leaf<Extra>>;
}

const newNode = <Extra>(): Node<Extra> => ({
  literals: new Map(),
  int64: null,
  text: null,
  rest: null,
  leaves: new Map(),
});

/**
 * Builds the routing tree of all services; `prepare` computes what the pipeline wants at hand for each route.
 *
 * @throws Error when two operations have the same method and shape of path
 */
export function createRouter<Extra>(
  services: readonly AnyService[],
  prepare: (operation: AnyOperation) => Extra,
): Router<Extra> {
  const root = newNode<Extra>();
  for (const { group, handlers } of services) {
    for (const [verb, operation] of Object.entries(group.operations)) {
      const handler = (handlers as Record<string, (input: never) => unknown>)[verb];
      if (!handler) throw new Error(`${group.id}_${verb} has no handler`);
      const template = group.base + operation.path;
      insert(root, { id: `${group.id}_${verb}`, template, group, operation, handler, extra: prepare(operation) });
    }
  }

  const methods = (path: string) => {
    const found = new Set<string>();
    for (const node of nodesOf(root, path.split('/').slice(1), 0))
      for (const method of node.leaves.keys()) found.add(method);
    return [...found];
  };

  return {
    methods,
    find: (method, path) => {
      const segments = path.split('/').slice(1);
      const leaf = leafOf(root, segments, 0, method as Method);
      if (leaf) return { route: leaf.route, params: paramsOf(leaf, segments) };
      const allowed = methods(path);
      if (allowed.length > 0)
        throw new Fault('METHOD_NOT_ALLOWED', `${method} is not possible here.`, {
          hint: `Use ${allowed.join(', ')}.`,
        });
      throw new Fault('ROUTE_NOT_FOUND', `There is no operation at ${path.slice(0, 200)}.`, {
        hint: 'The operations are listed at /docs and /openapi/v1.json.',
      });
    },
  };
}

function insert<Extra>(root: Node<Extra>, route: Route<Extra>): void {
  const params: Leaf<Extra>['params'] = [];
  let node = root;
  segmentsOf(route.template).forEach((segment, at) => {
    if (segment.kind === 'literal') {
      let next = node.literals.get(segment.text);
      if (!next) {
        next = newNode();
        node.literals.set(segment.text, next);
      }
      node = next;
    } else {
      params.push({ name: segment.name, kind: segment.kind, at });
      node[segment.kind] ??= newNode();
      node = node[segment.kind] as Node<Extra>;
    }
  });
  const { method } = route.operation;
  const other = node.leaves.get(method);
  if (other) throw new Error(`${route.id} and ${other.route.id} are both ${method} ${route.template}`);
  node.leaves.set(method, { route, params });
}

/** The most specific leaf of a method that the whole path leads to. */
function leafOf<Extra>(node: Node<Extra>, segments: string[], at: number, method: Method): Leaf<Extra> | undefined {
  if (at === segments.length) return node.leaves.get(method);
  const segment = segments[at] as string;
  const literal = node.literals.get(segment);
  return (
    (literal && leafOf(literal, segments, at + 1, method)) ??
    (node.int64 && isDigits(segment) ? leafOf(node.int64, segments, at + 1, method) : undefined) ??
    (node.text && segment !== '' ? leafOf(node.text, segments, at + 1, method) : undefined) ??
    (segment !== '' ? node.rest?.leaves.get(method) : undefined)
  );
}

/** Nodes that the whole path leads to, the most specific first. */
function* nodesOf<Extra>(node: Node<Extra>, segments: string[], at: number): Generator<Node<Extra>> {
  if (at === segments.length) {
    if (node.leaves.size > 0) yield node;
    return;
  }
  const segment = segments[at] as string;
  const literal = node.literals.get(segment);
  if (literal) yield* nodesOf(literal, segments, at + 1);
  if (node.int64 && isDigits(segment)) yield* nodesOf(node.int64, segments, at + 1);
  if (node.text && segment !== '') yield* nodesOf(node.text, segments, at + 1);
  if (node.rest && segment !== '') yield node.rest;
}

function paramsOf<Extra>({ params }: Leaf<Extra>, segments: string[]): Record<string, number | string> {
  const values: Record<string, number | string> = {};
  for (const { name, kind, at } of params)
    values[name] = readParam(name, kind, kind === 'rest' ? segments.slice(at).join('/') : (segments[at] as string));
  return values;
}
