// Removes expired documents where the server does not do so itself: every node, once a minute, a few at a time.
import type { Db as DriverDb } from 'mongodb';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';

const everyMs = 60_000;
/** Documents that one call removes: other writes run between. */
const chunk = 200;

export function createExpiry({ db, clock, logger }: { db: DriverDb; clock: Clock; logger: Logger }) {
  const watched: { collection: string; path: string; afterSeconds: number }[] = [];
  let isSweeping = false;

  async function sweep(): Promise<void> {
    for (const { collection, path, afterSeconds } of watched) {
      const documents = db.collection(collection);
      const expired = { [path]: { $lte: new Date(clock.now() - afterSeconds * 1000) } };
      for (;;) {
        const some = await documents.find(expired, { projection: { _id: 1 }, limit: chunk }).toArray();
        if (some.length === 0) break;
        await documents.deleteMany({ ...expired, _id: { $in: some.map(({ _id }) => _id) } });
      }
    }
  }

  const stop = clock.every(everyMs, () => {
    if (watched.length === 0 || isSweeping) return;
    isSweeping = true;
    sweep()
      .catch((error: unknown) => logger.error({ err: error }, 'expired documents could not be removed'))
      .finally(() => {
        isSweeping = false;
      });
  });

  return {
    /** Expires documents of a collection `afterSeconds` after the Date at `path`. */
    watch(collection: string, path: string, afterSeconds: number) {
      const isKnown = watched.some((one) => one.collection === collection && one.path === path);
      if (!isKnown) watched.push({ collection, path, afterSeconds });
    },
    close: stop,
  };
}
