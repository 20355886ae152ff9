// Opens the document store that the settings ask for and brings it up to date.
import { authCollections, authSpecs } from '../auth/collections.ts';
import type { Config } from '../config.ts';
import { feedbackSpec } from '../groups/agent/feedback/feedback.ts';
import { noteSpec } from '../groups/agent/notes/notes.ts';
import { roleSpec } from '../groups/agent/roles/roles.ts';
import { taskSpec } from '../groups/agent/tasks/tasks.ts';
import { profileSpec } from '../groups/agent/tool-profiles/profiles.ts';
import { createMeters } from '../groups/billing/meters.ts';
import { createPlans } from '../groups/billing/plans.ts';
import { createQuotas } from '../groups/billing/quotas.ts';
import { chatSpecs } from '../groups/chat/documents.ts';
import { keptResponseSpec } from '../groups/chat-completions/kept-responses.ts';
import { heardSpec } from '../groups/hearing.ts';
import { presenceSpec } from '../groups/identities/presence-states.ts';
import { messageSpecs } from '../groups/messages/documents.ts';
import { parts } from '../groups/parts.ts';
import { snapshotRecord, workspaceRecord } from '../groups/workspaces/records.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import { createSigner } from '../kernel/signer.ts';
import { createVault } from '../kernel/vault.ts';
import { migrationsWith } from '../migrations/list.ts';
import { createOrgUnits } from '../org-units/units.ts';
import { aiRouterSpecs } from '../ports/ai-router.ts';
import type { AnyCollectionSpec, Db } from '../ports/db.ts';
import { serverStateSpec } from '../ports/server-state.ts';
import { perTenant } from '../ports/tenanted.ts';
import { createVersions, versionsSpec } from '../ports/versions.ts';
import { believedCollection, createBelievedTime } from '../retention/believed-time.ts';
import { dutyCollection } from '../retention/duty.ts';
import { sharedFolderSpec } from '../run-places/shared-folders.ts';
import { openEmbeddedDb } from '../stores/embedded/db.ts';
import { createIdempotencyStore, idempotencyCollection } from '../stores/idempotency.ts';
import { countersCollection, createIds } from '../stores/ids.ts';
import { appliedCollection, lockCollection, migrate } from '../stores/migrations.ts';
import { requireMoved } from '../stores/move.ts';
import { withOwnDocuments } from '../stores/own-documents.ts';
import { createRepairs } from '../stores/repairs.ts';
import { removedRuns, runCollections, runs } from '../stores/runs/collections.ts';
import { createRunStore } from '../stores/runs/run-store.ts';
import { withSealedDocuments } from '../stores/sealed-documents.ts';
import { wordSpec } from '../stores/words/documents.ts';
import { streamCollections } from '../stream/log/db-event-store.ts';

/** Every collection of the server. */
export const collections: readonly AnyCollectionSpec[] = [
  appliedCollection,
  countersCollection,
  lockCollection,
  ...authSpecs,
  ...streamCollections,
  ...runCollections,
  ...messageSpecs,
  presenceSpec,
  heardSpec,
  ...aiRouterSpecs,
  ...chatSpecs,
  idempotencyCollection,
  feedbackSpec,
  noteSpec,
  profileSpec,
  roleSpec,
  keptResponseSpec,
  taskSpec,
  sharedFolderSpec,
  workspaceRecord.spec,
  snapshotRecord.spec,
  dutyCollection,
  believedCollection,
  serverStateSpec,
  wordSpec,
  versionsSpec,
  ...parts.flatMap(({ records }) => records.map(({ spec }) => spec)),
];

/** Milliseconds between two repair passes. */
const repairEveryMs = 30_000;

interface StorageOptions {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Whether commits of the embedded store wait for the disk. */
  durable?: boolean;
}

/** The store with ids, repairs, idempotency and the run store. */
export async function openStorage({ config, clock, log, durable = true }: StorageOptions) {
  const embedded = config.mongoUri
    ? null
    : openEmbeddedDb({ folder: config.dataDir, clock, logger: log, ...(durable ? {} : { sync: null }) });
  const stored =
    embedded ??
    (await (
      await import('../stores/mongo/db.ts')
    ).openMongoDb({
      uri: config.mongoUri as string,
      clock,
      logger: log,
    }));
  const memorySeals = createVault({ ...config, purpose: 'memories' });
  const db = withOwnDocuments(withSealedDocuments(stored, memorySeals, collections));
  const vault = createVault({ ...config, purpose: 'runs' });
  const alone = config.mongoUri === null;
  // The first document of any store takes an id from a counter.
  const isNew = async () => (await db.collection(countersCollection).findOne({})) === null;
  if (!embedded)
    await requireMoved(config.dataDir, isNew).catch(async (error) => {
      await db.close();
      throw error;
    });
  await migrate({ db, migrations: migrationsWith(vault), clock, logger: log, alone, isNew });
  await db.ensureIndexes(collections);
  const ids = createIds({ db, ...(alone ? {} : { shared: clock }) });
  const repairs = createRepairs({ db, clock, logger: log });
  const idempotency = createIdempotencyStore({
    db,
    clock,
    logger: log,
    vault: createVault({ ...config, purpose: 'idempotency' }),
    alone,
  });
  const rounds = createRounds({ clock, log });
  return {
    db,
    ...quotasOf(db, clock),
    /** The file of the embedded store, for vectors and words; null with MongoDB. */
    file: embedded?.file ?? null,
    dataDir: config.dataDir,
    kind: config.mongoUri ? ('MongoDB' as const) : ('embedded' as const),
    ids,
    signer: createSigner(config),
    memorySeals,
    versions: createVersions({ db, clock }),
    units: createOrgUnits({ db, clock }),
    /** The time by which ages are counted. */
    believedTime: createBelievedTime({ db, clock, log }),
    auth: authCollections(db),
    idempotency,
    runs: createRunStore({ db, ids, logger: log, clock, alone, vault }),
    repairs,
    /** Runs the repairs of what dead writers left, now and periodically; call it when every repair is registered. */
    startRepairs: async () => {
      await repairs.run();
      rounds.start({ name: 'what dead writers left', everyMs: repairEveryMs, work: () => repairs.run() });
    },
    close: async () => {
      await rounds.close();
      await idempotency.close();
      await db.close();
    },
  };
}

/** What tenants have used, and what their plans allow. */
function quotasOf(db: Db, clock: Clock) {
  const of = { db, runs: perTenant(db.collection(runs)), removedRuns: perTenant(db.collection(removedRuns)) };
  const meters = createMeters(of);
  return { meters, quotas: createQuotas({ db, clock, meters, plans: createPlans({ db }) }) };
}

export type Storage = Awaited<ReturnType<typeof openStorage>>;
