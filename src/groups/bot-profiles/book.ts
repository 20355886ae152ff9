// Bots as chats and visitors find them, and the tokens that visitors may use.
import type { EndedReply } from '../../../runtime/chat/ports.ts';
import { authCollections } from '../../auth/collections.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createMeters } from './meters.ts';
import { type BotProfileDoc, botProfileRecord } from './record.ts';

/** `clientId` of the chats of visitors. */
export const visitorClient = 'public-bot';
/** Tokens that are taken for a reply before it is made, until what it used is known. */
export const reservedTokens = 10_000;
/** Where the day of a reply is kept with it: the key of the meter that it was taken from. */
export const dayKey = (at: number) => `tokens ${new Date(at).toISOString().slice(0, 10)}`;

export type OpenBots = ReturnType<typeof openBots>;

export function openBots({ db, ids, clock }: { db: Db; ids: Ids; clock: Clock }) {
  const all = db.collection(botProfileRecord.spec);
  const profiles = perTenant(all);
  const identities = perTenant(authCollections(db).identities);
  const meters = createMeters({ db, ids, clock });
  const isLive = async ({ tenantId, identityId }: BotProfileDoc) =>
    (await identities(tenantId).findOne({ _id: identityId, isActive: true, deletedAt: null })) !== null;
  return {
    meters,
    of: (tenantId: number, identityId: number): Promise<BotProfileDoc | null> =>
      profiles(tenantId).findOne({ identityId }),
    published: (tenantId: number): Promise<BotProfileDoc[]> => profiles(tenantId).find({ isPublished: true }).toArray(),
    /** The published bot of this name, of whichever tenant; null for any other. */
    async byName(guid: string): Promise<BotProfileDoc | null> {
      const bot = await all.findOne({ guid, isPublished: true });
      return bot && (await isLive(bot)) ? bot : null;
    },
    isLive,
    tokensToday: (bot: BotProfileDoc) => meters.used(bot, dayKey(clock.now())),
    /** Counts what a visitor's reply has really used; a reply whose server died counts as it was taken. */
    async ended({ session, message }: EndedReply): Promise<void> {
      const { tenantId, identityId, clientId } = session;
      if (clientId !== visitorClient || identityId === null) return;
      const used = message.usage.promptTokens + message.usage.completionTokens;
      await meters.settle({ tenantId, identityId }, dayKey(message.createdAt), used - reservedTokens);
    },
  };
}
