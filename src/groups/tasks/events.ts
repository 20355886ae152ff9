// What tasks tell to their project.
import { type EventTable, event } from '../../contract/event.ts';
import { DeletedDto } from '../realtime/dto.ts';
import { ProjectTaskDto, TaskCommentDto } from './dto.ts';

const topics = ['project:*'];

export const taskEvents = {
  'task.created': event.kept(ProjectTaskDto, topics, 'A task was made.'),
  'task.updated': event.kept(ProjectTaskDto, topics, 'A task was changed, moved, claimed or freed.'),
  'task.deleted': event.kept(DeletedDto, topics, 'A task was deleted.'),
  'task.comment': event.kept(TaskCommentDto, topics, 'Somebody commented on a task.'),
} satisfies EventTable;
