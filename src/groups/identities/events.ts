// What identities tell.
import { type EventTable, event } from '../../contract/event.ts';
import { DeletedDto } from '../realtime/dto.ts';
import { IdentityDto, PresenceChangedDto } from './dto.ts';

const topics = ['identities', 'identity:*'];

export const identityEvents = {
  'presence.changed': event.passing(PresenceChangedDto, topics, 'An identity is present, idle or away.'),
  'identity.updated': event.kept(IdentityDto, topics, 'An identity was created or changed.'),
  'identity.deleted': event.kept(DeletedDto, topics, 'An identity was deleted.'),
} satisfies EventTable;
