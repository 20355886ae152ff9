// Handlers of a resource's usual operations over its keeper; a group adds its own, or replaces some.
import type { z } from 'zod';
import type { Caller } from '../contract/caller.ts';
import { type Named, named, type Resource, resourceOf } from '../contract/named.ts';
import type { AnyOperation, Group, Handlers, Input } from '../contract/operation.ts';
import { type Page, toPage } from '../contract/page.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { Fault } from '../kernel/fault.ts';
import type { Filter } from '../ports/db.ts';
import { requireChangeIn } from '../ports/in-project.ts';
import { type Filters, type Keeper, type ListRequest, notThere } from '../ports/keeper.ts';
import type { Draft, KeptDoc } from '../ports/record.ts';

const verbs = ['list', 'create', 'get', 'patch', 'replace', 'remove'] as const;
type Verb = (typeof verbs)[number];
type Operation<G extends Group, V extends Verb> = V extends keyof G['operations'] ? G['operations'][V] : never;
type Body<G extends Group, V extends Verb> =
  Operation<G, V> extends AnyOperation ? Input<Operation<G, V>, G['base']>['body'] : never;
type Data<O> = O extends AnyOperation ? z.input<O['data']> : never;
type Item<G extends Group> = Data<Operation<G, 'list'>> extends Page<infer One> ? One : never;
type Dto<G extends Group> = Data<Operation<G, Extract<'get' | 'create' | 'patch' | 'replace', keyof G['operations']>>>;
type Soon<T> = T | Promise<T>;
/** Rules that a group needs only if it has one of these operations. */
type Having<G extends Group, V extends Verb, Rules> = Extract<V, keyof G['operations']> extends never ? unknown : Rules;

/**
 * What the documents of a nested resource belong to, by a parameter of their paths. It is looked for too where a path
 * names the document alone: a parent that is not there for the caller hides what belongs to it, and what is in a project
 * that the caller may only read is not changed.
 */
export interface Below<Doc, Parent> {
  /** E.g. `runId` of `/runs/{runId}/notes`. */
  param: string;
  /** The field that holds the parent's id; the parameter's name unless given. */
  field?: keyof Doc & string;
  /** The parent as the caller may know of it. @throws Fault NOT_FOUND */
  parent(caller: Caller, id: number): Soon<Parent>;
}

export type Rules<Doc extends KeptDoc, G extends Group, Parent = undefined> = {
  /** For resources that are nested in another one. */
  below?: Below<Doc, Parent>;
  /** A document as it is answered. */
  show: (doc: Doc, caller: Caller) => Soon<Dto<G>>;
  /** Which documents the caller may know of; all of the tenant unless given. */
  mayRead?: (caller: Caller) => Filter<Doc>;
  /** Throws where the caller may not write, or the document's state forbids it. */
  mayWrite?: (doc: Doc, caller: Caller, how: 'change' | 'remove') => Soon<void>;
  /** Filters of the list that are not simply a field of their name. */
  filters?: Filters<Doc>;
  /** Called after a write, before its caller is answered: for what the keeper does not tell. */
  wrote?: (doc: Doc, caller: Caller, verb: 'create' | 'patch' | 'replace' | 'remove', body: unknown) => Soon<void>;
  /** Fields that `change` and `replace` look at: where one has changed meanwhile, they run again. */
  expecting?: readonly (keyof Doc & string)[];
} & (Dto<G> extends Item<G>
  ? { /** Several documents as a list shows them, where that can be done at once. */ showAll?: ShowAll<Doc, G> }
  : { /** Several documents as the list shows them. */ showAll: ShowAll<Doc, G> }) &
  Having<G, 'create', { draft: (body: Body<G, 'create'>, caller: Caller, parent: Parent) => Soon<Draft<Doc>> }> &
  Having<G, 'patch', { change: (body: Body<G, 'patch'>, old: Doc, caller: Caller) => Soon<Partial<Draft<Doc>>> }> &
  Having<G, 'replace', { replace: (body: Body<G, 'replace'>, old: Doc, caller: Caller) => Soon<Partial<Draft<Doc>>> }>;

type ShowAll<Doc, G extends Group> = (docs: Doc[], caller: Caller) => Soon<Item<G>[]>;

/** All rules, as the handlers call them. */
interface AnyRules<Doc> {
  below?: Below<Doc, unknown>;
  show(doc: Doc, caller: Caller): unknown;
  showAll?(docs: Doc[], caller: Caller): Soon<unknown[]>;
  mayRead?(caller: Caller): Filter<Doc>;
  mayWrite?(doc: Doc, caller: Caller, how: 'change' | 'remove'): Soon<void>;
  wrote?(doc: Doc, caller: Caller, verb: Verb, body: unknown): Soon<void>;
  filters?: Filters<Doc>;
  expecting?: readonly (keyof Doc & string)[];
  draft(body: unknown, caller: Caller, parent: unknown): Soon<Draft<Doc>>;
  change(body: unknown, old: Doc, caller: Caller): Soon<Partial<Draft<Doc>>>;
  replace(body: unknown, old: Doc, caller: Caller): Soon<Partial<Draft<Doc>>>;
}

interface AnyInput {
  caller: Caller;
  params: Readonly<Record<string, number>>;
  query: ListRequest;
  body: unknown;
}

/**
 * Handlers for those of list, create, get, patch, replace and remove that the group declares.
 *
 * @example implement(goals, ({ keeper }: Deps) => ({ ...kept(goals, keeper, { show, draft, change }), next: … }))
 */
export function kept<Doc extends KeptDoc, const G extends Group, Parent = undefined>(
  group: G,
  keeper: Keeper<Doc>,
  rules: Rules<Doc, G, Parent>,
): Pick<Handlers<G>, Extract<Verb, keyof G['operations']>> {
  const by = rules as unknown as AnyRules<Doc>;
  const handlers = { ...readers(keeper, by, group), ...writers(keeper, by, group) };
  const declared = Object.entries(handlers).filter(([verb]) => verb in group.operations);
  return Object.fromEntries(declared) as never;
}

/**
 * The handlers of a further resource of a group, whose operations are `named`.
 *
 * @example ...keptAs(connectors, 'Endpoint', endpoints, { below: { param: 'connectorId', parent: get }, show, draft })
 */
export function keptAs<Doc extends KeptDoc, const G extends Group, const Noun extends string, Parent = undefined>(
  group: G,
  noun: Noun,
  keeper: Keeper<Doc>,
  rules: Rules<Doc, Resource<G, Noun, Verb>, Parent>,
): Named<Handlers<Resource<G, Noun, Verb>>, Noun> {
  return named(noun, kept(resourceOf(group, noun, verbs), keeper, rules)) as never;
}

/** What the caller may know of, and with it what the request's path names above it. */
async function scopeOf<Doc>(by: AnyRules<Doc>, { caller, params }: AnyInput, writes: boolean) {
  const { below } = by;
  const parentId = below && params[below.param];
  const parent = parentId === undefined ? undefined : await below?.parent(caller, parentId);
  if (writes) requireChangeBelow(caller, parent);
  const inParent = parentId === undefined || !below ? undefined : { [below.field ?? below.param]: parentId };
  const readable = by.mayRead?.(caller);
  const within = (readable && inParent ? { $and: [readable, inParent] } : (readable ?? inParent)) as Filter<Doc>;
  return { parent, ...(within === undefined ? {} : { within }) };
}

/** @throws Fault FORBIDDEN where the parent is in a project that the caller may only read */
const requireChangeBelow = (caller: Caller, parent: unknown) =>
  requireChangeIn(caller, (parent as { projectId?: number | null } | undefined)?.projectId);

/** @throws Fault NOT_FOUND where the path does not name the parent, and the document's is not there for the caller */
async function requireParent<Doc extends KeptDoc>(
  { record }: Keeper<Doc>,
  { below }: AnyRules<Doc>,
  { caller, params }: AnyInput,
  { doc, writes }: { doc: Doc; writes: boolean },
): Promise<void> {
  if (!below || params[below.param] !== undefined) return;
  const parentId = doc[(below.field ?? below.param) as keyof Doc] as number;
  const parent = await Promise.resolve(below.parent(caller, parentId)).catch((error: unknown) => {
    throw error instanceof Fault && error.code in hiding ? notThere(record, doc._id) : error;
  });
  if (writes) requireChangeBelow(caller, parent);
}

/** What finders of parents throw for those who may not know of them. */
const hiding: Partial<Record<ErrorCode, true>> = { NOT_FOUND: true, FORBIDDEN: true, OWNERSHIP_REQUIRED: true };

/** The value of a path's last parameter, which names the one that the operation is about. */
function idOf(group: Group, verb: Verb, params: AnyInput['params']): number {
  const [, name = 'id'] = /\{(\w+)\}$/.exec(group.operations[verb]?.path ?? '') ?? [];
  return params[name] as number;
}

function readers<Doc extends KeptDoc>(keeper: Keeper<Doc>, by: AnyRules<Doc>, group: Group) {
  return {
    list: async (input: AnyInput) => {
      const { caller, query } = input;
      const { within } = await scopeOf(by, input, false);
      const options = { ...(by.filters && { filters: by.filters }), ...(within && { within }) };
      const { items, totalCount } = await keeper.page(caller, query, options);
      const shown = by.showAll
        ? by.showAll(items, caller)
        : Promise.all(items.map(async (item) => by.show(item, caller)));
      return toPage(await shown, totalCount, query);
    },
    get: async (input: AnyInput) => {
      const { within } = await scopeOf(by, input, false);
      const doc = await keeper.get(input.caller, idOf(group, 'get', input.params), within);
      await requireParent(keeper, by, input, { doc, writes: false });
      return by.show(doc, input.caller);
    },
  };
}

function writers<Doc extends KeptDoc>(keeper: Keeper<Doc>, by: AnyRules<Doc>, group: Group) {
  const write = async (input: AnyInput, verb: 'patch' | 'replace') => {
    const { caller, params, body } = input;
    const work = async (old: Doc) => {
      await requireParent(keeper, by, input, { doc: old, writes: true });
      await by.mayWrite?.(old, caller, 'change');
      return verb === 'patch' ? by.change(body, old, caller) : by.replace(body, old, caller);
    };
    const { within } = await scopeOf(by, input, true);
    const options = { expecting: by.expecting ?? [], ...(within && { within }) };
    const doc = await keeper.change(caller, idOf(group, verb, params), work, options);
    await by.wrote?.(doc, caller, verb, body);
    return by.show(doc, caller);
  };
  return {
    create: async (input: AnyInput) => {
      const { caller, body } = input;
      const { parent } = await scopeOf(by, input, true);
      const doc = await keeper.insert(caller, await by.draft(body, caller, parent));
      await by.wrote?.(doc, caller, 'create', body);
      return by.show(doc, caller);
    },
    patch: (input: AnyInput) => write(input, 'patch'),
    replace: (input: AnyInput) => write(input, 'replace'),
    remove: async (input: AnyInput) => {
      const { caller, params, body } = input;
      const id = idOf(group, 'remove', params);
      const { within } = await scopeOf(by, input, true);
      // Found also where no rule looks at it: who may not know of it removes nothing.
      const found = await keeper.get(caller, id, within);
      await requireParent(keeper, by, input, { doc: found, writes: true });
      await by.mayWrite?.(found, caller, 'remove');
      const doc = await keeper.remove(caller, id);
      await by.wrote?.(doc, caller, 'remove', body);
      return null;
    },
  };
}
