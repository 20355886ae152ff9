// What standing rules tell.
import { type EventTable, event } from '../../contract/event.ts';
import { StandingRuleDto } from './dto.ts';

export const standingRuleEvents = {
  'rule.updated': event.kept(
    StandingRuleDto,
    ['identity:*', 'project:*'],
    'A rule was stated, changed, confirmed, withdrawn, or is to be looked at again.',
  ),
} satisfies EventTable;
