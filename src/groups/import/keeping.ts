// Imports as they are kept: whose they are, and who is told of them.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db, Filter } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { type Publisher, personalTopic } from '../../ports/stream.ts';
import { ImportDto } from './dto.ts';
import { type ImportDoc, importRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
}

export const toImportDto = (doc: ImportDoc): ImportDto =>
  shown(ImportDto, doc, { restoredCount: doc.restoredCount ?? 0 });

/** Histories of people are private: an import is its uploader's until it is committed. */
export const ownImports = (caller: Who): Filter<ImportDoc> => ({ owner: ownerOf(caller) });

type Who = Pick<Caller, 'userId' | 'identityId'>;

export const ownerOf = ({ userId, identityId }: Who): string =>
  userId === null ? `identity ${identityId}` : `user ${userId}`;

export function createImports({ publisher, ...deps }: Deps) {
  return createKeeper(importRecord, {
    ...deps,
    told: async ({ how, doc }) => {
      if (how === 'removed') return;
      const { _id, tenantId, ownerUserId, ownerIdentityId } = doc;
      const owner = ownerUserId === null ? { identityId: ownerIdentityId ?? 0 } : { userId: ownerUserId };
      const topics = [`import:${_id}`, personalTopic('me', owner)];
      await publisher.publish({ tenantId, topics, type: 'import.updated', data: toImportDto(doc) });
    },
  });
}
export type Imports = ReturnType<typeof createImports>;
