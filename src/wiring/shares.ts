// Links to runs and chats, for those who make them and for those who read by them.
import type { Engine } from '../../runtime/engine.ts';
import type { RunRecord } from '../../runtime/records.ts';
import type { IdentityDoc, UserDoc } from '../auth/documents.ts';
import type { Config } from '../config.ts';
import type { FindRun } from '../groups/agent/runs/find-run.ts';
import { addressOf, type OwnAddress } from '../groups/base-url.ts';
import { framersOf } from '../groups/shares/holds.ts';
import { publicSharesService } from '../groups/shares/public-service.ts';
import { shareRecord } from '../groups/shares/record.ts';
import { sharesService } from '../groups/shares/service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { PerTenant } from '../ports/tenanted.ts';
import { createRunFiles } from '../run-places/run-files.ts';
import type { OpenChat } from './chat.ts';
import type { OpenSandboxes } from './sandboxes.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  engine: Engine;
  findRun: FindRun;
  getRun(id: number, tenantId: number): Promise<RunRecord | null>;
  users: PerTenant<UserDoc>;
  identities: PerTenant<IdentityDoc>;
  chats: OpenChat;
  sandboxes: OpenSandboxes;
  streams: OpenStreams;
  config: Config;
  system: OwnAddress;
}

interface Framing extends Pick<Deps, 'clock'> {
  storage: { db: Db };
  runtime: Pick<Deps, 'users' | 'identities'>;
}

/** Who may frame what links show. */
export function framersOfShares({ storage, runtime, clock }: Framing) {
  const { users, identities } = runtime;
  const shares = storage.db.collection(shareRecord.spec);
  return (guid: string) => framersOf({ shares, users, identities, clock }, guid);
}

export function servicesOfShares(deps: Deps) {
  const { db, ids, clock, chats, sandboxes, streams, system } = deps;
  return [
    sharesService({
      ...deps,
      shares: createKeeper(shareRecord, { db, ids, clock }),
      access: chats.access,
      publicUrl: () => addressOf(system),
    }),
    publicSharesService({
      ...deps,
      shares: db.collection(shareRecord.spec),
      files: createRunFiles(sandboxes.sandboxes),
      follower: streams.follower,
    }),
  ];
}
