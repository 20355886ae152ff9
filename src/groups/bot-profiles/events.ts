// What bots tell.
import { type EventTable, event } from '../../contract/event.ts';
import { BotProfileDto } from './dto.ts';

export const botEvents = {
  'bot.updated': event.kept(
    BotProfileDto,
    ['identities', 'identity:*'],
    'An identity was made a bot, or its bot was changed (ours).',
  ),
} satisfies EventTable;
