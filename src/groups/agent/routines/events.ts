// What routines tell.
import { type EventTable, event } from '../../../contract/event.ts';
import { DeletedDto } from '../../realtime/dto.ts';
import { AgentRoutineDto, AgentRoutineRunDto } from './dto.ts';

export const routineEvents = {
  'routine.updated': event.kept(AgentRoutineDto, ['routines'], 'A routine was made, changed, enabled or paused.'),
  'routine.deleted': event.kept(DeletedDto, ['routines'], 'A routine was deleted.'),
  'routine.run': event.kept(
    AgentRoutineRunDto,
    ['routines'],
    'A due moment of a routine has come to something: its run began or ended, or it was skipped.',
  ),
} satisfies EventTable;
