// Builds of the public sites of projects: asked for, claimed by a builder, completed.
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int32, int64, string } from '../../contract/types.ts';
import { SiteBuildDto, SiteStatusDto } from './dto.ts';

export const siteBuilds = group(
  'SiteBuilds',
  { base: '/api', doc: 'Builds of the public sites of projects: the server makes them, or a builder elsewhere does.' },
  {
    request: op.post('/projects/{projectId}/site-builds', {
      doc: "Ask for a build of a project's site; it takes the place of one that still waits. With force nothing of the last build is reused.",
      needs: 'DocsPublish',
      body: fields({ detail: string.max(1000).nullish(), force: boolean.nullish() }),
      data: SiteBuildDto,
    }),
    status: op.get('/projects/{projectId}/site-builds/status', {
      doc: "The state of a project's site: the newest build, the one that is shown, and what has changed since.",
      needs: 'DocsRead',
      data: SiteStatusDto,
    }),
    claim: op.post('/site-builds/claim', {
      doc: 'Take the next build that waits, for as long as the lease lasts; claim again with the same host to prolong it. NOT_FOUND when none waits.',
      needs: 'SiteBuildsRun',
      body: fields({
        builderHost: string.trim().min(1).max(200),
        projectId: int64.nullish(),
        leaseSeconds: int32.min(10).max(3600).nullish(),
      }),
      data: SiteBuildDto,
      audit: true,
    }),
    complete: op.post('/site-builds/{id}/complete', {
      doc: 'Say how a claimed build ended: published, or failed, which leaves the site as it was.',
      needs: 'SiteBuildsRun',
      body: fields({
        success: boolean,
        commitSha: string.max(100).nullish(),
        detail: string.max(4000).nullish(),
        builderHost: string.trim().min(1).max(200).nullish(),
      }),
      data: SiteBuildDto,
    }),
  },
);
