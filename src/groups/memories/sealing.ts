// Which memories are stored encrypted: those of identities that ask for it, and of tenants that require it.
import { randomUUID } from 'node:crypto';
import { authCollections } from '../../auth/collections.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Round } from '../../kernel/rounds.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { Collection, Db, Filter } from '../../ports/db.ts';
import { hasAny, polled } from '../../ports/polled.ts';
import { policySpec } from '../../ports/tenant-policy.ts';
import { settingOf } from '../identities/settings.ts';
import { type MemoryDoc, memoryRecord } from './record.ts';

interface Deps {
  db: Db;
  indexes: Pick<Indexes, 'seals' | 'scrub'>;
}

/** The mark of identities whose settings have changed; each is another, so that one that comes meanwhile is not lost. */
export const askedNow = () => `${asked} ${randomUUID()}`;
const [asked, marked] = ['asked', 'marked'];

/** Milliseconds between two looks for settings that have changed. */
const everyMs = 1000;
/** Memories that are marked at once, and identities that are looked at in a round. */
const [chunk, some] = [500, 100];

export function createSealing({ db, indexes }: Deps) {
  const { identities } = authCollections(db);
  const policies = db.collection(policySpec);

  /** The key that encrypts what the identity remembers from now on; null where nobody asks for that. */
  async function keyOf(tenantId: number, identityId: number): Promise<string | null> {
    if (!indexes.seals) return null;
    const [policy, identity] = await Promise.all([
      policies.findOne({ _id: tenantId }),
      identities.findOne({ _id: identityId, tenantId }),
    ]);
    const asked = identity !== null && settingOf(identity, 'memory').encryptionEnabled;
    return asked || policy?.memoryEncryptionRequired ? indexes.seals.keyId : null;
  }

  return {
    keyOf,
    /** What is digested with the tenant's key for encrypted memories, and without it for others. */
    digest: (tenantId: number, sealedBy: string | null | undefined, digest: string): string =>
      sealedBy && indexes.seals ? indexes.seals.digest(tenantId, digest) : digest,
    /** All that a text may have been digested as. */
    digests: (tenantId: number, digest: string): string[] =>
      indexes.seals ? [digest, indexes.seals.digest(tenantId, digest)] : [digest],
  };
}
export type Sealing = ReturnType<typeof createSealing>;

/**
 * The background work after a change of settings: marks the memories that are stored otherwise for the indexing, which
 * writes them anew one by one, and empties the store's log when the last one is done. Each step is an intent in a document,
 * so that it goes on where a process that died has left it.
 */
export function createSealingRound({ db, indexes }: Deps): Round {
  const { identities } = authCollections(db);
  const policies = db.collection(policySpec);
  const memories = db.collection(memoryRecord.spec);
  const { keyOf } = createSealing({ db, indexes });
  /** Keys of former secrets of the server, which changes with a restart alone. */
  let former = indexes.seals?.keyIds.filter((key) => key !== indexes.seals?.keyId) ?? [];

  const unsettledPolicies = polled(policies, () =>
    policies.find({ memoriesUnsettled: true }, { limit: some }).toArray(),
  );
  const unsettled = polled(identities, () =>
    identities.find({ memoriesUnsettled: { $gt: '' } }, { limit: some }).toArray(),
  );

  async function spread(): Promise<void> {
    for (const { _id, version } of await unsettledPolicies()) {
      await identities.updateMany({ tenantId: _id }, { $set: { memoriesUnsettled: askedNow() } });
      await policies.updateOne({ _id, version }, { $set: { memoriesUnsettled: false } });
    }
  }

  async function settle(identity: IdentityDoc): Promise<void> {
    const { _id, tenantId, memoriesUnsettled = null } = identity;
    const others = othersOf(tenantId, _id, await keyOf(tenantId, _id));
    if (memoriesUnsettled?.startsWith(asked)) {
      for (const filter of others) await mark(memories, filter);
      await identities.updateOne({ _id, memoriesUnsettled }, { $set: { memoriesUnsettled: marked } });
      return;
    }
    for (const filter of others) if (await hasAny(memories, filter)) return;
    // Indexes and the graph have the former text until what was written anew has been indexed.
    if (await hasAny(memories, { tenantId, identityId: _id, pending: true })) return;
    // What was there before is still in the log, and in pages that are free now.
    await indexes.scrub?.();
    await identities.updateOne({ _id, memoriesUnsettled }, { $set: { memoriesUnsettled: null } });
  }

  return {
    name: 'memories to encrypt or decrypt',
    everyMs,
    work: async () => {
      for (const key of former) await markSealedBy(db, key);
      former = [];
      await spread();
      for (const one of await unsettled()) await settle(one);
    },
  };
}

/** Has the indexing write anew what a key has encrypted; it goes on by itself, also after a crash. */
export const markSealedBy = (db: Db, key: string): Promise<void> =>
  mark(db.collection(memoryRecord.spec), { sealedBy: key });

/** An identity's memories that are not stored with the key, as filters that an index answers. */
function othersOf(tenantId: number, identityId: number, key: string | null): Filter<MemoryDoc>[] {
  const own = { tenantId, identityId };
  if (key === null) return [{ ...own, sealedBy: { $gt: '' } }];
  return [null, { $lt: key }, { $gt: key }].map((sealedBy) => ({ ...own, sealedBy }) as Filter<MemoryDoc>);
}

/** Marks memories that are written anew by the indexing. */
async function mark(memories: Collection<MemoryDoc>, filter: Filter<MemoryDoc>): Promise<void> {
  for (let after = 0; ; ) {
    const found = await memories
      .find({ ...filter, _id: { $gt: after } }, { sort: { _id: 1 }, limit: chunk, projection: { _id: 1 } })
      .toArray();
    const ids = found.map(({ _id }) => _id);
    if (ids.length === 0) return;
    await memories.updateMany({ _id: { $in: ids } }, { $set: { pending: true }, $inc: { revision: 1 } });
    after = ids.at(-1) as number;
  }
}
