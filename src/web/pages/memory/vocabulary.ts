// The words that memories, facts and rules are sorted by, as choices of a form.
import type { LinkType, MemoryType, Provenance } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';

export const memoryTypes: readonly MemoryType[] = [
  'Reference',
  'Fact',
  'Preference',
  'Decision',
  'Procedure',
  'Instruction',
  'Conversation',
  'Reflection',
  'Milestone',
  'Relationship',
  'Identity',
  'Session',
  'ForgottenShape',
];
export const provenances: readonly Provenance[] = [
  'Observed',
  'Verified',
  'Derived',
  'Inferred',
  'Reported',
  'Generated',
];
export const linkTypes: readonly LinkType[] = [
  'Semantic',
  'Supports',
  'Contradicts',
  'Causal',
  'Temporal',
  'DerivedFrom',
  'Procedural',
  'Emotional',
  'CoActivated',
  'Supersedes',
];

/** What a provenance means, for people who have not read how it is set. */
export const provenanceHints: Readonly<Record<Provenance, string>> = {
  Observed: 'Seen at first hand.',
  Verified: 'Checked by a person.',
  Derived: 'Follows from other memories.',
  Inferred: 'Concluded by a model.',
  Reported: 'Told by somebody else; it never comes before what was seen.',
  Generated: 'Made up by a model.',
};

/** Options of a select, with one for all of them. */
export const anyOr = <Name extends string>(names: readonly Name[]): readonly (readonly [Name | '', string])[] => [
  ['', t('Any')],
  ...namesOf(names),
];

/** Words between commas, each once. */
export const listOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  ),
];
