// The contract on MongoDB-compatible servers over the wire: on all that can be started here.
import { silentLogger } from '../../../src/kernel/logger.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { runCollections } from '../../../src/stores/runs/collections.ts';
import { createRunStore } from '../../../src/stores/runs/run-store.ts';
import { onEachServer } from '../../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer, type ServerKind } from '../../support/servers/mongo.ts';
import { notAtomic } from '../db/deviations.ts';
import { runStoreContract } from './suite.ts';

const ferretDeviations = Object.fromEntries(
  [
    'a change appends to the logs in order and everything is seen at once',
    'the journal keeps the newest state of a call',
    'concurrent changes of two processes all count, and refusals change nothing',
    // The outbox of a new run is cleared by the process that added it, while the other changes the run.
    'a decision is made on the newest state, not on what was known',
    'trees change by compare-and-set under contention',
    'a tree of many runs is the same for every process, whoever changes it',
    'lists of a run that grow long are whole for every process, and begin anew',
  ].map((title) => [title, notAtomic]),
);

/** The indexes of the run store; FerretDB 1 has no partial ones, which are for speed only. */
const collectionsOn = (kind: ServerKind) =>
  runCollections.map((spec) =>
    kind === ferretdb ? { ...spec, indexes: spec.indexes.filter((index) => !index.partialFilterExpression) } : spec,
  );

await onEachServer('run store', [configured, ferretdb, mongoJavaServer], (kind, open) =>
  runStoreContract({
    name: kind.name,
    deviations: kind === ferretdb ? ferretDeviations : {},
    async open() {
      const { db, close } = await open();
      await db.ensureIndexes(collectionsOn(kind));
      const connect = () => createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
      const [store, other] = [connect(), connect()];
      return {
        store,
        other,
        async close() {
          await Promise.all([store.drain(), other.drain()]);
          await close();
        },
      };
    },
  }),
);
