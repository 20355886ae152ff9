// Handlers of settings: get what holds for an owner, and replace it.
import type { z } from 'zod';
import type { Caller } from '../contract/caller.ts';
import { type Named, named, type Resource, resourceOf } from '../contract/named.ts';
import type { AnyOperation, Group, Handlers, Input } from '../contract/operation.ts';
import type { Current, Settings } from '../ports/settings.ts';
import { given } from './fields.ts';

const verbs = ['get', 'replace'] as const;
type Verb = (typeof verbs)[number];
type Soon<T> = T | Promise<T>;
type Operation<G extends Group> = G['operations'][Extract<'replace', keyof G['operations']>];
type Body<G extends Group> = Operation<G> extends AnyOperation ? Input<Operation<G>, G['base']>['body'] : never;
type Dto<G extends Group> = Operation<G> extends AnyOperation ? z.input<Operation<G>['data']> : never;

export interface SettingsRules<Fields, G extends Group> {
  /** Whose settings they are, as the caller may know of it. @throws Fault NOT_FOUND */
  owner(caller: Caller, params: Readonly<Record<string, number>>): Soon<number>;
  show(settings: Current<Fields>, caller: Caller, ownerId: number): Soon<Dto<G>>;
  /** What a body says, where that is not simply its fields. @throws Fault where the caller may not, or it names what is not there */
  accept?(body: Body<G>, caller: Caller, ownerId: number): Soon<Partial<Fields>>;
}

interface AnyInput {
  caller: Caller;
  params: Readonly<Record<string, number>>;
  body: object;
}

/** @example implement(policy, ({ policies }: Deps) => keptSettings(policy, policies, { owner: ({ tenantId }) => tenantId, show })) */
export function keptSettings<Fields extends object, const G extends Group>(
  _group: G,
  settings: Settings<Fields>,
  rules: SettingsRules<Fields, G>,
): Pick<Handlers<G>, Extract<Verb, keyof G['operations']>> {
  const { owner, show, accept } = rules;
  const handlers = {
    get: async ({ caller, params }: AnyInput) => {
      const ownerId = await owner(caller, params);
      return show(await settings.get(caller, ownerId), caller, ownerId);
    },
    replace: async ({ caller, params, body }: AnyInput) => {
      const ownerId = await owner(caller, params);
      const fields = accept ? await accept(body as Body<G>, caller, ownerId) : (given(body) as Partial<Fields>);
      return show(await settings.replace(caller, ownerId, fields), caller, ownerId);
    },
  };
  return handlers as never;
}

/**
 * The handlers of settings whose operations are `named`.
 *
 * @example ...settingsAs(identities, 'MemoryConfig', memoryConfigs, { owner, show })
 */
export function settingsAs<Fields extends object, const G extends Group, const Noun extends string>(
  group: G,
  noun: Noun,
  settings: Settings<Fields>,
  rules: SettingsRules<Fields, Resource<G, Noun, Verb>>,
): Named<Handlers<Resource<G, Noun, Verb>>, Noun> {
  return named(noun, keptSettings(resourceOf(group, noun, verbs), settings, rules)) as never;
}
