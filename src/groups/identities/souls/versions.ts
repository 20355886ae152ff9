// The souls that an identity had: each change of what it is like makes one.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Db } from '../../../ports/db.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import { type By, createKeeper } from '../../../ports/keeper.ts';
import { record } from '../../../ports/record.ts';
import type { Roles } from '../../agent/roles/roles.ts';
import { settingOf } from '../settings.ts';
import { soulOf } from './mapping.ts';
import { writeSoul } from './soul.ts';

export interface SoulVersionDoc {
  _id: number;
  tenantId: number;
  identityId: number;
  /** Counts from 1 for each identity. */
  number: number;
  markdown: string;
  changedBy: string | null;
  createdAt: Date;
}

export const soulVersionRecord = record<SoulVersionDoc>('soul_versions', {
  noun: 'version of a soul',
  list: 'GET /api/identities/{id}/soul/versions',
  order: '-number',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, number: -1 }, unique: true },
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, _id: 1 } },
  ],
});

/** Versions that are kept of one identity; the oldest go first. */
const kept = 100;

export type SoulVersions = ReturnType<typeof createSoulVersions>;

export function createSoulVersions({ roles, ...deps }: { db: Db; ids: Ids; clock: Clock; roles: Pick<Roles, 'find'> }) {
  const keeper = createKeeper(soulVersionRecord, deps);
  const newest = (identityId: number, tenantId: number) =>
    keeper.of(tenantId).findOne({ identityId }, { sort: { number: -1 } });

  const keep = async (identity: IdentityDoc, changedBy: string | null): Promise<void> => {
    const { _id: identityId, tenantId } = identity;
    const { roleDefinitionId } = settingOf(identity, 'work');
    const role = roleDefinitionId === null ? null : await roles.find(tenantId, roleDefinitionId);
    const markdown = writeSoul(soulOf(identity, role));
    for (;;) {
      const last = await newest(identityId, tenantId);
      if (last?.markdown === markdown) return;
      const number = (last?.number ?? 0) + 1;
      try {
        await keeper.insert({ tenantId }, { identityId, number, markdown, changedBy });
      } catch (error) {
        if (isDuplicate(error)) continue;
        throw error;
      }
      await keeper.of(tenantId).deleteMany({ identityId, number: { $lte: number - kept } });
      return;
    }
  };

  return {
    keeper,
    /** The version before one; null for the first that is kept. */
    before: ({ tenantId, identityId, number }: SoulVersionDoc) =>
      keeper.of(tenantId).findOne({ identityId, number: { $lt: number } }, { sort: { number: -1 } }),
    /** Keeps what an identity is like now, if that is another soul than before. */
    async note(identity: IdentityDoc, before: IdentityDoc | null, by: By): Promise<void> {
      if (before && soulKey(identity) === soulKey(before)) return;
      // Not there yet where the server was older, or was stopped between the change and its version.
      if (before) await keep(before, null);
      await keep(identity, 'name' in by ? by.name : null);
    },
  };
}

/** What a soul is written from, without a look at the store: most changes of an identity leave it as it was. */
const soulKey = (identity: IdentityDoc) =>
  JSON.stringify([soulOf(identity, null), settingOf(identity, 'work').roleDefinitionId]);
