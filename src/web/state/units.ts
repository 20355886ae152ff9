// The tree of organisation units as lines of a list, and as the options of a choice.
import type { OrgUnitTreeNodeDto } from '../../client/index.ts';
import { t } from '../base/i18n.ts';
import { client, may } from './app.ts';
import { type Resource, useResource } from './resource.ts';
import { linesOf, type UnitLine } from './unit-lines.ts';

/** All units, each below the one that it belongs to; nothing is loaded for those who may not read units. */
export const useUnits = (): Resource<OrgUnitTreeNodeDto[]> =>
  useResource(may('OrgUnitsRead') ? 'organisation units' : null, () => client.orgUnits.tree({ query: {} }));

type Option = readonly [value: string, label: string];

/** Units by their whole names, after an option that is none of them. */
export const unitOptions = (lines: readonly UnitLine[], none: string = t('None')): readonly Option[] => [
  ['', none],
  ...lines.map(({ unit, path }) => [String(unit.id), path] as const),
];

/** The options of a choice of a unit; null where there is no unit that the reader may know of. */
export function useUnitOptions(none?: string): readonly Option[] | null {
  const { data } = useUnits();
  return data === null || data.length === 0 ? null : unitOptions(linesOf(data), none);
}
