// Serves builds of sites: who may ask for one, claim one and complete one.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import { siteBuilds } from './contract.ts';
import { type BuildQueue, toBuildDto } from './queue.ts';
import type { SiteStatusOf } from './status.ts';

interface Deps {
  queue: BuildQueue;
  projects: ProjectAccess;
  statusOf: SiteStatusOf;
}

const defaultLeaseSeconds = 300;

export const siteBuildsService = implement(siteBuilds, ({ queue, projects, statusOf }: Deps) => ({
  request: async ({ caller, params, body }) => {
    const { project } = await projects.require(caller, params.projectId, 'Contributor');
    if (!project.siteEnabled)
      throw new Fault('CONFLICT', `The project ${project.name} has no public site.`, {
        hint: `Switch it on: PATCH /api/projects/${project._id} with {"siteEnabled": true}.`,
      });
    const { _id: projectId } = project;
    const by = { requestedByUserId: caller.userId, requestedByName: caller.name };
    const build = { projectId, ...by, detail: body.detail ?? null, isForced: body.force ?? false };
    return toBuildDto(await queue.request(caller, build));
  },
  status: async ({ caller, params: { projectId } }) => {
    const { project } = await projects.require(caller, projectId);
    return statusOf(caller, project);
  },
  claim: async ({ caller, body: { builderHost, projectId, leaseSeconds } }) => {
    if (projectId != null) await projects.require(caller, projectId);
    const leaseMs = (leaseSeconds ?? defaultLeaseSeconds) * 1000;
    const claim = { tenantId: caller.tenantId, projectId, by: claimant(caller), builderHost, leaseMs, caller };
    const before = await queue.claimedBefore(caller.tenantId);
    const build = before ?? (await queue.prolong(claim)) ?? (await queue.claim(claim));
    if (build) return toBuildDto(build);
    throw new Fault('NOT_FOUND', 'No build waits for a builder.', {
      hint: 'Ask again later; builds are asked for with POST /api/projects/{projectId}/site-builds.',
      retryAfterSeconds: 5,
    });
  },
  complete: async ({ caller, params, body }) => {
    const build = await queue.builds.get(caller, params.id);
    await projects.require(caller, build.projectId);
    // Who said so already may say it again.
    const isOwn = build.claimedBy === claimant(caller);
    if (isOwn && build.status === (body.success ? 'Published' : 'Failed')) return toBuildDto(build);
    if (build.status !== 'Building')
      throw new Fault('INVALID_TRANSITION', `Build ${build._id} is ${build.status}, not Building.`, {
        hint: 'Claim a build with POST /api/site-builds/claim; one whose lease has ended must be claimed again.',
      });
    const isHost = body.builderHost == null || body.builderHost === build.builderHost;
    const done = isOwn && isHost ? await queue.complete(build, body, caller) : null;
    if (done) return toBuildDto(done);
    throw new Fault('ALREADY_CLAIMED', `Build ${build._id} is claimed by ${build.builderHost}.`, {
      hint: 'Only who claimed a build completes it; claim the next one with POST /api/site-builds/claim.',
    });
  },
}));

const claimant = ({ userId, identityId }: Caller) => (userId === null ? `identity:${identityId}` : `user:${userId}`);
