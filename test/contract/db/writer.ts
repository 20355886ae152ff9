// The child of the chaos test: 32 writers that say on stdout what the store has acknowledged, until they are killed.
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { accountsCollection, eventsCollection } from './crash-collections.ts';

const [folder = '', round = '0'] = process.argv.slice(2);
const writers = 32;

const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
await db.ensureIndexes([eventsCollection, accountsCollection]);
const events = db.collection(eventsCollection);
const accounts = db.collection(accountsCollection);
const ids = createIds({ db, blockSize: 8 });

/** Straight to the pipe: what is said before a kill must have left the process. */
function acknowledge(...words: (string | number)[]): void {
  const line = `${words.join(' ')}\n`;
  // The pipe is full while its reader has no time; a line goes in whole or not at all.
  for (;;)
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
}

async function write(writer: number): Promise<never> {
  for (let turn = 0; ; turn++) {
    const id = await ids.next('events');
    const key = `${round}-${writer}-${turn}`;
    await events.insertOne({ _id: id, key, writer, tags: [key, `w${writer}`], atUtc: new Date() });
    acknowledge('event', id, key);
    const bumped = await accounts.findOneAndUpdate(
      { _id: writer },
      { $inc: { writes: 1 }, $push: { log: key } },
      { upsert: true, returnDocument: 'after' },
    );
    acknowledge('account', writer, bumped!.writes);
    if (turn % 3 === 2) {
      await events.deleteOne({ _id: id });
      acknowledge('deleted', id);
    }
  }
}

await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
