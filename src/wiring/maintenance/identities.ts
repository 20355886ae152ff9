// Identities whose time has passed are switched off, with their keys, so that nothing shows them as if they were there.
import type { AuthCollections } from '../../auth/collections.ts';
import { identityRecord } from '../../auth/collections.ts';
import type { Outcome, Task, TaskContext } from '../../groups/maintenance/tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  auth: AuthCollections;
  /** Sockets and caches follow. */
  accessChanged(): void;
}

const pageSize = 100;

export function identityTasks(deps: Deps): Record<'ExpireIdentities', Task> {
  return { ExpireIdentities: { scope: 'tenant', takes: ['dryRun'], work: (context) => expire(deps, context) } };
}

async function expire(deps: Deps, { tenants, dryRun, step }: TaskContext): Promise<Outcome> {
  const { clock, auth } = deps;
  const identities = createKeeper(identityRecord, deps);
  const keys = perTenant(auth.keys);
  const now = new Date(clock.now());
  const names: string[] = [];
  let revoked = 0;
  for (const tenantId of tenants)
    for (let after = 0; ; ) {
      const over = { deletedAt: null, isActive: true, expiresAt: { $gt: new Date(0), $lte: now }, _id: { $gt: after } };
      const page = await identities
        .of(tenantId)
        .find(over, { sort: { _id: 1 }, limit: pageSize })
        .toArray();
      for (const { _id, name } of page) {
        after = _id;
        names.push(name);
        if (dryRun) continue;
        const own = { identityId: _id, revokedAt: null };
        revoked += (await keys(tenantId).updateMany(own, { $set: { revokedAt: now } })).modifiedCount;
        await identities.change({ tenantId }, _id, { isActive: false });
      }
      await step(names.length);
      if (page.length < pageSize) break;
    }
  if (names.length > 0 && !dryRun) deps.accessChanged();
  return {
    processed: names.length,
    result: { expired: names.length, keysRevoked: revoked, names: names.slice(0, 100) },
  };
}
