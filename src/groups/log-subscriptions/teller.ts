// Publishes lines that log subscriptions take on the topic logs, as they are kept; each node those that it wrote.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { LogEntry } from '../../logs/entry.ts';
import type { KeptLines } from '../../logs/keeper.ts';
import type { Db } from '../../ports/db.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { createReadyMatchers, type ReadySignals } from '../ready-matchers.ts';
import { toSystemLogDtos } from '../system-logs/show.ts';
import { takerOf } from './matching.ts';
import { logSubscriptionRecord } from './record.ts';

interface Deps {
  db: Db;
  clock: Clock;
  log: Logger;
  publisher: Publisher;
  identities: PerTenant<IdentityDoc>;
  /** Whose topic has the lines of a log: the server's own are the operator's. */
  readerOf(logTenantId: number): number;
  /** Tells other nodes of changes of subscriptions; null where there are none. */
  signals: ReadySignals | null;
}

/** Lines that are published at once; who wants all of them follows the log itself. */
const mostLines = 200;
const mostSubscriptions = 1000;

export function createLogTeller({ db, clock, log: logger, publisher, identities, readerOf, signals }: Deps) {
  const log = logger.child({ ofDigest: true });
  const subscriptions = db.collection(logSubscriptionRecord.spec);
  const takersOf = createReadyMatchers({ clock, signals }, async (tenantId) => {
    const active = { tenantId, isActive: true };
    return (await subscriptions.find(active, { limit: mostSubscriptions }).toArray()).map(takerOf);
  });

  async function publish(tenantId: number, entries: readonly LogEntry[]): Promise<void> {
    for (const data of await toSystemLogDtos(identities, tenantId, entries)) {
      const told = { tenantId, topics: ['logs'], type: 'log.written' as const, data };
      await publisher.publish(told);
    }
  }

  return {
    /** Forgets what is known of a tenant's subscriptions; call after they have changed. */
    changed: takersOf.changed,
    async tell(kept: readonly KeptLines[]): Promise<void> {
      for (const lines of kept) {
        const tenantId = readerOf(lines.tenantId);
        try {
          const takers = await takersOf.read(tenantId);
          if (takers.length === 0) continue;
          const taken = lines.read().filter((entry) => takers.some((takes) => takes(entry)));
          await publish(tenantId, taken.slice(0, mostLines));
        } catch (error) {
          log.debug({ err: error }, 'lines of the log were not published');
        }
      }
    },
  };
}
