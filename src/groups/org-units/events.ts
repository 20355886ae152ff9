// What organisation units tell.
import { type EventTable, event } from '../../contract/event.ts';
import { OrgUnitDto } from './dto.ts';

export const orgUnitEvents = {
  'org.unit.updated': event.kept(
    OrgUnitDto,
    ['org-units'],
    'A unit, or who and what is in it, was changed; a removed one is not active (ours).',
  ),
} satisfies EventTable;
