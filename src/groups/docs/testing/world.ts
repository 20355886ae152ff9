// Documents on a store of their own, with a project and people in it, for tests.
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { ProjectRole, UserRole } from '../../../contract/enums.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Indexes } from '../../../memory/ports.ts';
import type { Db } from '../../../ports/db.ts';
import type { Publication } from '../../../ports/stream.ts';
import { type ProjectDoc, projectRecord } from '../../../projects/record.ts';
import { createIds } from '../../../stores/ids.ts';
import { createNoVectors } from '../../../stores/vectors/none.ts';
import { createDocumentWords } from '../../../stores/words/documents.ts';
import type { PartBase } from '../../part.ts';
import { docRecord, passageRecord, versionRecord } from '../record.ts';
import { docsService } from '../service.ts';
import { shelfOf } from '../shelf.ts';

export type DocsWorld = Awaited<ReturnType<typeof createDocsWorld>>;

export async function createDocsWorld(wrap: (db: Db) => Db = (db) => db) {
  const clock = systemClock;
  const db = wrap(openTestDb());
  await db.ensureIndexes([docRecord.spec, versionRecord.spec, passageRecord.spec, projectRecord.spec]);
  const told: Publication[] = [];
  const indexes: Indexes = {
    words: createDocumentWords({ db }),
    vectors: createNoVectors(),
    embedder: { model: 'none', weights: { semantic: 0, keyword: 1 }, reads: () => false } as never,
    formerEmbedder: () => null,
  };
  const base = {
    db,
    ids: createIds({ db }),
    clock,
    indexes,
    publisher: { publish: async (one: Publication) => void told.push(one) },
    findRun: async () => null,
    // What documents never ask for.
    ...({} as Pick<PartBase, 'signer' | 'versions' | 'outside' | 'dataDir' | 'pastRuns' | 'alone' | 'units'>),
  };
  const shelf = shelfOf(base);
  const project = async (_id: number, members: Partial<Record<number, ProjectRole>> = {}, more: object = {}) => {
    const all = Object.entries(members).map(([userId, role], at) => ({
      id: at + 1,
      userId: Number(userId),
      identityId: null,
      role,
      addedAt: new Date(),
    }));
    const doc = {
      _id,
      tenantId: 1,
      guid: `g${_id}`,
      key: `P${_id}`,
      name: `Project ${_id}`,
      status: 'Active',
      tags: [],
    };
    const rest = { ownerUserId: null, leadIdentityId: null, siteEnabled: false, siteSlug: null, deletedAt: null };
    const whole = { ...doc, ...rest, members: all, createdAt: new Date(), updatedAt: new Date(), ...more };
    await db.collection(projectRecord.spec).insertOne(whole as unknown as ProjectDoc);
  };
  return { db, base, shelf, told, project, handlers: docsService(shelf).handlers };
}

/** Somebody of the tenant; user 1 is its owner. */
export const somebody = (userId: number, role: UserRole = userId === 1 ? 'Owner' : 'Member', tenantId = 1) =>
  ({ tenantId, userId, identityId: null, role, name: `user ${userId}`, permissions: new Set() }) as unknown as Caller;
