// Names the operations of a further resource of a group: `list` of a `Key` is `listKeys`, `create` is `createKey`.
import { pluralOf } from '../kernel/words.ts';
import type { Group, Operations } from './operation.ts';

/** As `pluralOf` says it. */
type Plural<Noun extends string> = Noun extends `${string}${'a' | 'e' | 'o' | 'u'}y`
  ? `${Noun}s`
  : Noun extends `${infer Stem}y`
    ? `${Stem}ies`
    : `${Noun}s`;
export type NamedVerb<Verb, Noun extends string> = Verb extends 'list'
  ? `list${Plural<Noun>}`
  : `${Verb & string}${Noun}`;
export type Named<Ops, Noun extends string> = { [Verb in keyof Ops as NamedVerb<Verb, Noun>]: Ops[Verb] };

/** The name of an operation on a resource of this name. */
export const namedVerb = (verb: string, noun: string): string =>
  verb === 'list' ? `list${pluralOf(noun)}` : verb + noun;

/**
 * Operations, or their handlers, under the names of a resource.
 *
 * @example group('Connectors', { base, doc }, { ...crud({ … }), ...named('Endpoint', crud({ … })) })
 */
export const named = <const Noun extends string, Ops extends object>(noun: Noun, operations: Ops): Named<Ops, Noun> =>
  Object.fromEntries(Object.entries(operations).map(([verb, one]) => [namedVerb(verb, noun), one])) as never;

type Verbs<G extends Group, Noun extends string, Verb extends string> = {
  [V in Verb as NamedVerb<V, Noun> extends keyof G['operations'] ? V : never]: G['operations'][NamedVerb<V, Noun>];
};
/** A group as the operations of one of its resources see it: under their plain names. */
export type Resource<G extends Group, Noun extends string, Verb extends string> = Group<Verbs<G, Noun, Verb>> & {
  base: G['base'];
  noun: Noun;
};

/** The id of an operation of a group, or of one of its resources. */
export const operationId = (of: Group & { noun?: string }, verb: string): string =>
  `${of.id}_${of.noun === undefined ? verb : namedVerb(verb, of.noun)}`;

/** Operations of a group that belong to one of its resources, under their plain names. */
export function resourceOf<G extends Group, const Noun extends string, const Verb extends string>(
  group: G,
  noun: Noun,
  verbs: readonly Verb[],
): Resource<G, Noun, Verb> {
  const declared = verbs.filter((verb) => namedVerb(verb, noun) in group.operations);
  const operations: Operations = Object.fromEntries(
    declared.map((verb) => [verb, group.operations[namedVerb(verb, noun)]] as never),
  );
  return { ...group, operations, noun } as never;
}
