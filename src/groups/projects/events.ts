// What projects tell.
import { type EventTable, event } from '../../contract/event.ts';
import { ProjectDto } from './dto.ts';

export const projectEvents = {
  'project.updated': event.kept(ProjectDto, ['project:*'], 'A project was made or changed, archived or restored.'),
} satisfies EventTable;
