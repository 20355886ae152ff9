// Bots: the face of an identity in chats, and, where it is published, a page on which anybody may talk to it.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, float, int32, int64, string } from '../../contract/types.ts';
import { BotProfileDto, PublicBotDto, PublicBotEventDto, PublicBotMessageDto } from './dto.ts';

const line = string.trim().max(300);
const pattern = string.max(200).regex(/^(?:[\w.:/-]+\*?|\*)$/, 'a tool name, or the beginning of one and a trailing *');
const avatarUrl = z.url({ protocol: /^https$/ }).max(2000);
const origin = string
  .max(300)
  .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/i, 'an origin, such as https://example.com');
/** Kept short: a visitor pays nothing. */
const message = string.trim().min(1).max(4000);
const conversation = string.min(1).max(200);

export const botProfiles = group(
  'BotProfiles',
  { base: '/api/bot-profiles', doc: 'The face of an identity in chats; a published one has a page for anybody.' },
  {
    list: op.get('', {
      doc: 'List the identities that are bots; isPublished finds those with a public page.',
      needs: 'IdentitiesRead',
      query: listQuery(['displayName', 'createdAtUtc', 'updatedAtUtc'], {
        isPublished: boolean.optional(),
        q: string.max(200).optional(),
      }),
      data: page(BotProfileDto),
    }),
    get: op.get('/{identityId}', {
      doc: 'The bot that an identity is.',
      needs: 'IdentitiesRead',
      data: BotProfileDto,
    }),
    replace: op.put('/{identityId}', {
      doc: 'Make an identity a bot, or replace what its bot is like; it holds from the next reply on. What is left out goes back to its default, but a new bot keeps the channels of its identity. With isPublished anybody may talk to it at publicUrl, without tools and memories.',
      needs: 'IdentitiesWrite',
      body: fields({
        displayName: string.trim().min(1).max(100),
        avatarUrl: avatarUrl.nullish(),
        tagline: line.nullish(),
        greeting: string.trim().max(2000).nullish(),
        suggestedPrompts: z.array(string.trim().min(1).max(300)).max(10).nullish(),
        defaultModelId: string.trim().min(1).max(200).nullish(),
        routeId: int64.nullish(),
        temperature: float.min(0).max(2).nullish(),
        reasoningEffort: string.trim().min(1).max(20).nullish(),
        enabledTools: z.array(pattern).max(200).nullish(),
        systemPromptOverride: string.trim().max(100_000).nullish(),
        maxContextMessages: int32.min(1).max(1000).nullish(),
        channelIds: z.array(int64).max(100).nullish(),
        isPublished: boolean.nullish(),
        frameOrigins: z.array(origin).max(20).nullish(),
        messagesPerHour: int32.min(1).max(1000).nullish(),
        tokensPerDay: int32.min(10_000).max(1_000_000_000).nullish(),
      }),
      data: BotProfileDto,
    }),
  },
);

export const publicBots = group(
  'BotProfiles',
  { id: 'PublicBots', base: '/api/public/bots/{uid}', doc: 'Talk to a published bot, without signing in.' },
  {
    get: op.get('', { doc: 'Ours: what a published bot shows of itself.', needs: 'public', data: PublicBotDto }),
    ask: op.post('/messages', {
      doc: 'Ours: send a message to a published bot and stream its answer. Without conversation a new one begins. Each address has a number of messages an hour, and each bot tokens for a day.',
      needs: 'public',
      // Without a sign-in there is no connection to publish on: the events are the body of the answer.
      reply: 'file',
      mediaType: 'text/event-stream',
      timeoutMs: 600_000,
      idempotent: false,
      // A tenant's log is of its own people; what visitors use is counted.
      audit: false,
      body: fields({ message, conversation: conversation.nullish() }),
      data: PublicBotEventDto,
    }),
    read: op.post('/conversation', {
      doc: 'Ours: what was said in a conversation, oldest first, for whoever holds it.',
      needs: 'public',
      idempotent: false,
      audit: false,
      body: fields({ conversation }),
      data: z.array(PublicBotMessageDto),
    }),
  },
);
