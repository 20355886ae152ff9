// Opens the log: what keeps lines, what finds and follows them, and what sends digests of them.
import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import { createMakers } from '../groups/agent/routines/makers.ts';
import { createLogCourier } from '../groups/log-subscriptions/courier.ts';
import { logSubscriptionRecord } from '../groups/log-subscriptions/record.ts';
import { createLogTeller } from '../groups/log-subscriptions/teller.ts';
import type { Clock } from '../kernel/clock.ts';
import type { LogTap } from '../kernel/log-tap.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import { createLogBounds } from '../logs/bounds.ts';
import { serverTenant } from '../logs/chunk.ts';
import { createLogFinder } from '../logs/finder.ts';
import { createLogKeeper } from '../logs/keeper.ts';
import { createLogMarks } from '../logs/marks.ts';
import type { RunOwner } from '../logs/owners.ts';
import { createLogTail } from '../logs/tail.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { createProjectAccess } from '../projects/access.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  config: Config;
  tap: LogTap;
  storage: Storage;
  policies: Policies;
  /** The first tenant, whose server this is. */
  tenantId: number;
  nodeId: string;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for digests that are due. */
const lookEveryMs = 2000;
/** Numbers that a process takes at once of a series: each start has the next block. */
const idBlock = 64;

export type OpenLogs = Awaited<ReturnType<typeof openLogs>>;

/** What keeps and finds the log; it works from here on. */
export async function openLogs({ config, tap, storage, policies, tenantId, nodeId, clock, log }: Deps) {
  const { db, ids, runs } = storage;
  const bounds = createLogBounds({ db, most: { lines: config.logLines, bytes: config.logBytes } });
  const finder = createLogFinder({ db });
  const marks = storage.kind === 'MongoDB' ? createLogMarks({ db, clock, nodeId }) : null;
  const keeper = await createLogKeeper({
    ...{ db, clock, log, tap, nodeId, host: hostname(), operatorTenantId: tenantId, trim: bounds.trim },
    marks: marks ?? undefined,
    slot: Math.floor((await ids.next('log_writers')) / idBlock),
    runOwners: async (runIds) => {
      const found = await runs.runs.many(runIds);
      return new Map(found.map((run): [number, RunOwner] => [run.id, { tenantId: run.tenantId }]));
    },
  });
  const tail = createLogTail({ finder, keeper, clock, marks });
  const logsOf = (reader: number) => (reader === tenantId ? [reader, serverTenant] : [reader]);
  const dayMs = 86_400_000;
  return {
    ...{ finder, keeper, tail, logsOf, floor: bounds.floor, store: bounds },
    readerOf: (owner: number) => (owner === serverTenant ? tenantId : owner),
    shownFrom: async (reader: number) => {
      const { logRetentionDays } = await policies.of(reader);
      return clock.now() - Math.min(config.kept.logMs ?? Number.POSITIVE_INFINITY, logRetentionDays * dayMs);
    },
    close: keeper.close,
  };
}

interface DigestDeps extends Pick<Deps, 'storage' | 'clock' | 'log'> {
  logs: OpenLogs;
  streams: OpenStreams;
  runtime: OpenRuntime;
}

/** Who is told of lines: those who follow the topic, and inboxes. */
export function openLogDigests({ logs, storage, streams, runtime, clock, log }: DigestDeps) {
  const { db, ids, auth } = storage;
  const { acting, identities, inbox, roleDefaults, workRole } = runtime;
  const access = createProjectAccess({ db, clock });
  const { makerOf } = createMakers({ auth, access, acting, roleDefaults, workRole });
  const courier = createLogCourier({ ...logs, db, clock, log, inbox, makerOf });
  const { publisher } = streams;
  const teller = createLogTeller({
    ...{ db, clock, log, publisher, identities, readerOf: logs.readerOf },
    signals: streams.readySignals('log subscriptions'),
  });
  const stopTelling = logs.keeper.onKept((kept) => void teller.tell(kept));
  const rounds = createRounds({ clock, log: log.child({ ofDigest: true }) });
  rounds.start({ name: 'the digests of log lines', everyMs: lookEveryMs, work: courier.round });
  return {
    subscriptions: {
      ...{ identities, clock, changed: teller.changed },
      subscriptions: createKeeper(logSubscriptionRecord, { db, ids, clock }),
    },
    async close(): Promise<void> {
      stopTelling();
      await rounds.close();
    },
  };
}
export type OpenLogDigests = ReturnType<typeof openLogDigests>;
