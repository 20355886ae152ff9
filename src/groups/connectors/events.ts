// What connectors tell.
import { type EventTable, event } from '../../contract/event.ts';
import { ConnectorDto, ConnectorWebhookEvent } from './dto.ts';

export const connectorEvents = {
  'connector.updated': event.kept(ConnectorDto, ['connectors'], 'A connector was made, changed, verified or deleted.'),
  'connector.webhook': event.kept(
    ConnectorWebhookEvent,
    ['connectors'],
    'Another system told something by itself (ours); eventType is the webhookEventType of its endpoint.',
  ),
} satisfies EventTable;
