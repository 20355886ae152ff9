// Bots as they are answered: to the tenant with all that is set, to visitors with what they are to see.
import { z } from 'zod';
import { boolean, dateTime, dto, float, int32, int64, string } from '../../contract/types.ts';

export const BotProfileDto = dto('BotProfileDto', {
  identityId: int64,
  identityName: string,
  displayName: string,
  avatarUrl: string.nullable(),
  tagline: string.nullable(),
  greeting: string.nullable(),
  suggestedPrompts: z.array(string),
  defaultModelId: string.nullable(),
  routeId: int64.nullable(),
  temperature: float.nullable(),
  reasoningEffort: string.nullable(),
  enabledTools: z.array(string),
  systemPromptOverride: string.nullable(),
  /** Newest messages that the model is given. */
  maxContextMessages: int32,
  channelIds: z.array(int64),
  isPublished: boolean,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
  /** Ours: where anybody can talk to the bot; null unless it is published and its identity active. */
  publicUrl: string.nullable(),
  /** Ours: where A2A clients reach the bot as an agent, with its card below; null unless it is published. */
  a2aUrl: string.nullable(),
  /** Ours: origins whose pages may show the chat page in a frame. */
  frameOrigins: z.array(string),
  /** Ours: messages that one address may send in an hour. */
  messagesPerHour: int32,
  /** Ours: tokens that all visitors together may use in a day (UTC), and what they have used today. */
  tokensPerDay: int32,
  tokensToday: int64,
});
export type BotProfileDto = z.output<typeof BotProfileDto>;

/** All that a visitor is told of a bot. */
export const PublicBotDto = dto('PublicBotDto', {
  displayName: string,
  avatarUrl: string.nullable(),
  tagline: string.nullable(),
  greeting: string.nullable(),
  suggestedPrompts: z.array(string),
});
export type PublicBotDto = z.output<typeof PublicBotDto>;

/** One event of an answer to a visitor, in this order: Started, Text …, Ended or Failed. */
export const PublicBotEventDto = dto('PublicBotEventDto', {
  type: z.enum(['Started', 'Text', 'Ended', 'Failed']),
  /** What goes on with the conversation, for whoever holds it; with Started. */
  conversation: string.nullable(),
  /** What is said next, with Text. */
  text: string.nullable(),
  /** The whole answer as HTML that is safe to show, with Ended. */
  html: string.nullable(),
  /** What a visitor can be told, with Failed. */
  error: string.nullable(),
});
export type PublicBotEventDto = z.output<typeof PublicBotEventDto>;

export const PublicBotMessageDto = dto('PublicBotMessageDto', {
  role: z.enum(['user', 'assistant']),
  text: string,
  /** Of an answer: its Markdown as HTML that is safe to show. */
  html: string.nullable(),
  atUtc: dateTime,
});
export type PublicBotMessageDto = z.output<typeof PublicBotMessageDto>;
