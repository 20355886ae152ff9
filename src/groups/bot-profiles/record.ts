// Bots and their meters as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import type { BotProfileDto } from './dto.ts';

type Shown = Omit<BotProfileDto, 'identityName' | 'publicUrl' | 'a2aUrl' | 'tokensToday' | 'channelIds'>;

/** Its `guid` is the name of its public page. */
export interface BotProfileDoc extends Stored<Shown> {
  _id: number;
  guid: string;
}

export const botProfileRecord = record<BotProfileDoc>('bot_profiles', {
  noun: 'bot',
  list: 'GET /api/bot-profiles',
  order: 'displayName',
  staysSmall: true,
  search: ['displayName', 'tagline'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1 }, unique: true },
    { keys: { tenantId: 1, displayName: 1 } },
    { keys: { tenantId: 1, isPublished: 1, displayName: 1 } },
    { keys: { guid: 1 }, unique: true },
  ],
});

/** What was used of one limit of a bot within its hour or day. */
export interface BotMeterDoc {
  _id: number;
  tenantId: number;
  identityId: number;
  /** What is counted and when: `tokens 2026-11-23`, or the digest of an address and an hour. */
  key: string;
  used: number;
  createdAt: Date;
}

export const botMeterRecord = record<BotMeterDoc>('bot_meters', {
  noun: 'meter',
  list: 'GET /api/bot-profiles',
  order: '-id',
  lacks: ['guid', 'updatedAt'],
  indexes: [{ keys: { tenantId: 1, identityId: 1, key: 1 }, unique: true }, { keys: { createdAt: 1 } }],
});
