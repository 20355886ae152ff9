// What the demo stands on: the operations of all groups, and the deletions that retention does.
import { unended } from '../../runtime/state/run.ts';
import type { Config } from '../config.ts';
import { removeChats } from '../groups/chat/retention.ts';
import { createBook } from '../groups/demo/book.ts';
import type { DemoDeps } from '../groups/demo/service.ts';
import { removeThreads } from '../groups/messages/retention.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Perform } from '../ports/perform.ts';
import { perTenant } from '../ports/tenanted.ts';
import { removeParts, removeTreesNow, retentionBase } from '../retention/rules.ts';
import { runs as runSpec } from '../stores/runs/collections.ts';
import { threadsOf } from './demo-threads.ts';
import { ofRuns } from './retention.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  storage: Storage;
  streams: Pick<OpenStreams, 'publisher'>;
  runtime: Pick<OpenRuntime, 'engine'>;
  perform: Perform;
  config: Config;
  clock: Clock;
}

export function demoOf({ storage, streams, runtime, perform, config, clock }: Deps): DemoDeps {
  const { db } = storage;
  const { engine } = runtime;
  const runs = perTenant(db.collection(runSpec));
  return {
    db,
    clock,
    perform,
    book: createBook({ db, clock, alone: storage.kind === 'embedded' }),
    activeOf: async (tenantId, ids) => {
      const active = { _id: { $in: [...ids] }, status: { $in: [...unended] } };
      const found = await runs(tenantId)
        .find(active, { projection: { _id: 1 } })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    membersOf: async (tenantId, roots) => {
      const below = { rootRunId: { $in: [...roots] } };
      const found = await runs(tenantId)
        .find(below, { projection: { _id: 1 } })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    threadsOf: (tenantId, of) => threadsOf(db, tenantId, of),
    removeThreads: (tenantId, ids) => removeThreads(db, tenantId, ids),
    async removeTrees(tenantId, roots) {
      const removed = await removeTreesNow({ db, engine, ofRuns }, tenantId, roots);
      await db.scrub?.();
      const atUtc = new Date(clock.now()).toISOString();
      for (const id of roots)
        await streams.publisher.publish({
          ...{ tenantId, topics: ['runs'], type: 'run.deleted' },
          data: { kind: 'Run', id, atUtc },
        });
      return removed;
    },
    removeLate: (tenantId, runIds) =>
      removeParts(
        { db, ofRuns },
        runIds.map((_id) => ({ _id, tenantId })),
      ),
    removeChats: (tenantId, ids) => removeChats(retentionBase({ ...storage, config, clock }), tenantId, ids),
  };
}
