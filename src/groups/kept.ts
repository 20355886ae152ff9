// Handlers of a resource's usual operations over its keeper; a group adds its own, or replaces some.
import type { z } from 'zod';
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation, Group, Handlers, Input } from '../contract/operation.ts';
import { type Page, toPage } from '../contract/page.ts';
import type { Filter } from '../ports/db.ts';
import type { Filters, Keeper, ListRequest } from '../ports/keeper.ts';
import type { Draft, KeptDoc } from '../ports/record.ts';

type Verb = 'list' | 'create' | 'get' | 'patch' | 'replace' | 'remove';
type Operation<G extends Group, V extends Verb> = V extends keyof G['operations'] ? G['operations'][V] : never;
type Body<G extends Group, V extends Verb> =
  Operation<G, V> extends AnyOperation ? Input<Operation<G, V>, G['base']>['body'] : never;
type Data<O> = O extends AnyOperation ? z.input<O['data']> : never;
type Item<G extends Group> = Data<Operation<G, 'list'>> extends Page<infer One> ? One : never;
type Dto<G extends Group> = Data<Operation<G, Extract<'get' | 'create' | 'patch' | 'replace', keyof G['operations']>>>;
type Soon<T> = T | Promise<T>;
/** Rules that a group needs only if it has one of these operations. */
type Having<G extends Group, V extends Verb, Rules> = Extract<V, keyof G['operations']> extends never ? unknown : Rules;

export type Rules<Doc extends KeptDoc, G extends Group> = {
  /** A document as it is answered. */
  show: (doc: Doc, caller: Caller) => Soon<Dto<G>>;
  /** Which documents the caller may know of; all of the tenant unless given. */
  mayRead?: (caller: Caller) => Filter<Doc>;
  /** Throws where the caller may not write, or the document's state forbids it. */
  mayWrite?: (doc: Doc, caller: Caller, how: 'change' | 'remove') => Soon<void>;
  /** Filters of the list that are not simply a field of their name. */
  filters?: Filters<Doc>;
  /** Fields that `change` and `replace` look at: where one has changed meanwhile, they run again. */
  expecting?: readonly (keyof Doc & string)[];
} & (Dto<G> extends Item<G>
  ? { /** Several documents as a list shows them, where that can be done at once. */ showAll?: ShowAll<Doc, G> }
  : { /** Several documents as the list shows them. */ showAll: ShowAll<Doc, G> }) &
  Having<G, 'create', { draft: (body: Body<G, 'create'>, caller: Caller) => Soon<Draft<Doc>> }> &
  Having<G, 'patch', { change: (body: Body<G, 'patch'>, old: Doc, caller: Caller) => Soon<Partial<Draft<Doc>>> }> &
  Having<G, 'replace', { replace: (body: Body<G, 'replace'>, old: Doc, caller: Caller) => Soon<Partial<Draft<Doc>>> }>;

type ShowAll<Doc, G extends Group> = (docs: Doc[], caller: Caller) => Soon<Item<G>[]>;

/** All rules, as the handlers call them. */
interface AnyRules<Doc> {
  show(doc: Doc, caller: Caller): unknown;
  showAll?(docs: Doc[], caller: Caller): Soon<unknown[]>;
  mayRead?(caller: Caller): Filter<Doc>;
  mayWrite?(doc: Doc, caller: Caller, how: 'change' | 'remove'): Soon<void>;
  filters?: Filters<Doc>;
  expecting?: readonly (keyof Doc & string)[];
  draft(body: unknown, caller: Caller): Soon<Draft<Doc>>;
  change(body: unknown, old: Doc, caller: Caller): Soon<Partial<Draft<Doc>>>;
  replace(body: unknown, old: Doc, caller: Caller): Soon<Partial<Draft<Doc>>>;
}

interface AnyInput {
  caller: Caller;
  params: { id: number };
  query: ListRequest;
  body: unknown;
}

/**
 * Handlers for those of list, create, get, patch, replace and remove that the group declares.
 *
 * @example implement(goals, ({ keeper }: Deps) => ({ ...kept(goals, keeper, { show, draft, change }), next: … }))
 */
export function kept<Doc extends KeptDoc, const G extends Group>(
  group: G,
  keeper: Keeper<Doc>,
  rules: Rules<Doc, G>,
): Pick<Handlers<G>, Extract<Verb, keyof G['operations']>> {
  const by = rules as unknown as AnyRules<Doc>;
  const within = (caller: Caller) => by.mayRead?.(caller);
  const get = ({ caller, params }: AnyInput) => keeper.get(caller, params.id, within(caller));
  const write = async (input: AnyInput, make: 'change' | 'replace') => {
    const { caller, params, body } = input;
    const work = async (old: Doc) => {
      await by.mayWrite?.(old, caller, 'change');
      return by[make](body, old, caller);
    };
    const { expecting = [] } = by;
    return by.show(await keeper.change(caller, params.id, work, { expecting, ...readable(within(caller)) }), caller);
  };
  const all = {
    list: async ({ caller, query }: AnyInput) => {
      const options = { ...(by.filters && { filters: by.filters }), ...readable(within(caller)) };
      const { items, totalCount } = await keeper.page(caller, query, options);
      const shown = by.showAll
        ? by.showAll(items, caller)
        : Promise.all(items.map(async (item) => by.show(item, caller)));
      return toPage(await shown, totalCount, query);
    },
    create: async ({ caller, body }: AnyInput) =>
      by.show(await keeper.insert(caller, await by.draft(body, caller)), caller),
    get: async (input: AnyInput) => by.show(await get(input), input.caller),
    patch: (input: AnyInput) => write(input, 'change'),
    replace: (input: AnyInput) => write(input, 'replace'),
    remove: async (input: AnyInput) => {
      await by.mayWrite?.(await get(input), input.caller, 'remove');
      await keeper.remove(input.caller, input.params.id);
      return null;
    },
  };
  const declared = Object.entries(all).filter(([verb]) => verb in group.operations);
  return Object.fromEntries(declared) as never;
}

const readable = <F>(within: F | undefined) => (within === undefined ? {} : { within });
