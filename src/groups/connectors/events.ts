// What connectors tell.
import { type EventTable, event } from '../../contract/event.ts';
import { ConnectorDto } from './dto.ts';

export const connectorEvents = {
  'connector.updated': event.kept(ConnectorDto, ['connectors'], 'A connector was made, changed, verified or deleted.'),
} satisfies EventTable;
