// Sends digests of log lines to inboxes: each line is told once, whatever dies meanwhile, and no digest causes another.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { LogFinder } from '../../logs/finder.ts';
import type { LogTail } from '../../logs/tail.ts';
import type { Db } from '../../ports/db.ts';
import type { Inbox } from '../messages/inbox.ts';
import { createDigest, type Digest } from './digest.ts';
import { filterOf, takerOf } from './matching.ts';
import { type LogSubscriptionDoc, logSubscriptionRecord } from './record.ts';
import { dueAt, paceAfter } from './spacing.ts';

interface Deps {
  db: Db;
  clock: Clock;
  log: Logger;
  finder: LogFinder;
  tail: Pick<LogTail, 'settledId'>;
  inbox: Pick<Inbox, 'send'>;
  logsOf(tenantId: number): number[];
  /** Who made a subscription, with today's rights; null where they are not active any more. */
  makerOf(
    made: Pick<LogSubscriptionDoc, 'tenantId' | 'createdByUserId' | 'createdByIdentityId'>,
  ): Promise<Pick<Caller, 'permissions'> | null>;
}

/** Lines that one digest counts; of more it says so. */
const mostLines = 20_000;
/** Subscriptions that one round goes through at once. */
const pageSize = 100;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same subscriptions.
export function createLogCourier(deps: Deps) {
  const { db, clock, finder, tail, inbox, logsOf } = deps;
  // Lines that are written while a digest is sent are known as such, and count for no digest.
  const log = deps.log.child({ ofDigest: true });
  const subscriptions = db.collection(logSubscriptionRecord.spec);
  /** Up to where the log was looked through for nothing, and when the first line that waits was written. */
  const looked = new Map<number, { upTo: number; since: number | null }>();

  const switchOff = async ({ _id, tenantId }: LogSubscriptionDoc, why: string) => {
    await subscriptions.updateOne({ _id, tenantId }, { $set: { isActive: false, sendingTo: null } });
    log.info({ logSubscription: _id, tenant: tenantId }, `a log subscription is switched off: ${why}`);
  };

  /** The time of the first line that waits for a digest, or null. */
  async function firstWaiting(one: LogSubscriptionDoc, settled: number): Promise<number | null> {
    const known = looked.get(one._id);
    if (known?.since != null && known.upTo >= one.cursor) return known.since;
    const after = Math.max(one.cursor, known?.upTo ?? 0);
    if (settled <= after) return null;
    const takes = takerOf(one);
    const range = { order: 'oldest', after, before: settled + 1 } as const;
    for await (const entry of finder.lines(logsOf(one.tenantId), filterOf(one), range))
      if (takes(entry)) {
        looked.set(one._id, { upTo: entry.id, since: entry.at });
        return entry.at;
      }
    looked.set(one._id, { upTo: settled, since: null });
    return null;
  }

  /** The digest of lines after `cursor` up to a number: always the same one, whoever makes it. */
  async function digestOf(one: LogSubscriptionDoc, sendingTo: number): Promise<Digest | null> {
    const digest = createDigest();
    const takes = takerOf(one);
    const range = { order: 'oldest', after: one.cursor, before: sendingTo + 1 } as const;
    for await (const entry of finder.lines(logsOf(one.tenantId), filterOf(one), range)) {
      if (takes(entry)) digest.add(entry);
      if (digest.count >= mostLines) return digest.word(one, false);
    }
    return digest.count === 0 ? null : digest.word(one, true);
  }

  /** Sends what a claimed subscription tells of, and lets it go on after that. */
  async function send(one: LogSubscriptionDoc, sendingTo: number, since: number): Promise<void> {
    const { _id, tenantId, identityId, cursor } = one;
    const maker = await deps.makerOf(one);
    if (!maker?.permissions.has('LogsRead')) return switchOff(one, 'who made it may not read logs any more');
    const digest = await digestOf(one, sendingTo);
    if (digest) {
      const message = { content: digest.content, priority: digest.priority, type: 'System' as const, anyway: true };
      try {
        const key = `log-digest:${_id}:${cursor}`;
        await inbox.send({ ...message, tenantId, senderId: identityId, recipientIds: [identityId], key });
      } catch (error) {
        if (error instanceof Fault && error.code === 'NOT_FOUND') return switchOff(one, 'its identity is gone');
        throw error;
      }
    }
    const done = { cursor: sendingTo, sendingTo: null, ...paceAfter(one, since, clock.now()) };
    await subscriptions.updateOne({ _id, tenantId, cursor, sendingTo }, { $set: done });
    looked.delete(_id);
  }

  async function look(one: LogSubscriptionDoc): Promise<void> {
    // A digest that somebody began to send is sent by whoever sees it: under its key it arrives once.
    if (one.sendingTo !== null) return send(one, one.sendingTo, clock.now());
    const settled = await tail.settledId();
    const since = await firstWaiting(one, settled);
    if (since === null || clock.now() < dueAt(one, since)) return;
    const { _id, tenantId, cursor } = one;
    const free = { _id, tenantId, cursor, sendingTo: null, isActive: true };
    const claimed = await subscriptions.findOneAndUpdate(free, { $set: { sendingTo: settled } });
    if (claimed) await send(claimed, settled, since);
  }

  return {
    /** Sends what is due, for every tenant. */
    async round(): Promise<void> {
      const seen = new Set<number>();
      for (let after = 0; ; ) {
        const page = await subscriptions
          .find({ isActive: true, _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
          .toArray();
        for (const one of page) {
          seen.add(one._id);
          await look(one).catch((error: unknown) =>
            log.warn({ err: error, logSubscription: one._id }, 'a digest of log lines waits for the next attempt'),
          );
        }
        const last = page.at(-1);
        if (!last || page.length < pageSize) break;
        after = last._id;
      }
      for (const id of looked.keys()) if (!seen.has(id)) looked.delete(id);
    },
  };
}
