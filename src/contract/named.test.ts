// Further resources of a group have their verbs in the words of the language.
import { expect, expectTypeOf, it } from 'vitest';
import { named, namedVerb } from './named.ts';

it('names lists by the plural, alike for the compiler', () => {
  expect(['Key', 'Entry', 'Survey', 'Endpoint'].map((noun) => namedVerb('list', noun))).toEqual([
    'listKeys',
    'listEntries',
    'listSurveys',
    'listEndpoints',
  ]);
  const verbs = { ...named('Key', { list: 1 }), ...named('Entry', { list: 2, create: 3 }) };
  expect(verbs).toEqual({ listKeys: 1, listEntries: 2, createEntry: 3 });
  expectTypeOf(verbs).toEqualTypeOf<{ listKeys: number; listEntries: number; createEntry: number }>();
});
