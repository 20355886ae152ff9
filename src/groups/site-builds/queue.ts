// The queue of site builds: a later request takes the place of one that waits, and one builder has a project at a time.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { type By, createKeeper } from '../../ports/keeper.ts';
import { onceMark } from '../../ports/once.ts';
import { polled } from '../../ports/polled.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import { SiteBuildDto } from './dto.ts';
import { type SiteBuildDoc, siteBuildRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
}

export interface Claim {
  /** Only builds of this tenant; of all where the server itself claims. */
  tenantId?: number;
  projectId?: number | null | undefined;
  by: string;
  builderHost: string;
  leaseMs: number;
  /** Who asks for it, whose write it is; nobody where the server itself claims. */
  caller?: By;
}

export interface Outcome {
  success: boolean;
  commitSha?: string | null | undefined;
  detail?: string | null | undefined;
}

/** Builders that may be lost with a build before it has failed. */
const mostAttempts = 3;
/** Builds that wait which one claim looks at. */
const looked = 200;

export const toBuildDto = (doc: SiteBuildDoc): SiteBuildDto =>
  shown(SiteBuildDto, doc, { requestedAtUtc: doc.createdAt.toISOString() });

export function createBuildQueue(deps: Deps) {
  const core = createCore(deps);
  const { builds } = core;
  const lastPublished = (tenantId: number, projectId: number) =>
    builds.of(tenantId).findOne({ projectId, status: 'Published' }, { sort: { _id: -1 } });
  return {
    builds,
    ...requests(core),
    ...leases(core),
    ...endings(core),
    newest: (tenantId: number, projectId: number) => builds.of(tenantId).findOne({ projectId }, { sort: { _id: -1 } }),
    lastPublished,
    /** Whether it was asked for with force, or takes the place of one that was. */
    async isForced({ tenantId, projectId, _id }: SiteBuildDoc): Promise<boolean> {
      const since = (await lastPublished(tenantId, projectId))?._id ?? 0;
      const forced = { projectId, isForced: true, _id: { $gt: since, $lte: _id } };
      return (await builds.of(tenantId).findOne(forced)) !== null;
    },
  };
}
export type BuildQueue = ReturnType<typeof createBuildQueue>;

function createCore({ publisher, ...deps }: Deps) {
  const { db, clock } = deps;
  const builds = createKeeper(siteBuildRecord, {
    ...deps,
    told: async ({ doc }) => {
      const topics = [`project:${doc.projectId}`];
      await publisher.publish({ tenantId: doc.tenantId, topics, type: 'sitebuild.updated', data: toBuildDto(doc) });
    },
  });
  const now = () => new Date(clock.now());
  /** Changes a build that is still in one of these states; null when it is not. */
  const step = async (by: By, id: number, from: Partial<SiteBuildDoc>, to: Partial<SiteBuildDoc>) => {
    try {
      return await builds.change(by, id, to, { within: from, expecting: ['status', 'claimToken'] });
    } catch (error) {
      if (error instanceof Fault && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  };
  /** Builds of a project that wait no more, since a later one does. */
  const supersede = async (by: By, projectId: number, before: number): Promise<void> => {
    const older = await builds
      .of(by.tenantId)
      .find({ projectId, status: 'Queued', _id: { $lt: before } })
      .toArray();
    const to = { status: 'Superseded', finishedAt: now(), detail: `Build ${before} takes its place.` } as const;
    for (const { _id } of older) await step(by, _id, { status: 'Queued' }, to);
  };
  return { builds, all: db.collection(siteBuildRecord.spec), clock, now, step, supersede };
}
type Core = ReturnType<typeof createCore>;
type Asked = Pick<SiteBuildDoc, 'projectId' | 'requestedByUserId' | 'requestedByName' | 'detail' | 'isForced'>;

const requests = ({ builds, supersede }: Core) => ({
  async request(by: By, build: Asked) {
    const none = { startedAt: null, finishedAt: null, commitSha: null, builderHost: null };
    const free = { leaseUntil: null, claimToken: null, claimedBy: null, claimMark: null, attempts: 0 };
    const made = await builds.insert(by, { ...build, ...none, ...free, status: 'Queued' });
    // After it is there: of two at once the later one stays.
    await supersede(by, build.projectId, made._id);
    return made;
  },
});

const ofWhom = ({ tenantId, projectId }: Claim) => ({
  ...(tenantId !== undefined && { tenantId }),
  ...(projectId != null && { projectId }),
});

function leases({ builds, all, clock, now, step, supersede }: Core) {
  const endOf = (leaseMs: number) => new Date(clock.now() + leaseMs);
  const take = async (
    build: SiteBuildDoc,
    { by, builderHost, leaseMs, caller }: Claim,
  ): Promise<SiteBuildDoc | null> => {
    const claimed = { claimToken: randomUUID(), claimMark: onceMark(), claimedBy: by, builderHost };
    const lease = { leaseUntil: endOf(leaseMs), ...claimed };
    const began = { status: 'Building', startedAt: now(), attempts: build.attempts + 1 } as const;
    try {
      const whose = caller ?? { tenantId: build.tenantId };
      return await step(whose, build._id, { status: 'Queued' }, { ...began, ...lease });
    } catch (error) {
      // Another build of the project is under way.
      if (isDuplicate(error)) return null;
      throw error;
    }
  };
  const queued = polled(
    all,
    (claim: Claim) => all.find({ status: 'Queued', ...ofWhom(claim) }, { sort: { _id: 1 }, limit: looked }).toArray(),
    // For others than who asked.
    { status: 'Queued' },
  );
  return {
    /** The oldest build that waits and that may begin now; null when there is none. */
    async claim(claim: Claim): Promise<SiteBuildDoc | null> {
      const waiting = await queued(claim);
      // Where a request died between its two writes, the newest of a project counts.
      const newest = new Map(waiting.map((build) => [`${build.tenantId} ${build.projectId}`, build]));
      for (const build of newest.values()) {
        const taken = await take(build, claim);
        if (!taken) continue;
        await supersede(claim.caller ?? { tenantId: taken.tenantId }, taken.projectId, taken._id);
        return taken;
      }
      return null;
    },
    /** The build that a builder holds already, with a lease that begins anew. */
    async prolong(claim: Claim): Promise<SiteBuildDoc | null> {
      const { by, builderHost, leaseMs, caller } = claim;
      const held = { status: 'Building', claimedBy: by, builderHost, ...ofWhom(claim) } as const;
      const leaseUntil = endOf(leaseMs);
      const before = await all.findOneAndUpdate(held, { $set: { leaseUntil } }, { returnDocument: 'before' });
      if (!before) return null;
      const doc = { ...before, leaseUntil };
      if (caller) noteWrite(caller, { kind: siteBuildRecord.noun, how: 'changed', doc, before });
      return doc;
    },
    /** What this request claimed in an earlier attempt. */
    async claimedBefore(tenantId: number): Promise<SiteBuildDoc | null> {
      const claimMark = onceMark();
      return claimMark === null ? null : builds.of(tenantId).findOne({ claimMark });
    },
    /** False when the claim is no longer the one that holds the build. */
    async renew({ _id, claimToken, tenantId }: SiteBuildDoc, leaseMs: number): Promise<boolean> {
      const held = { _id, status: 'Building', claimToken } as const;
      const { matchedCount } = await builds.of(tenantId).updateOne(held, { $set: { leaseUntil: endOf(leaseMs) } });
      return matchedCount > 0;
    },
  };
}

function endings({ all, now, step }: Core) {
  const hasEnded = ({ leaseUntil }: SiteBuildDoc) => leaseUntil !== null && leaseUntil <= now();
  return {
    /** Null when the claim is no longer the one that holds the build. */
    complete: (build: SiteBuildDoc, { success, commitSha, detail }: Outcome, by: By = { tenantId: build.tenantId }) => {
      const ended = { finishedAt: now(), leaseUntil: null, commitSha: commitSha ?? null };
      const to = { status: success ? 'Published' : 'Failed', ...ended, ...(detail != null && { detail }) } as const;
      return step(by, build._id, { status: 'Building', claimToken: build.claimToken }, to);
    },
    /** Puts builds back whose builders are lost; one that has lost several has failed. */
    async recover(isLost: (build: SiteBuildDoc) => boolean = hasEnded): Promise<void> {
      const building = await all.find({ status: 'Building' }, { sort: { _id: 1 }, limit: looked }).toArray();
      for (const { _id, tenantId, claimToken, attempts, builderHost } of building.filter(isLost)) {
        const free = { leaseUntil: null, claimToken: null };
        const again = { ...free, status: 'Queued', startedAt: null } as const;
        const detail = `Given up: ${attempts} builders were lost with it, ${builderHost} last. The site is as it was.`;
        const failed = { ...free, status: 'Failed', finishedAt: now(), detail } as const;
        const to = attempts < mostAttempts ? again : failed;
        await step({ tenantId }, _id, { status: 'Building', claimToken }, to);
      }
    },
  };
}
