// What channels tell.
import { type EventTable, event } from '../../contract/event.ts';
import { ChannelDeliveryDto } from './dto.ts';

export const channelEvents = {
  'channel.delivery': event.kept(
    ChannelDeliveryDto,
    ['channels'],
    'A message was sent through a channel, will be tried again, or ended.',
  ),
  'channel.inbound': event.kept(ChannelDeliveryDto, ['channels'], 'A message or a decision came in through a channel.'),
} satisfies EventTable;
