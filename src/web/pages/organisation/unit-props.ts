// What each part of a unit's page is given, and what the caller may do there.
import type { OrgUnitDetailDto, OrgUnitDto } from '../../../client/index.ts';
import { may } from '../../state/app.ts';

export interface UnitProps {
  unit: OrgUnitDetailDto;
  /** From the root down to the unit, which is the last. */
  path: readonly OrgUnitDto[];
  /** Grows with what others change: lists load again by it. */
  news: number;
  onChange: () => void;
}

/** Who manages a unit looks after its members and invitations, whatever else they may do. */
export const mayManage = ({ callerRoleName }: OrgUnitDetailDto) => may('OrgUnitsWrite') || callerRoleName === 'Manager';

/** The name of a unit on the way from the root. */
export const nameOn = (path: readonly OrgUnitDto[], id: number) => path.find((one) => one.id === id)?.name ?? `#${id}`;
