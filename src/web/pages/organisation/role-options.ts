// The roles that may be given in a unit, as the options of a choice.
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';

export const useUnitRoles = (unitId: number) =>
  useResource(`roles of unit ${unitId}`, () => client.orgUnits.roles({ params: { id: unitId } }));

type Option = readonly [value: string, label: string];

/** Who is new and gets no role by name gets the default one of the unit. `now` is offered though it is not given any more. */
export function useRoleOptions(unitId: number, whose: 'new' | 'change', now?: Option): readonly Option[] {
  const roles = useUnitRoles(unitId).data ?? [];
  const usual = roles.find(({ isDefault }) => isDefault);
  const none = whose === 'new' && usual ? t('{role}, the usual one', { role: words(usual.roleName) }) : t('None');
  const given = roles
    .filter(({ isDefault }) => whose === 'change' || !isDefault)
    .map(({ roleId, roleName }) => [String(roleId), words(roleName)] as const);
  const isMissing = now !== undefined && !given.some(([key]) => key === now[0]);
  return [['', none], ...(isMissing ? [now] : []), ...given];
}
